import type {
  CoverageMetrics,
  EvidenceKind,
  FailedTest,
  Finding,
  SeverityMetrics,
  TestMetrics,
} from '../../../domain/evidence/evidence.js';
import type { CoveredBranches, CoveredLines } from './coverage-entry.js';
import type { CoveredFiles } from './covered-files.js';
import type { ReportBeginning, ReportText } from './report-text.js';
import type { TestResultsEncoder } from './test-results-encoder.js';

/** The numbers of one report. The kind of evidence is not decided yet. */
export type Measure =
  | {
      readonly of: 'tests';
      readonly value: TestMetrics;
      readonly testResults: TestResultsEncoder;
      /** The failed tests whose names occur once, in the order of the report. */
      readonly failedTests: readonly FailedTest[];
    }
  | { readonly of: 'coverage'; readonly value: CoverageMetrics }
  | {
      readonly of: 'findings';
      readonly value: SeverityMetrics;
      /** The findings with an identity, worst first, at most 200 identities. */
      readonly findings: readonly Finding[];
    }
  | { readonly of: 'components'; readonly value: { readonly components: number } };

/** The files of a coverage report, so that reports can be united; null if it measures no line or no branch. */
export interface ReportCoverage {
  readonly lines: CoveredFiles<CoveredLines> | null;
  readonly branches: CoveredFiles<CoveredBranches> | null;
}

/** One entry for display: a failed test, a finding, a component or a file with uncovered lines. */
export interface ReportDetail {
  readonly title: string;
  readonly location: string | null;
  readonly message: string;
  /** The id of the failed test, as in `FailedTest`. Absent for every other entry. */
  readonly testId?: string;
}

/** The parsed content of one report. */
export interface ParsedContent {
  readonly measure: Measure;
  /** The failures that the report states, regardless of its counts. */
  readonly failures: readonly string[];
  /** Remarks for readers that affect no verdict, for example totals that differ from the cases. */
  readonly notes: readonly string[];
  /** At most `ReportLimits.details` entries, the worst or the first ones. */
  readonly details: readonly ReportDetail[];
  /** The files of a coverage report. */
  readonly coverage?: ReportCoverage;
}

/** The limits of a report. A report beyond them is rejected. */
export interface ReportLimits {
  readonly xmlDepth: number;
  readonly xmlAttributes: number;
  /** In UTF-16 code units. */
  readonly xmlAttributeLength: number;
  readonly jsonDepth: number;
  /** The number of objects, arrays and scalars in one document. */
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

/** A report format. A new one needs a file that exports it, a line in `formats.ts`, and fixtures. */
export interface ReportFormat {
  /** The value of `format` in an upload. */
  readonly name: string;
  /** The name in messages. */
  readonly title: string;
  readonly defaultKind: EvidenceKind;
  /** Returns whether the content has this format. The name of the file does not matter. */
  detect(beginning: ReportBeginning): boolean;
  /** @throws ReportError with the line where the content violates the format. */
  read(text: ReportText, limits: ReportLimits): ParsedContent;
}
