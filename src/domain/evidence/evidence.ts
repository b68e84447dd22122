/** Evidence as a verdict sees it: one upload, what was in it, and where it came from. */

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

/** `failed` counts errors too; `passed + failed + skipped = total`. Flaky tests passed, and are counted again in `flaky`. */
export interface TestMetrics {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly flaky?: number;
}

/** Per cent, 0 to 100; null where the report measures none. The counts are kept so that shards can be added up. */
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

/** What the service understands of an upload's numbers, by kind. */
export interface Metrics {
  readonly unit_tests?: TestMetrics;
  readonly integration_tests?: TestMetrics;
  readonly e2e_tests?: TestMetrics;
  readonly coverage?: CoverageMetrics;
  readonly sast_scan?: SeverityMetrics;
  readonly security?: SeverityMetrics;
}

/** The CI run that an upload belongs to. */
export interface CiRun {
  /** GitHub's run id where it is proven, else the run's address as the uploader states it. */
  readonly id: string;
  /** An identity token proves it. */
  readonly proven: boolean;
}

/** A number of jobs that upload together in one run, as the uploader states it. */
export interface JobGroup {
  readonly name: string;
  /** How many jobs there are. */
  readonly total: number;
}

/** One piece of evidence: one kind of one upload. */
export interface EvidenceItem {
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly environment: string;
  readonly pipeline: string;
  /** Null where the upload names no run. */
  readonly run: CiRun | null;
  /** How often its job was tried in the run, from 1 on. */
  readonly attempt: number;
  /** The full name of the job that uploaded it; null where that is not known. Files never name a job. */
  readonly job: string | null;
  /** GitHub's id of the job, where an identity token proves it. */
  readonly checkRunId: number | null;
  readonly jobGroup: JobGroup | null;
  readonly commitSha: string;
  readonly metrics: Metrics;
  /** Why the reports say of themselves that they failed, whatever their counts; empty where none does. */
  readonly failures: readonly string[];
  /**
   * How much the piece holds of its kind: the components of a bill of materials, else the files, reports and metrics that
   * are not empty. Kinds that are measured are judged by their metrics instead.
   */
  readonly content: number;
  /** SHA-256 over the upload's content. */
  readonly sha256: string;
  readonly receivedAt: Date;
}

/** Kinds of evidence that are worth something only with their numbers. */
export const isMeasured = (kind: EvidenceKind): kind is keyof Metrics =>
  (TEST_KINDS as readonly EvidenceKind[]).includes(kind) ||
  kind === 'coverage' ||
  kind === 'sast_scan' ||
  kind === 'security';

/** Whether the value counts something: numbers come from reports of others, and NaN, Infinity and -1 count nothing. */
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** An upload has at most one piece of a kind. */
export const evidenceItemId = (uploadId: string, kind: EvidenceKind): string => `${uploadId}/${kind}`;

/** The id of the upload that a piece came with. */
export function uploadIdFromItemId({ id }: Pick<EvidenceItem, 'id'>): string {
  const end = id.indexOf('/');
  return end < 0 ? id : id.slice(0, end);
}

/** How one test of a report ended: flaky is passed, after a try of the same run that failed. */
export interface TestOutcome {
  /** Suites, class and test, joined by ` › `: the same in every run and on every machine, in one line. */
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'flaky';
}

/**
 * Events whose runs execute code that somebody with write access put there. A `pull_request_target` or `issue_comment`
 * run holds a token of the same repository while it may be running a stranger's code.
 */
const UPLOADING_EVENTS = ['push', 'workflow_dispatch', 'schedule', 'release', 'merge_group'] as const;

/** Whether a CI run that this event started may upload evidence; a policy's `evidence_events` allows further ones. */
export const canUploadFromEvent = (event: string, evidenceEvents: readonly string[]): boolean =>
  (UPLOADING_EVENTS as readonly string[]).includes(event) || evidenceEvents.includes(event);
