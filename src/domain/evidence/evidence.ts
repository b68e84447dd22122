/** Evidence items of uploads, as the rules use them. */

export const EVIDENCE_KINDS = [
  'unit_tests',
  'integration_tests',
  'e2e_tests',
  'coverage',
  'sast_scan',
  'security',
  'sbom',
  'performance',
  'manual',
  'custom',
] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

export const TEST_KINDS = ['unit_tests', 'integration_tests', 'e2e_tests'] as const satisfies readonly EvidenceKind[];
export type TestKind = (typeof TEST_KINDS)[number];

/** The kinds whose reports state findings. */
export const SCAN_KINDS = ['sast_scan', 'security'] as const satisfies readonly EvidenceKind[];
export type ScanKind = (typeof SCAN_KINDS)[number];

/**
 * Test counts. `failed` includes errors, and `passed + failed + skipped = total`. Flaky tests are counted in `passed`
 * and again in `flaky`.
 */
export interface TestMetrics {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly flaky?: number;
}

/**
 * Coverage in percent, 0 to 100. Null if the report does not measure it. The line and branch counts are stored so that
 * the parts of one run can be added up.
 */
export interface CoverageMetrics {
  readonly line_percent: number | null;
  readonly branch_percent: number | null;
  readonly lines?: { readonly covered: number; readonly total: number };
  readonly branches?: { readonly covered: number; readonly total: number };
}

export interface SeverityMetrics {
  readonly critical: number;
  readonly high: number;
  readonly medium: number;
  readonly low: number;
}

/** The findings of one identity and severity, so that a later scan can be compared with them. */
export interface Finding {
  /**
   * 32 hexadecimal digits of the SHA-256 over the JSON of `[tool, rule, fingerprint]`, or of `[tool, rule, file, severity]` if the
   * tool states no fingerprint.
   */
  readonly id: string;
  /** A text for users of at most 300 characters. */
  readonly label: string;
  /** The severity with which they are counted. */
  readonly severity: keyof SeverityMetrics;
  readonly count: number;
}

/** The parsed numbers of an upload, by kind. */
export interface EvidenceMetrics {
  readonly unit_tests?: TestMetrics;
  readonly integration_tests?: TestMetrics;
  readonly e2e_tests?: TestMetrics;
  readonly coverage?: CoverageMetrics;
  readonly sast_scan?: SeverityMetrics;
  readonly security?: SeverityMetrics;
}

/**
 * The source of the commit of an upload: the identity token, the upload itself, or, for an API key that states none, the candidate or else
 * the head of the development branch when the upload arrived.
 */
export const COMMIT_SOURCES = ['token', 'stated', 'candidate', 'branch_head'] as const;
export type CommitSource = (typeof COMMIT_SOURCES)[number];

/** The CI run that an upload belongs to. */
interface CiRun {
  /** GitHub's run id if the run is proven, else the address of the run as the uploader states it. */
  readonly id: string;
  /** Whether an identity token proves the run. */
  readonly proven: boolean;
}

/** A group of jobs that upload together in one run, as the uploader states it. */
export interface JobGroup {
  readonly name: string;
  /** The number of jobs in the group. */
  readonly total: number;
}

/** A test that failed, by its name. */
export interface FailedTest {
  /** 32 hexadecimal digits of a SHA-256 over the names from the outermost suite to the test. */
  readonly id: string;
  /** The names in one line for users, at most 300 characters. */
  readonly name: string;
  /** The ids of uploads of the same run that have a test of this name, too. While one of them counts, the name identifies no test. */
  readonly alsoIn?: readonly string[];
  /** Only of the first tests of an item, as known when it was uploaded. */
  readonly history?: FailedTestHistory;
}

/** What earlier uploads of the repository say about a failed test. */
export interface FailedTestHistory {
  /** The earliest run from which on it failed in every upload; null if it failed in no earlier upload. */
  readonly failingSince: { readonly run: string | null; readonly at: string } | null;
  /** The version of the release in whose evidence it last passed. Null if no stored upload has it as passed. */
  readonly lastPassedIn: string | null;
}

/** The failures of an item that have an identity. A failure that is missing here belongs to its item alone. */
export interface IdentifiedFailures {
  /** The failed tests whose names occur once in the item. */
  readonly tests: readonly FailedTest[];
  readonly findings: readonly Finding[];
  /** The ids of failed tests of other items of the run whose names occur in this item, too. */
  readonly repeatedTests: readonly string[];
}

/** The failures of an upload that have an identity. */
export type IdentifiedFailuresByKind = { readonly [K in EvidenceKind]?: IdentifiedFailures };

/** One kind of evidence of one upload. */
export interface EvidenceItem {
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly environment: string;
  readonly pipeline: string;
  /** Null if the upload names no run. */
  readonly run: CiRun | null;
  /** The attempt of its job in the run, starting at 1. */
  readonly attempt: number;
  /** The full name of the job that uploaded it. Null if not known. Uploaded files do not name a job. */
  readonly job: string | null;
  /** GitHub's id of the job. Null unless an identity token proves it. */
  readonly checkRunId: number | null;
  readonly jobGroup: JobGroup | null;
  readonly commitSha: string;
  readonly metrics: EvidenceMetrics;
  /** The failures that the reports state, independent of their counts. Empty if there are none. */
  readonly failures: readonly string[];
  /** Missing if no failure has an identity, and in lists, which do not need it. */
  readonly identified?: IdentifiedFailures;
  /**
   * The amount of content: the number of components of a bill of materials, else the number of files, reports and
   * metrics that are not empty. Measured kinds are evaluated by their metrics instead.
   */
  readonly content: number;
  /** SHA-256 over the upload's content. */
  readonly sha256: string;
  readonly receivedAt: Date;
}

/** Returns whether this kind of evidence counts only with its metrics. */
export const isMeasured = (kind: EvidenceKind): kind is keyof EvidenceMetrics =>
  (TEST_KINDS as readonly EvidenceKind[]).includes(kind) ||
  kind === 'coverage' ||
  kind === 'sast_scan' ||
  kind === 'security';

/** The greatest count that one statement of a report or of an upload may add, so that sums of them stay exact. */
export const MAX_COUNT = 1_000_000_000;

/** Returns whether the value is a valid count. Reports may contain NaN, Infinity or negative numbers. */
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Builds the id of an item. An upload has at most one item of each kind. */
export const evidenceItemId = (uploadId: string, kind: EvidenceKind): string => `${uploadId}/${kind}`;

/** Returns the id of the upload of an item. */
export function uploadIdFromItemId({ id }: Pick<EvidenceItem, 'id'>): string {
  const end = id.indexOf('/');
  return end < 0 ? id : id.slice(0, end);
}

/** The outcome of one test of a report. A flaky test passed after it had failed in the same run. */
export interface TestOutcome {
  /** Suites, class and test, joined by ` › ` in one line. The same in every run and on every machine. */
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'flaky';
}

/**
 * Events whose runs execute only code of users with write access. A `pull_request_target` or `issue_comment` run has a
 * token of the same repository but may execute code of a stranger.
 */
const UPLOADING_EVENTS = ['push', 'workflow_dispatch', 'schedule', 'release', 'merge_group'] as const;

/** Returns whether a CI run of this event may upload evidence. The policy's `evidence_events` allow more events. */
export const canUploadFromEvent = (event: string, evidenceEvents: readonly string[]): boolean =>
  (UPLOADING_EVENTS as readonly string[]).includes(event) || evidenceEvents.includes(event);
