/**
 * Facts that were read from GitHub, with the time of the read. A verdict uses only these facts, the evidence, the
 * overrides and the stored record of the release.
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
  /** GitHub user ids. Null if the e-mail address of the commit belongs to no account. */
  readonly authorId: number | null;
  readonly committerId: number | null;
  /** The co-authors that the message names with a no-reply address. */
  readonly coAuthors: readonly CoAuthor[];
}

/** The difference between `base` and `head`. It never changes, because both are SHAs. */
export interface ComparisonFact {
  readonly status: 'identical' | 'ahead' | 'behind' | 'diverged';
  readonly mergeBaseSha: Sha;
  /** Files that differ between the merge base and head. */
  readonly files: readonly { readonly path: string; readonly blobSha: Sha | null }[];
  /** False if GitHub truncated the list. Then a path that is not in the list may still differ. */
  readonly filesComplete: boolean;
  /** Commits of head that are not in base. */
  readonly commits: readonly CommitFact[];
  readonly commitsComplete: boolean;
}

/** One check run, or the latest commit status of a context. A commit has every run of a name, also those that ran again. */
export interface CheckFact {
  /** GitHub's id of the check run or of the commit status. That of a job is the id of the job. */
  readonly id: number;
  readonly name: string;
  /** The slug of the app that reported the check. Null for a commit status. */
  readonly app: string | null;
  /** GitHub's id of the check suite. Null for a commit status, and if GitHub does not name it. */
  readonly suite: number | null;
  /** The id of the workflow run whose job it is. Null for every other check. */
  readonly workflowRun: number | null;
  /** The attempt of the job, if another run of its suite has its name. Else null, and if GitHub does not tell it. */
  readonly attempt: number | null;
  /** Whole seconds. Null for a commit status, and if GitHub does not tell it. */
  readonly startedAt: string | null;
  /** Whole seconds. Null while it runs, and for a commit status. */
  readonly completedAt: string | null;
  /** `skipped` is a check that finished without a result: GitHub's `skipped` and `neutral`. */
  readonly state: 'success' | 'failure' | 'pending' | 'skipped';
  /** GitHub's conclusion of the check run. Null while it runs, and for a commit status. */
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
  /** The head of the base branch at the time of the read. */
  readonly baseSha: Sha;
  readonly mergedAt: string | null;
  readonly mergeCommitSha: Sha | null;
}

export interface ReviewFact {
  readonly id: number;
  /** Null if the account no longer exists. */
  readonly userId: number | null;
  readonly login: string | null;
  readonly state: 'approved' | 'changes_requested' | 'commented' | 'dismissed';
  readonly commitSha: Sha | null;
  readonly submittedAt: string;
}

export interface PermissionFact {
  readonly userId: number | null;
  /** The base permission if the role is a custom one. GitHub reports triage as read there. */
  readonly level: 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin';
  /** Only of a custom role. */
  readonly isCustomRole?: true;
}

export interface TeamMembersFact {
  /** False if the team does not exist. */
  readonly exists: boolean;
  readonly userIds: readonly number[];
}

export interface DeploymentFact {
  readonly githubId: number;
  readonly sha: Sha;
  readonly environment: string;
  readonly creator: string | null;
  /** Whole seconds. */
  readonly createdAt: string;
  /** The start of the deployment: the end of its waiting time, else its creation. Whole seconds. */
  readonly beganAt: string;
  readonly state: 'success' | 'failure' | 'pending' | 'inactive';
  /** The deployment waits, for example for the reviewers of its environment. */
  readonly waiting: boolean;
  /** The time of its first success. */
  readonly succeededAt: string | null;
  /** The run that its statuses name; null if they name none. Any caller that may deploy can write them. */
  readonly runId: number | null;
}

/** A deployment of an environment that succeeded at least once. */
export interface EnvironmentDeploymentFact {
  readonly githubId: number;
  readonly sha: Sha;
  /** Each period begins with a status of success and ends with the next other status. Null while it lasts. Whole seconds. */
  readonly periods: readonly { readonly from: string; readonly to: string | null }[];
}

/** A job of a CI run. Every attempt has its own id. */
export interface RunJobFact {
  /** The id of the job. It is also the id of its check run. */
  readonly id: number;
  /** The full name with the values of its matrix, for example `test (2, node 24)`. */
  readonly name: string;
  readonly attempt: number;
  /** `failure` is every other end than success: failed, cancelled or timed out. A skipped job is `skipped`. */
  readonly state: 'running' | 'success' | 'skipped' | 'failure';
}

/** The jobs of all attempts of a CI run, by id. */
export interface RunJobsFact {
  /** False if the installation has no permission to read Actions. Then nothing is known about the jobs. */
  readonly granted: boolean;
  /** Empty if the run no longer exists on GitHub. */
  readonly jobs: readonly RunJobFact[];
  /** False if GitHub has more jobs than were read. */
  readonly complete: boolean;
  /** When the first job of the first attempt was created. Whole seconds. Missing if GitHub does not tell it of every job. */
  readonly beganAt?: string;
}

/**
 * The value type of each fact kind. Keys are exact: `refs` by prefix without `refs/heads/`, `history` and `checks` by
 * SHA, `comparison` by `base...head`, `pulls_of_issue` by issue number, `team` by slug, `permission` by login,
 * `run_jobs` by the decimal id of the run, `deployments` by the lower-case name of the environment.
 */
export interface FactValues {
  policy: PolicyState;
  milestone: MilestoneFact | null;
  issues: readonly IssueFact[];
  /** Whether a pull request refers to the issue. */
  pulls_of_issue: { readonly linked: boolean };
  refs: readonly RefFact[];
  /** A commit and those of its ancestors that were read, newest first. */
  history: readonly CommitFact[];
  comparison: ComparisonFact;
  checks: readonly CheckFact[];
  pull: PullFact | null;
  reviews: readonly ReviewFact[];
  permission: PermissionFact;
  team: TeamMembersFact;
  run_jobs: RunJobsFact;
  /** The newest deployments of the environment, newest first, without those that never succeeded. */
  deployments: readonly EnvironmentDeploymentFact[];
}
export type FactKind = keyof FactValues;

export interface FactKey<K extends FactKind = FactKind> {
  readonly kind: K;
  readonly key: string;
}

export interface Observation<K extends FactKind = FactKind> extends FactKey<K> {
  readonly value: FactValues[K];
  readonly observedAt: Date;
  /**
   * Since when the fact was known without a gap, in milliseconds since the epoch: each read began before the lifetime of the
   * one before it had ended. Only of deployments.
   */
  readonly knownSince?: number;
  /** Times of GitHub in the value, as moments of our clock. */
  readonly moments?: Readonly<Record<string, MomentRange>>;
}

/** A moment of our clock that is known only as a range, in milliseconds since the epoch. */
export type MomentRange = readonly [earliest: number, latest: number];

export const isOfCommits = <O extends Observation>(
  observation: O,
): observation is O & Observation<'history' | 'comparison'> =>
  observation.kind === 'history' || observation.kind === 'comparison';

export const isOfJobs = <O extends Observation>(observation: O): observation is O & Observation<'run_jobs'> =>
  observation.kind === 'run_jobs';

const MINUTE = 60_000;

/** The times of GitHub in a value that are compared with moments of our clock. */
export function listTimes({ kind, value }: Pick<Observation, 'kind' | 'value'>): readonly string[] {
  if (kind === 'run_jobs') return [(value as RunJobsFact).beganAt ?? []].flat();
  if (kind !== 'deployments') return [];
  return (value as FactValues['deployments']).flatMap(({ periods }) =>
    periods.flatMap(({ from, to }) => (to === null ? [from] : [from, to])),
  );
}

/** How long an observation is fresh, in milliseconds. The difference of two SHAs never changes. */
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
  deployments: 20 * MINUTE,
};

export const factId = ({ kind, key }: FactKey): string => `${kind}:${key}`;

/** Parses an id that `factId` built. */
export function parseFactId(id: string): FactKey {
  const colon = id.indexOf(':');
  return { kind: id.slice(0, colon) as FactKind, key: id.slice(colon + 1) };
}

/**
 * Returns the end of the observation's lifetime, in milliseconds since the epoch. Infinity for facts that cannot
 * change.
 */
export const factExpiresAt = (observation: Observation): number =>
  observation.observedAt.getTime() + FACT_LIFETIME_MS[observation.kind];
