import type { CoverageMetrics, EvidenceKind, SeverityMetrics, TestMetrics } from '../../../domain/evidence/evidence.js';
import type { ReportBeginning, ReportText } from './report-text.js';
import type { TestResultsEncoder } from './test-results-encoder.js';

/** The numbers of one report, before it is known which kind of evidence they stand for. */
export type Measure =
  | { readonly of: 'tests'; readonly value: TestMetrics; readonly testResults: TestResultsEncoder }
  | { readonly of: 'coverage'; readonly value: CoverageMetrics }
  | { readonly of: 'findings'; readonly value: SeverityMetrics }
  | { readonly of: 'components'; readonly value: { readonly components: number } };

/** One thing that people want to see first: a test that failed, a finding, a file with uncovered lines. */
export interface ReportDetail {
  readonly title: string;
  readonly location: string | null;
  readonly message: string;
}

/** What a format makes of one report. */
export interface ParsedContent {
  readonly measure: Measure;
  /** Why the report says of itself that it failed, whatever its counts; empty where it does not. */
  readonly failures: readonly string[];
  /** What a reader should know and no verdict rests on, such as totals that disagree with the cases. */
  readonly notes: readonly string[];
  /** At most `ReportLimits.details` of them, worst or first in front. */
  readonly details: readonly ReportDetail[];
}

/** Bounds within which a report is read; beyond them it is refused. */
export interface ReportLimits {
  readonly xmlDepth: number;
  readonly xmlAttributes: number;
  /** In UTF-16 code units. */
  readonly xmlAttributeLength: number;
  readonly jsonDepth: number;
  /** Objects, arrays and scalars of one document. */
  readonly jsonValues: number;
  readonly details: number;
}

export const REPORT_LIMITS: ReportLimits = {
  xmlDepth: 1_000,
  xmlAttributes: 256,
  xmlAttributeLength: 1_000_000,
  jsonDepth: 64,
  jsonValues: 600_000,
  details: 100,
};

/** A format of reports: adding one is one file that exports this, its line in `formats.ts`, and its fixtures. */
export interface ReportFormat {
  /** As uploaders state it in `format`. */
  readonly name: string;
  /** As sentences call it. */
  readonly title: string;
  readonly defaultKind: EvidenceKind;
  /** Whether the content looks like this format; the name of the file never matters. */
  detect(beginning: ReportBeginning): boolean;
  /** @throws ReportError with the line where the content breaks the format. */
  read(text: ReportText, limits: ReportLimits): ParsedContent;
}
