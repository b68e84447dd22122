/**
 * What the code host said, and when it said it. A verdict may rest on nothing else but these facts, the evidence and
 * the release's own record, so what is missing here cannot influence a release.
 */
import type { PolicyState } from '../policy/policy.js';
import type { CoAuthor } from './co-authors.js';

/** A commit's SHA-1, 40 lower-case hex digits. */
export type Sha = string;

export interface MilestoneFact {
  readonly githubId: number;
  readonly number: number;
  readonly title: string;
  readonly state: 'open' | 'closed';
  readonly url: string;
  readonly description: string | null;
  readonly dueOn: string | null;
  readonly updatedAt: string;
}

/** An issue in the scope of a release. Pull requests that carry the milestone are not issues and never appear here. */
export interface IssueFact {
  readonly number: number;
  readonly title: string;
  readonly state: 'open' | 'closed';
  readonly assignees: readonly string[];
  readonly labels: readonly string[];
  readonly url: string;
}

export interface RefFact {
  /** Without `refs/heads/`. */
  readonly branch: string;
  readonly sha: Sha;
}

export interface CommitFact {
  readonly sha: Sha;
  readonly parents: readonly Sha[];
  /** GitHub user ids; null where the commit's e-mail address belongs to no account. */
  readonly authorId: number | null;
  readonly committerId: number | null;
  /** The people whom the message names as co-authors by a no-reply address. Commits that earlier versions stored lack it. */
  readonly coAuthors: readonly CoAuthor[];
}

/** How `head` relates to `base`; immutable, because both are SHAs. */
export interface ComparisonFact {
  readonly status: 'identical' | 'ahead' | 'behind' | 'diverged';
  readonly mergeBaseSha: Sha;
  /** Files that differ between the merge base and head. */
  readonly files: readonly { readonly path: string; readonly blobSha: Sha | null }[];
  /** False where the host cut the list short: then nothing may be concluded from a path's absence. */
  readonly filesComplete: boolean;
  /** Commits of head that base lacks. */
  readonly commits: readonly CommitFact[];
  readonly commitsComplete: boolean;
}

export interface CheckFact {
  readonly name: string;
  /** Slug of the app that reported it; null for a commit status. */
  readonly app: string | null;
  /** `skipped` is a check that ended without showing anything: GitHub's `skipped` and `neutral`. */
  readonly state: 'success' | 'failure' | 'pending' | 'skipped';
  /** GitHub's word for how the check run ended; null while it runs, and for a commit status. */
  readonly conclusion: string | null;
  readonly url: string | null;
}

export interface PullFact {
  readonly number: number;
  readonly url: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly headRef: string;
  readonly headSha: Sha;
  readonly baseRef: string;
  /** Where the base branch stood when the host answered. */
  readonly baseSha: Sha;
  readonly mergedAt: string | null;
  readonly mergeCommitSha: Sha | null;
}

export interface ReviewFact {
  readonly id: number;
  /** Null where the account no longer exists. */
  readonly userId: number | null;
  readonly login: string | null;
  readonly state: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
  readonly commitSha: Sha | null;
  readonly submittedAt: string;
}

export interface PermissionFact {
  readonly userId: number | null;
  readonly level: 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin';
}

export interface TeamMembersFact {
  /** False where no such team exists. */
  readonly exists: boolean;
  readonly userIds: readonly number[];
}

export interface DeploymentFact {
  readonly githubId: number;
  readonly sha: Sha;
  readonly environment: string;
  readonly creator: string | null;
  /** When the deployment began: when it stopped to wait, or else when it was made. In whole seconds. */
  readonly beganAt: string;
  readonly state: 'success' | 'failure' | 'pending' | 'inactive';
  /** It waits to be let go, as by the reviewers of its environment. */
  readonly waiting: boolean;
  /** When it first succeeded. */
  readonly succeededAt: string | null;
}

/** A job of a CI run. One that runs again has another id and a higher attempt. */
export interface RunJobFact {
  /** The id of the job, which is also the id of its check run. */
  readonly id: number;
  /** Its full name, with the values of its matrix, as `test (2, node 24)`. */
  readonly name: string;
  readonly attempt: number;
  /** `failure` is whatever ended in any other way than well: failed, cancelled, timed out. A skipped job is `skipped`. */
  readonly state: 'running' | 'success' | 'skipped' | 'failure';
}

/** The jobs of a CI run, of all its attempts, by their ids. */
export interface RunJobsFact {
  /** False where the installation may not read Actions: then nothing is known of the jobs. */
  readonly granted: boolean;
  /** Empty where the host has no such run any more. */
  readonly jobs: readonly RunJobFact[];
  /** False where the host has more jobs than were read. */
  readonly complete: boolean;
}

/**
 * Each kind of fact with its key and its value. Keys are exact: `refs` by prefix without `refs/heads/`, `history` and
 * `checks` by SHA, `comparison` by `base...head`, `pulls_of_issue` by issue number, `team` by slug, `permission` by login,
 * `run_jobs` by the run's id in decimal.
 */
export interface FactValues {
  policy: PolicyState;
  milestone: MilestoneFact | null;
  issues: readonly IssueFact[];
  /** Whether any pull request refers to the issue. */
  pulls_of_issue: { readonly linked: boolean };
  refs: readonly RefFact[];
  /** A commit and its ancestors, newest first, as far as they were read. */
  history: readonly CommitFact[];
  comparison: ComparisonFact;
  checks: readonly CheckFact[];
  pull: PullFact | null;
  reviews: readonly ReviewFact[];
  permission: PermissionFact;
  team: TeamMembersFact;
  run_jobs: RunJobsFact;
}
export type FactKind = keyof FactValues;

export interface FactKey<K extends FactKind = FactKind> {
  readonly kind: K;
  readonly key: string;
}

export interface Observation<K extends FactKind = FactKind> extends FactKey<K> {
  readonly value: FactValues[K];
  readonly observedAt: Date;
}

/**
 * Whether the observation holds all that the rules ask of its kind. Checks without a `conclusion` were stored by a version
 * of the service that took a skipped check for a success.
 */
export const isComplete = ({ kind, value }: Observation): boolean =>
  kind !== 'checks' || (value as FactValues['checks']).every((check) => 'conclusion' in check);

export const isOfJobs = <O extends Observation>(observation: O): observation is O & Observation<'run_jobs'> =>
  observation.kind === 'run_jobs';

const MINUTE = 60_000;

/** How long an observation may open anything, in milliseconds. What two SHAs say of each other never changes. */
export const FACT_LIFETIME_MS: Readonly<Record<FactKind, number>> = {
  policy: 20 * MINUTE,
  milestone: 20 * MINUTE,
  issues: 20 * MINUTE,
  pulls_of_issue: 20 * MINUTE,
  refs: 20 * MINUTE,
  history: Number.POSITIVE_INFINITY,
  comparison: Number.POSITIVE_INFINITY,
  checks: 20 * MINUTE,
  pull: 20 * MINUTE,
  reviews: 20 * MINUTE,
  permission: 5 * MINUTE,
  team: 5 * MINUTE,
  run_jobs: 20 * MINUTE,
};

export const factId = ({ kind, key }: FactKey): string => `${kind}:${key}`;

/** The key that `factId` wrote. */
export function parseFactId(id: string): FactKey {
  const colon = id.indexOf(':');
  return { kind: id.slice(0, colon) as FactKind, key: id.slice(colon + 1) };
}

/** When the observation stops counting, in milliseconds since the epoch; Infinity for facts that cannot change. */
export const factExpiresAt = (observation: Observation): number =>
  observation.observedAt.getTime() + FACT_LIFETIME_MS[observation.kind];
