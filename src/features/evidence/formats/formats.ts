import type { EvidenceKind, Metrics } from '../../../domain/evidence/evidence.js';
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

/** Each knows its own content, and no other: their order does not matter. */
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

/** What an uploader may state in `format`. */
export const FORMAT_NAMES: readonly string[] = [...FORMATS.map(({ name }) => name), 'html'];

/** A file as it was uploaded. */
export interface ReportFile {
  readonly filename: string;
  /** Its bytes, in blocks one after the other. */
  readonly content: readonly Uint8Array[];
  /** What the uploader says it is; the content decides, and may not contradict it. */
  readonly format?: string;
  /** The kind of evidence that the uploader says it is; it counts where a report of this format can be of it. */
  readonly kind?: EvidenceKind;
}

/** A report whose numbers a verdict may rest on. */
export interface ParsedReport {
  readonly format: string;
  readonly kind: EvidenceKind;
  readonly metrics: Metrics;
  /** How many components a bill of materials lists; absent in every other report. */
  readonly components?: number;
  /** Why the report says of itself that it failed, whatever its counts; empty where it does not. */
  readonly failures: readonly string[];
  /** Remarks of the parser. No verdict uses them. */
  readonly notes: readonly string[];
  /** The first failing tests, worst findings, least covered files or components, for people. */
  readonly details: readonly ReportDetail[];
  /** Every test by name, at most 250,000; null for what reports no tests. Far larger than all the rest. */
  readonly testResults: TestResultsEncoder | null;
}

/** A page for people, kept as it is: it is never a verdict. */
export interface HtmlReport {
  readonly format: 'html';
}

const HTML_ROOTS: ReadonlySet<string> = new Set(['html', 'head', 'body']);

/** The kinds of evidence that each measure can stand for. */
const KINDS_OF = {
  tests: ['unit_tests', 'integration_tests', 'e2e_tests'],
  coverage: ['coverage'],
  findings: ['sast_scan', 'security'],
  components: ['sbom'],
} as const satisfies Record<Measure['of'], readonly EvidenceKind[]>;

/**
 * Reads a report in the format that its content shows, whatever its name, in time linear in its size.
 * @throws ReportError where the content is no report of a known format, breaks its format, or contradicts what was stated.
 */
export function parseReport(file: ReportFile, limits: ReportLimits = REPORT_LIMITS): ParsedReport | HtmlReport {
  try {
    return read(file, limits);
  } catch (error) {
    // Regular expressions give up on tokens of millions of characters, at a length that depends on what ran before.
    if (error instanceof RangeError) throw new ReportError(file.filename, 1, null, 'a name or a number without end');
    throw error;
  }
}

function read(file: ReportFile, limits: ReportLimits): ParsedReport | HtmlReport {
  const text = ReportText.decode(file.filename, ...file.content);
  const [format = null, other] = FORMATS.filter((candidate) => candidate.detect(text.beginning));
  // Whichever were read, the other's failures would go unheard.
  if (format && other) throw text.errorAt(0, `it may be ${format.title} as well as ${other.title}`);
  if (file.format !== undefined) checkStated(file.format, format, text);
  if (format === null) {
    if (file.format === 'html' || isHtml(text)) return { format: 'html' };
    throw text.errorAt(0, `no report of a known format (${FORMAT_NAMES.join(', ')})`);
  }
  const { measure, failures, notes, details } = format.read(text, limits);
  const testResults = measure.of === 'tests' ? measure.testResults : null;
  return { format: format.name, ...metricsOf(measure, file.kind, format), failures, notes, details, testResults };
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

function metricsOf(
  measure: Measure,
  stated: EvidenceKind | undefined,
  format: ReportFormat,
): Pick<ParsedReport, 'kind' | 'metrics' | 'components'> {
  const kind = KINDS_OF[measure.of].find((candidate) => candidate === stated) ?? format.defaultKind;
  if (measure.of === 'components') return { kind, metrics: {}, components: measure.value.components };
  return { kind, metrics: { [kind]: measure.value } };
}
