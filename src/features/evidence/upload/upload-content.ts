import type { CiCaller } from '../../../auth/caller.js';
import {
  type CoverageMetrics,
  type EvidenceKind,
  type EvidenceItem,
  isMeasured,
  type Metrics,
  type SeverityMetrics,
  TEST_KINDS,
  type TestMetrics,
} from '../../../domain/evidence/evidence.js';
import { groupBy } from '../../../domain/evidence/latest-run.js';
import type { EncodedTestResults } from '../../../domain/quality/test-results.js';
import type { Blocks } from '../../../http/body/byte-blocks.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { type Counts, percentage } from '../formats/coverage.js';
import type { ParsedReport } from '../formats/formats.js';
import { NO_TESTS, type ParsedFile, type UploadedFile } from '../parsing/report-parsing.js';
import { isNotBlank } from '../formats/bill-of-materials.js';
import type { ReportDocument } from '../parsing/upload-body.js';

const MOST = 1_000_000_000;
const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

/** The metrics that an upload states. */
interface DeclaredMetrics {
  /** The known metrics. Others are stored unchanged, and no verdict uses them. */
  readonly understood: Metrics;
  /** Contradictions, as sentences. */
  readonly flags: readonly string[];
}

/** Parses the known metrics. Throws `unprocessable` for a value that is not possible. */
function readDeclaredMetrics(metrics: Readonly<Record<string, unknown>>): DeclaredMetrics {
  const flags: string[] = [];
  const understood: { -readonly [K in keyof Metrics]: Metrics[K] } = {};
  for (const kind of TEST_KINDS) {
    if (Object.hasOwn(metrics, kind)) understood[kind] = testMetrics(kind, toFields(kind, metrics[kind]), flags);
  }
  if (Object.hasOwn(metrics, 'coverage'))
    understood.coverage = coverageMetrics(toFields('coverage', metrics['coverage']));
  for (const kind of ['sast_scan', 'security'] as const) {
    if (Object.hasOwn(metrics, kind)) understood[kind] = severityMetrics(kind, toFields(kind, metrics[kind]));
  }
  return { understood, flags };
}

function testMetrics(kind: string, fields: Readonly<Record<string, unknown>>, flags: string[]): TestMetrics {
  const passed = toCount(`${kind}.passed`, fields['passed']);
  const failed = toCount(`${kind}.failed`, fields['failed']);
  const skipped = fields['skipped'] === undefined ? 0 : toCount(`${kind}.skipped`, fields['skipped']);
  const sum = passed + failed + skipped;
  const total = fields['total'] === undefined ? sum : toCount(`${kind}.total`, fields['total']);
  if (total !== sum)
    flags.push(`metrics.${kind}: ${passed} passed, ${failed} failed and ${skipped} skipped are not ${total}.`);
  return { total, passed, failed, skipped };
}

function coverageMetrics(fields: Readonly<Record<string, unknown>>): CoverageMetrics {
  return {
    line_percent: declaredPercent('coverage.line_percent', fields['line_percent']),
    branch_percent: declaredPercent('coverage.branch_percent', fields['branch_percent']),
  };
}

function severityMetrics(kind: string, fields: Readonly<Record<string, unknown>>): SeverityMetrics {
  const [critical, high, medium, low] = SEVERITIES.map((severity) => toCount(`${kind}.${severity}`, fields[severity]));
  return {
    critical: critical ?? Number.NaN,
    high: high ?? Number.NaN,
    medium: medium ?? Number.NaN,
    low: low ?? Number.NaN,
  };
}

function toFields(key: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused(key, 'an object');
  return value as Readonly<Record<string, unknown>>;
}

function toCount(key: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MOST) {
    throw refused(key, 'a whole number from 0 to a thousand million');
  }
  return value;
}

function declaredPercent(key: string, value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !(value >= 0 && value <= 100)) throw refused(key, 'a number from 0 to 100');
  return value;
}

const refused = (key: string, expected: string): DomainError =>
  new DomainError('unprocessable', `metrics.${key} must be ${expected}.`);

/** The content of an upload before its files are parsed. */
export interface UploadedContent {
  readonly kind: EvidenceKind | undefined;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly reports: readonly ReportDocument[];
  readonly files: readonly UploadedFile[];
}

export interface UploadedReport {
  readonly name: string;
  readonly format: string;
  readonly content: Blocks;
  readonly sha256: string;
  /** The result of the parser; null for a document that no parser reads. */
  readonly summary: unknown;
  /** The tests of the report, which are too many for the summary. */
  readonly testResults: EncodedTestResults;
}

/** An evidence item before it is stored. It shares its other members with its upload. */
export type NewEvidenceItem = Pick<EvidenceItem, 'kind' | 'metrics' | 'failures' | 'content'>;

/** The result of parsing an upload. */
export interface ReadContent {
  readonly items: readonly NewEvidenceItem[];
  readonly reports: readonly UploadedReport[];
  readonly flags: readonly string[];
}

/** Merges the statements of an upload with the results of its files. */
export function buildUploadContent(upload: Omit<UploadedContent, 'files'>, files: readonly ParsedFile[]): ReadContent {
  const declared = readDeclaredMetrics(upload.metrics);
  const flags = [...declared.flags];
  const parsed: Omit<ParsedReport, 'testResults'>[] = [];
  const reports: UploadedReport[] = [];
  for (const { filename, content, sha256: digest, report, testResults } of files) {
    if ('kind' in report) {
      parsed.push(report);
      flags.push(...report.notes.map((note) => `${filename}: ${note}`));
    }
    const summary = 'kind' in report ? report : null;
    reports.push({ name: filename, format: report.format, content, sha256: digest, summary, testResults });
  }
  // Documents, which no verdict uses.
  for (const { name, format, content, sha256 } of upload.reports) {
    reports.push({ name, format, content, sha256, summary: null, testResults: NO_TESTS });
  }

  const items = new Map<EvidenceKind, NewEvidenceItem>();
  for (const group of groupBy(parsed, ({ kind }) => kind).values()) {
    const [{ kind }] = group;
    items.set(kind, {
      kind,
      metrics: isMeasured(kind) ? { [kind]: sumMetrics(kind, group) } : {},
      failures: group.flatMap(({ failures }) => failures),
      content: isMeasured(kind) ? group.length : group.reduce((sum, { components = 0 }) => sum + components, 0),
    });
  }
  for (const kind of measuredKinds(declared.understood)) {
    const fromFiles = items.get(kind);
    if (!fromFiles) {
      items.set(kind, { kind, metrics: { [kind]: declared.understood[kind] }, failures: [], content: 1 });
    }
    if (fromFiles && disagrees(declared.understood[kind], fromFiles.metrics[kind])) {
      flags.push(`metrics.${kind} disagrees with the uploaded reports, which count.`);
    }
  }
  if (items.size === 0) {
    const kind = upload.kind ?? 'custom';
    // A bill of materials counts by its components. A parsed one has created an item above.
    items.set(kind, { kind, metrics: {}, failures: [], content: kind === 'sbom' ? 0 : statedContent(upload, files) });
  }
  return { items: [...items.values()], reports, flags };
}

/** Counts the files, reports and metrics that are not blank. */
const statedContent = ({ reports, metrics }: Omit<UploadedContent, 'files'>, files: readonly ParsedFile[]): number =>
  files.filter(({ content }) => content.some((block) => isNotBlank(new TextDecoder().decode(block)))).length +
  reports.filter(({ isBlank }) => !isBlank).length +
  Object.values(metrics).filter(isNotBlank).length;

const measuredKinds = (metrics: Metrics): readonly (keyof Metrics)[] =>
  (Object.keys(metrics) as (keyof Metrics)[]).filter((kind) => metrics[kind] !== undefined);

/** Adds up the metrics of all reports of one kind in one upload. */
function sumMetrics(kind: keyof Metrics, reports: readonly Pick<ParsedReport, 'metrics'>[]): Metrics[keyof Metrics] {
  const all = reports.map(({ metrics }) => metrics[kind]).filter((metrics) => metrics !== undefined);
  if (all.length === 1) return all[0];
  if (kind === 'coverage') return sumCoverage(all as CoverageMetrics[]);
  const names = kind === 'sast_scan' || kind === 'security' ? SEVERITY_COUNTS : TEST_COUNTS;
  const counts = all as unknown as readonly Readonly<Record<string, number | undefined>>[];
  return Object.fromEntries(
    names.map((name) => [name, counts.reduce((sum, count) => sum + (count[name] ?? 0), 0)]),
  ) as unknown as TestMetrics | SeverityMetrics;
}

const TEST_COUNTS = ['total', 'passed', 'failed', 'skipped', 'flaky'] as const satisfies readonly (keyof TestMetrics)[];
const SEVERITY_COUNTS = ['critical', 'high', 'medium', 'low'] as const satisfies readonly (keyof SeverityMetrics)[];

function sumCoverage(all: readonly CoverageMetrics[]): CoverageMetrics {
  const lines = sumCounts(all.map((coverage) => coverage.lines));
  const branches = sumCounts(all.map((coverage) => coverage.branches));
  return {
    line_percent: lines === null ? null : percentage(lines),
    branch_percent: branches === null ? null : percentage(branches),
    ...(lines && { lines }),
    ...(branches && { branches }),
  };
}

const sumCounts = (all: readonly (Counts | undefined)[]): Counts | null =>
  all.reduce<Counts | null>(
    (sum, counts) =>
      sum && counts ? { covered: sum.covered + counts.covered, total: sum.total + counts.total } : null,
    { covered: 0, total: 0 },
  );

/** Whether stated metrics differ from the counted ones. A missing member does not count as a difference. */
function disagrees(stated: Metrics[keyof Metrics], counted: Metrics[keyof Metrics]): boolean {
  const actual = counted as unknown as Readonly<Record<string, unknown>>;
  return Object.entries(stated ?? {}).some(([name, value]) => {
    const count = actual[name];
    if (value === null || typeof count !== 'number') return false;
    return name.endsWith('_percent') ? Math.abs(count - Number(value)) > 0.1 : count !== value;
  });
}

/** A run on GitHub, with or without its attempt. */
const GITHUB_RUN = /^(.*\/actions\/runs\/\d{1,19})(?:\/attempts\/(\d{1,15}))?\/?$/;

/** The run and the job of an upload. */
export type Origin = Pick<EvidenceItem, 'run' | 'attempt' | 'checkRunId'>;

/**
 * Returns the origin that the identity token proves, or else the one that the upload states. The id of a run that an API key
 * states is its URL, never the number of a run on GitHub. The attempts of a run on GitHub have different URLs and count as one
 * run.
 */
export function toOrigin(
  caller: CiCaller,
  stated: { readonly runUrl: string | null; readonly runAttempt: number | null },
): Origin {
  if (caller.kind === 'identity_token') {
    const { runId, runAttempt: attempt, checkRunId } = caller;
    return { run: { id: String(runId), proven: true }, attempt, checkRunId };
  }
  if (stated.runUrl === null) return { run: null, attempt: stated.runAttempt ?? 1, checkRunId: null };
  const { origin, pathname, search } = new URL(stated.runUrl);
  const [, run, attempt] = GITHUB_RUN.exec(pathname) ?? [];
  return {
    run: { id: `${origin}${run ?? pathname}${search}`, proven: false },
    attempt: stated.runAttempt ?? Number(attempt ?? 1),
    checkRunId: null,
  };
}

/** Describes the uploader for records. */
export const uploadActor = (caller: CiCaller): string =>
  caller.kind === 'api_key' ? `key ${caller.keyId}` : `run ${caller.runId} of ${caller.repository}`;
