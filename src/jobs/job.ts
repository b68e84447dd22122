import { sha256 } from '../crypto/digests.js';
import type { OrgId } from '../database/ids.js';

/** How the jobs of one name are queued. A payload contains only ids, because rows may change or disappear before the job runs. */
interface JobDefinition<P> {
  /** Waiting jobs with the same key are one job: a new one replaces the waiting one. */
  readonly key: (payload: P) => string;
  /** Jobs of one queue run one after the other. */
  readonly queue?: (payload: P) => QueueName;
  /** A job that replaces a waiting one runs at the time of the waiting one. */
  readonly preservesRunAt?: true;
  /** The maximum number of attempts, 12 by default. The pause before the next attempt grows exponentially. */
  readonly attempts?: number;
}

/** A kind of work and its subject. */
interface QueueName {
  readonly kind: string;
  readonly of: string | number;
}

const job = <P>(definition: JobDefinition<P>): JobDefinition<P> => definition;

type OfWorkspace = { readonly orgId: OrgId };
type OfRepository = OfWorkspace & { readonly repositoryId: string };
type OfRelease = OfWorkspace & { readonly releaseId: string };

/** The number of releases of one workspace that are refreshed concurrently, so that other workspaces have free workers. */
const LANES = 3;
/** A release has one lane, so its jobs never wait for each other in two queues. */
const toLane = (releaseId: string): number => Number.parseInt(sha256(releaseId).slice(0, 2), 16) % LANES;

/** Every job of the service, with its payload, key and queue. */
const JOBS = {
  /** Processes one delivery of the inbox. The inbox enqueues these jobs in bulk, with a queue for each repository. */
  'process-webhook': job<{ readonly guid: string }>({ key: ({ guid }) => `webhook:${guid}` }),
  /** Finds deliveries that GitHub sent and the inbox does not contain, and requests their redelivery. */
  'find-missed-deliveries': job<Record<string, never>>({
    key: () => 'find-missed-deliveries',
    // One search at a time, because two would request the same deliveries.
    queue: () => ({ kind: 'find-missed-deliveries', of: '' }),
    attempts: 3,
  }),
  /** Enqueues a sync of every installation. */
  'sync-all-installations': job<Record<string, never>>({ key: () => 'sync-all-installations' }),
  /** Creates the workspaces of new installations and enqueues their sync. */
  'find-installations': job<Record<string, never>>({ key: () => 'find-installations' }),
  /**
   * Reconciles the releases of an installation's repositories with GitHub. A job for changes only never replaces a job that reads
   * everything. Both share a queue, because two concurrent jobs could save the older list of repositories last.
   */
  'sync-installation': job<{ readonly installationId: number; readonly changesOnly?: boolean }>({
    key: ({ installationId, changesOnly }) => `installation${changesOnly ? '-changes' : ''}:${installationId}`,
    queue: ({ installationId }) => ({ kind: 'installation', of: installationId }),
  }),
  /**
   * Reconciles the releases of one repository with its milestones and reads every fact again. The repositories of an installation
   * are read one after the other, because they share its rate limit.
   */
  'sync-repository': job<OfRepository & { readonly installationId: number }>({
    key: ({ repositoryId }) => `sync:${repositoryId}`,
    queue: ({ installationId }) => ({ kind: 'sync', of: installationId }),
  }),
  /** Reads the missing and stale facts of a release and evaluates it. */
  'refresh-release': job<OfRelease & { readonly cause: string }>({
    key: ({ releaseId }) => `refresh:${releaseId}`,
    queue: ({ orgId, releaseId }) => ({ kind: 'refresh', of: `${orgId}:${toLane(releaseId)}` }),
  }),
  /**
   * Reads the deployments to the environments of a release in which its candidate soaks, and evaluates it. A release has one such job:
   * at the end of the soak, or before the deployments would no longer be known without a gap.
   */
  'continue-soak': job<OfRelease>({
    key: ({ releaseId }) => `continue-soak:${releaseId}`,
    queue: ({ orgId, releaseId }) => ({ kind: 'refresh', of: `${orgId}:${toLane(releaseId)}` }),
  }),
  /**
   * Refreshes the releases of one page of a list that have stale facts. One job waits at a time in a workspace: the next requested
   * page replaces it.
   */
  'refresh-listed-releases': job<OfWorkspace & { readonly releaseIds: readonly string[] }>({
    key: ({ orgId }) => `refresh-listed-releases:${orgId}`,
    queue: ({ orgId }) => ({ kind: 'background', of: orgId }),
    preservesRunAt: true,
  }),
  /** Reads a fact of a repository again, named as `kind:key`, that may have changed while it was read. */
  'read-fact': job<OfRepository & { readonly fact: string; readonly cause: string }>({
    key: ({ repositoryId, fact }) => `read-fact:${repositoryId}:${fact}`,
  }),
  /**
   * Compares the tests of releases by name with those of their predecessors. One job waits at a time in a workspace, for one page.
   */
  'compare-tests': job<OfWorkspace & { readonly releaseIds: readonly string[] }>({
    key: ({ orgId }) => `compare-tests:${orgId}`,
    queue: ({ orgId }) => ({ kind: 'compare-tests', of: orgId }),
  }),
  /** Verifies the provenance bundles of an artifact that were not verified yet. */
  'verify-artifact': job<OfWorkspace & { readonly artifactId: string }>({
    key: ({ artifactId }) => `verify-artifact:${artifactId}`,
    // A verification blocks the process for up to 0.3 s, so a workspace has one at a time.
    queue: ({ orgId }) => ({ kind: 'verify-artifact', of: orgId }),
  }),
  /** Looks for the bundles that GitHub holds of the digest of an artifact. `round` counts the searches that found nothing. */
  'find-attestations': job<OfWorkspace & { readonly artifactId: string; readonly round?: number }>({
    key: ({ artifactId }) => `find-attestations:${artifactId}`,
    // The calls to GitHub of a workspace wait for each other anyway.
    queue: ({ orgId }) => ({ kind: 'find-attestations', of: orgId }),
  }),
  /** Unites the coverage of the uploads of each run that a verdict of the release lacks. */
  'unite-coverage': job<OfRelease>({
    key: ({ releaseId }) => `unite-coverage:${releaseId}`,
    queue: ({ releaseId }) => ({ kind: 'unite-coverage', of: releaseId }),
    preservesRunAt: true,
  }),
  /**
   * Reads every fact of a release's verdict again at any age. A workspace runs one such job at a time, so that requests for all its
   * releases do not use up the rate limit. A renewal waits until shortly before the verdict expires and does not replace a requested job.
   */
  'force-refresh-release': job<OfRelease & { readonly isRenewal?: true }>({
    key: ({ releaseId, isRenewal }) => `${isRenewal ? 'renew' : 'force-refresh-release'}:${releaseId}`,
    queue: ({ orgId }) => ({ kind: 'force-refresh-release', of: orgId }),
  }),
  /** Invalidates the policy of every repository, because the organization default changed or cannot be read any more. */
  'invalidate-policies': job<OfWorkspace>({ key: ({ orgId }) => `invalidate-policies:${orgId}` }),
  /** Compares the organization default with the one that was recorded last, and records a change. */
  'record-policy-default': job<OfWorkspace>({
    key: ({ orgId }) => `record-policy-default:${orgId}`,
    // One comparison at a time, because two would record the same change.
    queue: ({ orgId }) => ({ kind: 'record-policy-default', of: orgId }),
  }),
  /** Reads whether the user with this GitHub id may review the releases. One job waits at a time for a user. */
  'refresh-review-eligibility': job<OfWorkspace & { readonly userId: number; readonly releaseIds: readonly string[] }>({
    key: ({ orgId, userId }) => `refresh-review-eligibility:${orgId}:${userId}`,
    queue: ({ orgId }) => ({ kind: 'background', of: orgId }),
    preservesRunAt: true,
  }),
  /** Evaluates the releases of a workspace whose gates depend on its freezes. */
  'reevaluate-workspace': job<OfWorkspace & { readonly cause: string }>({
    key: ({ orgId }) => `reevaluate-workspace:${orgId}`,
  }),
  /**
   * Opens or rewrites the evidence pull request of a release. Two concurrent jobs would overwrite each other's branch, which
   * dismisses approvals.
   */
  'update-evidence-pull': job<OfRelease>({
    key: ({ releaseId }) => `evidence-pull:${releaseId}`,
    queue: ({ releaseId }) => ({ kind: 'evidence-pull', of: releaseId }),
    preservesRunAt: true,
  }),
  /** Reads one deployment from GitHub and records which release it shipped. */
  'record-deployment': job<OfRepository & { readonly deploymentId: number }>({
    key: ({ repositoryId, deploymentId }) => `deployment:${repositoryId}:${deploymentId}`,
  }),
  /** Classifies a reported deployment that succeeded, and ships its release. */
  'record-reported-deployment': job<OfRepository & { readonly deploymentId: string }>({
    key: ({ deploymentId }) => `reported-deployment:${deploymentId}`,
  }),
  /** Ends a reported deployment whose end was not reported in time. */
  'end-reported-deployment': job<OfRepository & { readonly deploymentId: string }>({
    key: ({ deploymentId }) => `end-reported-deployment:${deploymentId}`,
  }),
  /** Reads the deployments of a repository, in case a delivery was missed. */
  'reconcile-deployments': job<OfRepository>({ key: ({ repositoryId }) => `reconcile-deployments:${repositoryId}` }),
  /**
   * Decides about a deployment that waits for the protection rule. A later check has its own key, because it must not delay a
   * requested one. Both share a queue, because GitHub accepts one verdict.
   */
  'answer-hold': job<OfRepository & { readonly holdId: string; readonly isLater?: true }>({
    key: ({ holdId, isLater }) => `${isLater ? 'check-hold' : 'answer-hold'}:${holdId}`,
    queue: ({ holdId }) => ({ kind: 'hold', of: holdId }),
  }),
  /** Dispatches the deploy workflow of a release. Its jobs run one at a time, so that each finds the result of an interrupted one. */
  'dispatch-deployment': job<OfRelease>({
    key: ({ releaseId }) => `dispatch:${releaseId}`,
    queue: ({ releaseId }) => ({ kind: 'promotion', of: releaseId }),
  }),
  /**
   * Publishes the check run of the service at the head of a pull request or of a merge group, whose branch is in the payload. Two
   * concurrent jobs would both find no check run and create one.
   */
  'run-merge-check': job<
    OfRepository & {
      readonly headSha: string;
      readonly mergeGroup: { readonly branch: string; readonly baseSha: string } | null;
    }
  >({
    key: ({ repositoryId, headSha }) => `run-merge-check:${repositoryId}:${headSha}`,
    queue: ({ repositoryId }) => ({ kind: 'enforcement', of: repositoryId }),
  }),
  /** Enqueues the merge check at the head of every open pull request. */
  'enqueue-merge-checks': job<OfRepository>({ key: ({ repositoryId }) => `enqueue-merge-checks:${repositoryId}` }),
  /** Continues the bootstrap of a repository: opens its pull request, or reacts to its merge or close. */
  'continue-bootstrap': job<OfRepository>({
    key: ({ repositoryId }) => `continue-bootstrap:${repositoryId}`,
    queue: ({ repositoryId }) => ({ kind: 'onboarding', of: repositoryId }),
  }),
  /** Checks the managed workflow files on the branches that changed since the last check. */
  'check-workflow-files': job<OfRepository>({
    key: ({ repositoryId }) => `check-workflow-files:${repositoryId}`,
    queue: ({ repositoryId }) => ({ kind: 'integrity', of: repositoryId }),
  }),
  /**
   * Updates the issues about changed workflow files on GitHub. Two concurrent jobs would both find no issue and open one.
   */
  'update-tampering-issues': job<OfRepository>({
    key: ({ repositoryId }) => `update-tampering-issues:${repositoryId}`,
    queue: ({ repositoryId }) => ({ kind: 'integrity', of: repositoryId }),
  }),
  /**
   * Configures the rulesets of a repository on GitHub after an admin requested it. It shares a queue with their check, which must
   * not report a half-written state.
   */
  'apply-rulesets': job<OfRepository>({
    key: ({ repositoryId }) => `apply-rulesets:${repositoryId}`,
    queue: ({ repositoryId }) => ({ kind: 'protection', of: repositoryId }),
  }),
  /** Checks whether the rulesets on GitHub still hold the branches to the policy. */
  'check-rulesets': job<OfRepository>({
    key: ({ repositoryId }) => `check-rulesets:${repositoryId}`,
    queue: ({ repositoryId }) => ({ kind: 'protection', of: repositoryId }),
  }),
  /** Checks whether the environment that a repository deploys to still has the protection rule. */
  'check-protection-rule': job<OfRepository>({ key: ({ repositoryId }) => `check-protection-rule:${repositoryId}` }),
  /** Checks whether the pull request that updates a repository's workflow files was merged or closed. */
  'complete-workflow-update': job<OfRepository>({
    key: ({ repositoryId }) => `complete-workflow-update:${repositoryId}`,
    queue: ({ repositoryId }) => ({ kind: 'workflow-update', of: repositoryId }),
  }),
  /** Enqueues a refresh of the members of every workspace. */
  'refresh-all-members': job<Record<string, never>>({ key: () => 'refresh-all-members' }),
  /** Reads from GitHub which members of a workspace still belong to its organization, and which repositories they can read. */
  'refresh-members': job<OfWorkspace>({ key: ({ orgId }) => `members:${orgId}` }),
  /** Adds the users to a workspace who signed in before it existed. */
  'add-signed-in-users': job<OfWorkspace>({ key: ({ orgId }) => `add-signed-in-users:${orgId}` }),
  /** Deletes repository tokens one hour after they were given. */
  'delete-expired-repository-tokens': job<Record<string, never>>({ key: () => 'delete-expired-repository-tokens' }),
  /** Deletes rows whose retention ended and compacts the count tables. */
  'delete-expired-data': job<Record<string, never>>({ key: () => 'delete-expired-data' }),
} as const;

export type JobName = keyof typeof JOBS;
export const JOB_NAMES = Object.keys(JOBS) as readonly JobName[];
export type JobPayload<N extends JobName> = (typeof JOBS)[N] extends JobDefinition<infer P> ? P : never;

export interface JobOptions {
  /** The delay before the job runs, by the clock of the database. */
  readonly delaySeconds?: number;
  /** Whether a job that replaces a waiting one runs at the time of the waiting one. */
  readonly preservesRunAt?: boolean;
}

/** The attempts of a job. The pause before the last one is about a day. */
export const ATTEMPTS = 12;

/** Returns the key, the queue and the attempts of a job. */
export function toJobPlacement<N extends JobName>(
  name: N,
  payload: JobPayload<N>,
): {
  readonly key: string;
  readonly queue: QueueName | null;
  readonly preservesRunAt: boolean;
  readonly attempts: number;
} {
  const { key, queue, preservesRunAt = false, attempts = ATTEMPTS } = JOBS[name] as JobDefinition<JobPayload<N>>;
  return { key: key(payload), queue: queue?.(payload) ?? null, preservesRunAt, attempts };
}

/**
 * The number of queues of a kind. The library locks every free queue when it takes a job, so with a queue for each repository
 * every job would become slower with the number of repositories.
 */
const QUEUES_OF_A_KIND = 16;

/** Returns the queue of a kind and subject. Different subjects of a kind share a queue by chance. */
export const queueName = ({ kind, of }: QueueName): string =>
  `${kind}-${Number.parseInt(sha256(String(of)).slice(0, 8), 16) % QUEUES_OF_A_KIND}`;
