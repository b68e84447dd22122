import type { EvidenceKind, FailedTest, Finding, EvidenceMetrics } from '../../../domain/evidence/evidence.js';
import { clover } from './clover.js';
import { cobertura } from './cobertura.js';
import { ctrf } from './ctrf.js';
import { cyclonedx } from './cyclonedx.js';
import { goCover } from './go-cover.js';
import { goTest } from './go-test.js';
import { jacoco } from './jacoco.js';
import { jestJson } from './jest-json.js';
import { junit } from './junit.js';
import { lcov } from './lcov.js';
import { npmAudit } from './npm-audit.js';
import { playwright } from './playwright.js';
import {
  REPORT_LIMITS,
  type Measure,
  type ReportCoverage,
  type ReportDetail,
  type ReportFormat,
  type ReportLimits,
} from './report-format.js';
import { ReportError, ReportText } from './report-text.js';
import { sarif } from './sarif.js';
import { spdx } from './spdx.js';
import { tap } from './tap.js';
import type { TestResultsEncoder } from './test-results-encoder.js';
import { trivy } from './trivy.js';

/** All formats. Each detects only its own content, so their order does not matter. */
export const FORMATS: readonly ReportFormat[] = [
  junit,
  ctrf,
  jestJson,
  goTest,
  playwright,
  tap,
  lcov,
  cobertura,
  jacoco,
  clover,
  goCover,
  sarif,
  trivy,
  npmAudit,
  cyclonedx,
  spdx,
];

/** The values that an upload may state as `format`. */
export const FORMAT_NAMES: readonly string[] = [...FORMATS.map(({ name }) => name), 'html'];

/** A file as it was uploaded. */
export interface ReportFile {
  readonly filename: string;
  /** The bytes, in consecutive blocks. */
  readonly content: readonly Uint8Array[];
  /** The stated format. A different content is an error. */
  readonly format?: string;
  /** The stated kind of evidence. It counts if a report of this format can have this kind. */
  readonly kind?: EvidenceKind;
}

/** A report with numbers for verdicts. */
export interface ParsedReport {
  /** The failed tests whose names occur once; empty for a report without tests. */
  readonly failedTests: readonly FailedTest[];
  readonly format: string;
  readonly kind: EvidenceKind;
  readonly metrics: EvidenceMetrics;
  /** The number of components of a bill of materials; missing for other reports. */
  readonly components?: number;
  /** The failures that the report states, regardless of its counts. */
  readonly failures: readonly string[];
  /** Remarks of the parser. No verdict uses them. */
  readonly notes: readonly string[];
  /** The first failed tests, the worst findings, the least covered files or the first components, for display. */
  readonly details: readonly ReportDetail[];
  /** The findings with an identity, worst first, at most 200 identities; empty for a report without findings. */
  readonly findings: readonly Finding[];
  /** The tests by name, at most 250,000; null for a report without tests. Much larger than all other members. */
  readonly testResults: TestResultsEncoder | null;
  /** The files of a coverage report. */
  readonly coverage?: ReportCoverage;
}

/** An HTML page. It is stored unchanged and never affects a verdict. */
export interface HtmlReport {
  readonly format: 'html';
}

const HTML_ROOTS: ReadonlySet<string> = new Set(['html', 'head', 'body']);

/** The kinds of evidence that a report with this measure can be. */
const KINDS_OF = {
  tests: ['unit_tests', 'integration_tests', 'e2e_tests'],
  coverage: ['coverage'],
  findings: ['sast_scan', 'security'],
  components: ['sbom'],
} as const satisfies Record<Measure['of'], readonly EvidenceKind[]>;

const WITHOUT_TESTS = { testResults: null, failedTests: [] };

/**
 * Parses a report. Its content determines the format, not its name. Takes time linear in its size.
 * @throws ReportError if the content has no known format, violates its format, or contradicts the stated format.
 */
export function parseReport(file: ReportFile, limits: ReportLimits = REPORT_LIMITS): ParsedReport | HtmlReport {
  try {
    return read(file, limits);
  } catch (error) {
    // A regular expression fails on a token of millions of characters. The limit depends on earlier matches.
    if (error instanceof RangeError) throw new ReportError(file.filename, 1, null, 'a name or a number is too long');
    throw error;
  }
}

function read(file: ReportFile, limits: ReportLimits): ParsedReport | HtmlReport {
  const text = ReportText.decode(file.filename, ...file.content);
  const [format = null, other] = FORMATS.filter((candidate) => candidate.detect(text.beginning));
  // Parsing it as one of the two would ignore the failures of the other.
  if (format && other) throw text.errorAt(0, `the format is ambiguous: ${format.title} or ${other.title}`);
  if (file.format !== undefined) checkStated(file.format, format, text);
  if (format === null) {
    if (file.format === 'html' || isHtml(text)) return { format: 'html' };
    throw text.errorAt(0, `not a report of a known format (${FORMAT_NAMES.join(', ')})`);
  }
  const { measure, failures, notes, details, coverage } = format.read(text, limits);
  const { testResults, failedTests } = measure.of === 'tests' ? measure : WITHOUT_TESTS;
  return {
    format: format.name,
    ...toMetrics(measure, file.kind, format),
    failures,
    notes,
    details,
    findings: measure.of === 'findings' ? measure.findings : [],
    testResults,
    failedTests,
    ...(coverage && { coverage }),
  };
}

function isHtml({ prolog }: ReportText): boolean {
  if (prolog === null) return false;
  return prolog.doctype?.toLowerCase() === 'html' || HTML_ROOTS.has(prolog.root.toLowerCase());
}

function checkStated(stated: string, detected: ReportFormat | null, text: ReportText): void {
  if (!FORMAT_NAMES.includes(stated)) {
    throw text.errorAt(0, `the stated format is not one of ${FORMAT_NAMES.join(', ')}`);
  }
  const found = detected?.name ?? (isHtml(text) || stated === 'html' ? 'html' : null);
  if (found === stated) return;
  const actual = detected?.title ?? (found === 'html' ? 'HTML' : 'something else');
  throw text.errorAt(0, `stated as ${stated}, but the content is ${actual}`);
}

function toMetrics(
  measure: Measure,
  stated: EvidenceKind | undefined,
  format: ReportFormat,
): Pick<ParsedReport, 'kind' | 'metrics' | 'components'> {
  const kind = KINDS_OF[measure.of].find((candidate) => candidate === stated) ?? format.defaultKind;
  if (measure.of === 'components') return { kind, metrics: {}, components: measure.value.components };
  return { kind, metrics: { [kind]: measure.value } };
}
