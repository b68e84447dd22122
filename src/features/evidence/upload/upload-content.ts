import type { CiCaller } from '../../../auth/caller.js';
import {
  EVIDENCE_KINDS,
  type EvidenceKind,
  type EvidenceItem,
  type FailedTest,
  type Finding,
  isMeasured,
  type EvidenceMetrics,
  type SeverityMetrics,
  type TestMetrics,
} from '../../../domain/evidence/evidence.js';
import { getTestMetrics } from '../../../domain/evidence/evidence-status.js';
import { groupBy } from '../../../domain/group-by.js';
import type { EncodedTestResults } from '../../../domain/quality/test-results.js';
import type { Blocks } from '../../../http/body/byte-blocks.js';
import { BoundedList, formatOverflow } from '../formats/bounded-list.js';
import { FindingList } from '../formats/finding-list.js';
import type { ParsedReport } from '../formats/formats.js';
import { NO_TESTS, type ParsedFile, type UnparsedFile } from '../parsing/report-parsing.js';
import { isNotBlank } from '../formats/bill-of-materials.js';
import type { ReportDocument } from '../parsing/upload-body.js';
import { readStatedMetrics } from './stated-metrics.js';

/** The content of an upload before its files are parsed. */
export interface UploadedContent {
  readonly kind: EvidenceKind | undefined;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly reports: readonly ReportDocument[];
  readonly files: readonly UnparsedFile[];
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
export interface NewEvidenceItem extends Pick<EvidenceItem, 'kind' | 'metrics' | 'failures' | 'content'> {
  /** The failed tests whose names occur once in the upload. */
  readonly failedTests: readonly FailedTest[];
  /** The findings with an identity, worst first, at most 200 identities. Others are only in the metrics. */
  readonly findings: readonly Finding[];
}

/** The result of parsing an upload. */
export interface ReadContent {
  readonly items: readonly NewEvidenceItem[];
  readonly reports: readonly UploadedReport[];
  readonly flags: readonly string[];
  /** The encoded lines of its coverage reports together; null if there are none. */
  readonly coveredLines: Uint8Array | null;
}

/** Merges the statements of an upload with the results of its files. */
export function buildUploadContent(upload: Omit<UploadedContent, 'files'>, files: readonly ParsedFile[]): ReadContent {
  const stated = readStatedMetrics(upload.metrics);
  const flags = [...stated.flags];
  const parsed: NamedReport[] = [];
  const reports: UploadedReport[] = [];
  for (const { filename, content, sha256: digest, report, testResults, failedTests } of files) {
    if ('kind' in report) {
      parsed.push({ filename, report: { ...report, failedTests } });
      flags.push(...report.notes.map((note) => `${filename}: ${note}`));
    }
    reports.push({
      name: filename,
      format: report.format,
      content,
      sha256: digest,
      summary: toSummary(report),
      testResults,
    });
  }
  // Documents, which no verdict uses.
  for (const { name, format, content, sha256 } of upload.reports) {
    reports.push({ name, format, content, sha256, summary: null, testResults: NO_TESTS });
  }

  const coverage = files.find((file) => file.coverage)?.coverage;
  const items = new Map<EvidenceKind, NewEvidenceItem>();
  for (const group of groupBy(parsed, ({ report }) => report.kind).values()) {
    const item = toItem(group);
    items.set(
      item.kind,
      item.kind === 'coverage' && coverage ? { ...item, metrics: { coverage: coverage.metrics } } : item,
    );
  }
  for (const kind of measuredKinds(stated.understood)) {
    const fromFiles = items.get(kind);
    if (!fromFiles) {
      const metrics = { [kind]: stated.understood[kind] };
      items.set(kind, { ...emptyItem(kind), metrics, content: 1 });
    } else if (disagrees(stated.understood[kind], fromFiles.metrics[kind])) {
      flags.push(`metrics.${kind} disagrees with the uploaded reports, which count.`);
      const failures = [...fromFiles.failures, ...missingFailures(kind, stated.understood, fromFiles.metrics)];
      items.set(kind, { ...fromFiles, failures });
    }
  }
  if (items.size === 0) {
    const kind = upload.kind ?? EVIDENCE_KINDS.find((name) => Object.hasOwn(upload.metrics, name)) ?? 'custom';
    // A bill of materials counts by its components. A parsed one has created an item above.
    items.set(kind, { ...emptyItem(kind), content: kind === 'sbom' ? 0 : statedContent(upload, files) });
  }
  for (const [kind, failures] of stated.failures) {
    const item = items.get(kind) ?? { ...emptyItem(kind), content: kind === 'sbom' ? 0 : 1 };
    items.set(kind, { ...item, failures: [...item.failures, ...failures] });
  }
  const all = [...items.values()];
  return {
    items: all.map((item) => ({ ...item, failures: boundFailures([...item.failures, ...stated.shared]) })),
    reports,
    flags,
    coveredLines: coverage?.lines ?? null,
  };
}

function boundFailures(failures: readonly string[]): readonly string[] {
  const list = new BoundedList<string>(MAX_FAILURES);
  for (const failure of failures) list.add(failure);
  return list.withRest(formatOverflow);
}

const emptyItem = (kind: EvidenceKind): NewEvidenceItem => ({
  kind,
  metrics: {},
  failures: [],
  content: 0,
  failedTests: [],
  findings: [],
});

/** Returns what is stored of a parsed file: everything except the findings, which are stored with the item. */
function toSummary(report: ParsedFile['report']): unknown {
  if (!('kind' in report)) return null;
  const { findings: _findings, ...summary } = report;
  return summary;
}

/** A parsed report with the name of its file. */
interface NamedReport {
  readonly filename: string;
  readonly report: Omit<ParsedReport, 'testResults' | 'coverage'>;
}

/** Adds up the reports of one kind. */
function toItem(group: readonly [NamedReport, ...NamedReport[]]): NewEvidenceItem {
  const [{ report: first }] = group;
  const { kind } = first;
  const reports = group.map(({ report }) => report);
  const findings = new FindingList();
  for (const report of reports) findings.addAll(report.findings);
  return {
    kind,
    metrics: isMeasured(kind) ? { [kind]: sumMetrics(kind, reports) } : {},
    failures: group.flatMap(({ filename, report }) => report.failures.map((failure) => `${filename}: ${failure}`)),
    content: isMeasured(kind) ? group.length : reports.reduce((sum, { components = 0 }) => sum + components, 0),
    failedTests: reports.flatMap(({ failedTests }) => failedTests).slice(0, MAX_FAILED_TESTS),
    findings: findings.worst,
  };
}

/** Returns a failure if the upload states more failed tests than its files contain. */
function missingFailures(kind: EvidenceKind, stated: EvidenceMetrics, counted: EvidenceMetrics): readonly string[] {
  const [claimed, found] = [stated, counted].map((metrics) => getTestMetrics({ kind, metrics })?.failed ?? 0);
  if (claimed === undefined || found === undefined || claimed <= found) return [];
  return [`metrics.${kind} states ${claimed} failed tests, the reports contain ${found}.`];
}

/** The maximum number of failures of one item that are stored one by one. Each verdict reads them, and few of them say enough. */
const MAX_FAILURES = 100;
/** The maximum number of failed tests with a name of one item. More belong to their item alone. */
const MAX_FAILED_TESTS = 50;

/** Counts the files, reports and metrics that are not blank. */
const statedContent = ({ reports, metrics }: Omit<UploadedContent, 'files'>, files: readonly ParsedFile[]): number =>
  files.filter(({ isBlank }) => !isBlank).length +
  reports.filter(({ isBlank }) => !isBlank).length +
  Object.values(metrics).filter(isNotBlank).length;

const measuredKinds = (metrics: EvidenceMetrics): readonly (keyof EvidenceMetrics)[] =>
  (Object.keys(metrics) as (keyof EvidenceMetrics)[]).filter((kind) => metrics[kind] !== undefined);

/** Adds up the metrics of all reports of one kind in one upload. */
function sumMetrics(
  kind: keyof EvidenceMetrics,
  reports: readonly Pick<ParsedReport, 'metrics'>[],
): EvidenceMetrics[keyof EvidenceMetrics] {
  const all = reports.map(({ metrics }) => metrics[kind]).filter((metrics) => metrics !== undefined);
  if (all.length === 1) return all[0];
  const names = kind === 'sast_scan' || kind === 'security' ? SEVERITY_COUNTS : TEST_COUNTS;
  const counts = all as unknown as readonly Readonly<Record<string, number | undefined>>[];
  return Object.fromEntries(
    names.map((name) => [name, counts.reduce((sum, count) => sum + (count[name] ?? 0), 0)]),
  ) as unknown as TestMetrics | SeverityMetrics;
}

const TEST_COUNTS = ['total', 'passed', 'failed', 'skipped', 'flaky'] as const satisfies readonly (keyof TestMetrics)[];
const SEVERITY_COUNTS = ['critical', 'high', 'medium', 'low'] as const satisfies readonly (keyof SeverityMetrics)[];

/** Whether stated metrics differ from the counted ones. A missing member does not count as a difference. */
function disagrees(
  stated: EvidenceMetrics[keyof EvidenceMetrics],
  counted: EvidenceMetrics[keyof EvidenceMetrics],
): boolean {
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
