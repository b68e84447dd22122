import { sha256 } from '../crypto/digests.js';
import type { OrgId } from '../database/ids.js';

/** How the jobs of one name are queued. A payload holds ids only, because jobs outlive what they speak of. */
interface JobDefinition<P> {
  /** Waiting jobs with the same key are one: the new one replaces the one that waits. */
  readonly key: (payload: P) => string;
  /** Jobs of one queue run one after the other. */
  readonly queue?: (payload: P) => QueueName;
  /** A job that replaces a waiting one runs when that was going to run. */
  readonly keepsRunAt?: true;
  /** How often the job is tried; 12 times unless it says otherwise. The pause before the next try grows exponentially. */
  readonly attempts?: number;
}

/** A kind of work, and what it is done on. */
interface QueueName {
  readonly kind: string;
  readonly of: string | number;
}

const job = <P>(definition: JobDefinition<P>): JobDefinition<P> => definition;

type OfWorkspace = { readonly orgId: OrgId };
type OfRepository = OfWorkspace & { readonly repositoryId: string };
type OfRelease = OfWorkspace & { readonly releaseId: string };

/** Of a workspace's releases so many are read at once at most, so that others' have workers left, however many it has. */
const LANES = 3;
/** Always the same one for a release: its jobs never wait for each other in two queues. */
const laneOf = (releaseId: string): number => Number.parseInt(sha256(releaseId).slice(0, 2), 16) % LANES;

/** Every job of the service, with its payload, key and queue. */
const JOBS = {
  /** Reads one delivery of the inbox and does what it hints at. The inbox queues it by repository, in bulk. */
  'process-webhook': job<{ readonly guid: string }>({ key: ({ guid }) => `webhook:${guid}` }),
  /** Looks for deliveries that GitHub made and that never came, and asks for them again. */
  'find-missed-deliveries': job<Record<string, never>>({
    key: () => 'find-missed-deliveries',
    // One search at a time: two would request the same deliveries.
    queue: () => ({ kind: 'find-missed-deliveries', of: '' }),
    attempts: 3,
  }),
  /** Asks for every installation to be read anew. */
  'sync-all': job<Record<string, never>>({ key: () => 'sync-all' }),
  /** Makes the workspaces of installations that are not known yet, and asks for these to be read. */
  'find-installations': job<Record<string, never>>({ key: () => 'find-installations' }),
  /**
   * Brings the releases of an installation's repositories in line with GitHub. A job for changes only never replaces one that reads
   * everything; they share a queue, because of two at once the older list of repositories might be stored last.
   */
  'sync-installation': job<{ readonly installationId: number; readonly changesOnly?: boolean }>({
    key: ({ installationId, changesOnly }) => `installation${changesOnly ? '-changes' : ''}:${installationId}`,
    queue: ({ installationId }) => ({ kind: 'installation', of: installationId }),
  }),
  /**
   * Brings one repository's releases in line with its milestones and reads every fact again. The repositories of an installation are read
   * one after the other: they share its budget of calls.
   */
  'sync-repository': job<OfRepository & { readonly installationId: number }>({
    key: ({ repositoryId }) => `sync:${repositoryId}`,
    queue: ({ installationId }) => ({ kind: 'sync', of: installationId }),
  }),
  /** Reads what a release's verdict lacks or holds too long, and evaluates the release. */
  'refresh-release': job<OfRelease & { readonly cause: string }>({
    key: ({ releaseId }) => `refresh:${releaseId}`,
    queue: ({ orgId, releaseId }) => ({ kind: 'refresh', of: `${orgId}:${laneOf(releaseId)}` }),
  }),
  /**
   * Does that for what a page of a list showed by facts that are too old. One job waits at a time in a workspace, of one page: the next
   * page that is looked at takes the place of a waiting one.
   */
  'refresh-shown': job<OfWorkspace & { readonly releaseIds: readonly string[] }>({
    key: ({ orgId }) => `refresh-shown:${orgId}`,
    queue: ({ orgId }) => ({ kind: 'refresh-shown', of: orgId }),
    keepsRunAt: true,
  }),
  /** Reads a fact of a repository again, named as `kind:key`, that may have changed while it was read. */
  'read-fact': job<OfRepository & { readonly fact: string; readonly cause: string }>({
    key: ({ repositoryId, fact }) => `read-fact:${repositoryId}:${fact}`,
  }),
  /**
   * Compares the tests of releases by name, with those of the releases that were shipped before them. One job waits at a time in a
   * workspace, of one page.
   */
  'compare-tests': job<OfWorkspace & { readonly releaseIds: readonly string[] }>({
    key: ({ orgId }) => `compare-tests:${orgId}`,
    queue: ({ orgId }) => ({ kind: 'compare-tests', of: orgId }),
  }),
  /**
   * Reads anew what a release's verdict rests on, whatever its age. One after the other for a workspace: nobody keeps GitHub busy by
   * asking for all releases at once. A renewal waits until shortly before the verdict expires, beside a job that somebody asked for.
   */
  'read-release': job<OfRelease & { readonly isRenewal?: true }>({
    key: ({ releaseId, isRenewal }) => `${isRenewal ? 'renew' : 'read-release'}:${releaseId}`,
    queue: ({ orgId }) => ({ kind: 'read-release', of: orgId }),
  }),
  /** Has the policy of each repository read again, because there is another default, or it may be read no more. */
  'doubt-policies': job<OfWorkspace>({ key: ({ orgId }) => `doubt-policies:${orgId}` }),
  /** Reads what tells a user, by their id on GitHub, whether they may review releases. One job waits at a time for a user. */
  'refresh-reviews': job<OfWorkspace & { readonly person: number; readonly releaseIds: readonly string[] }>({
    key: ({ orgId, person }) => `refresh-reviews:${orgId}:${person}`,
    queue: ({ orgId }) => ({ kind: 'refresh-shown', of: orgId }),
    keepsRunAt: true,
  }),
  /** Evaluates the releases of a workspace whose gates a freeze of it concerns. */
  'judge-workspace': job<OfWorkspace & { readonly cause: string }>({ key: ({ orgId }) => `judge-workspace:${orgId}` }),
  /**
   * Opens or rewrites the evidence pull request of a release. One after the other: two at once would rewrite the branch under each
   * other, and void what was approved.
   */
  'refresh-evidence-pull': job<OfRelease>({
    key: ({ releaseId }) => `evidence-pull:${releaseId}`,
    queue: ({ releaseId }) => ({ kind: 'evidence-pull', of: releaseId }),
    keepsRunAt: true,
  }),
  /** Reads one deployment from GitHub and records what it shipped. */
  'record-deployment': job<OfRepository & { readonly deploymentId: number }>({
    key: ({ repositoryId, deploymentId }) => `deployment:${repositoryId}:${deploymentId}`,
  }),
  /** Looks for deployments that no delivery told of. */
  'look-for-deployments': job<OfRepository>({ key: ({ repositoryId }) => `look-for-deployments:${repositoryId}` }),
  /** Tells a repository's workflows that a release may be deployed. One after the other: what one broke off, the next one finds. */
  'dispatch-deploy': job<OfRelease>({
    key: ({ releaseId }) => `dispatch:${releaseId}`,
    queue: ({ releaseId }) => ({ kind: 'promotion', of: releaseId }),
  }),
  /**
   * Publishes the service's check at a commit that somebody proposes to merge; the branch is that of a merge group. One after the other:
   * two at once would each find no check and create one.
   */
  'check-head': job<
    OfRepository & {
      readonly headSha: string;
      readonly mergeGroup: { readonly branch: string; readonly baseSha: string } | null;
    }
  >({
    key: ({ repositoryId, headSha }) => `check-head:${repositoryId}:${headSha}`,
    queue: ({ repositoryId }) => ({ kind: 'enforcement', of: repositoryId }),
  }),
  /** Asks for the check at the head of every open pull request. */
  'check-open-heads': job<OfRepository>({ key: ({ repositoryId }) => `check-open-heads:${repositoryId}` }),
  /** Goes on with a bootstrap of a repository: opens its pull request, or does what follows once that is merged or closed. */
  'pursue-bootstrap': job<OfRepository>({
    key: ({ repositoryId }) => `pursue-bootstrap:${repositoryId}`,
    queue: ({ repositoryId }) => ({ kind: 'onboarding', of: repositoryId }),
  }),
  /** Looks at the workflow files that were installed, on the branches that moved since the last look. */
  'watch-workflows': job<OfRepository>({
    key: ({ repositoryId }) => `watch-workflows:${repositoryId}`,
    queue: ({ repositoryId }) => ({ kind: 'integrity', of: repositoryId }),
  }),
  /**
   * Brings the issues that tell of changed workflow files in line with what is known of them. One after the other: two at once would each
   * find no issue and open one.
   */
  'tell-of-tampering': job<OfRepository>({
    key: ({ repositoryId }) => `tell-of-tampering:${repositoryId}`,
    queue: ({ repositoryId }) => ({ kind: 'integrity', of: repositoryId }),
  }),
  /**
   * Has GitHub hold the branches of a repository to its policy, where somebody asked for that. One after the other with its check, which
   * must not report what another job is just writing.
   */
  'protect-repository': job<OfRepository>({
    key: ({ repositoryId }) => `protect:${repositoryId}`,
    queue: ({ repositoryId }) => ({ kind: 'protection', of: repositoryId }),
  }),
  /** Looks whether it still does. */
  'check-protection': job<OfRepository>({
    key: ({ repositoryId }) => `check-protection:${repositoryId}`,
    queue: ({ repositoryId }) => ({ kind: 'protection', of: repositoryId }),
  }),
  /** Finds out whether the pull request that updates a repository's workflow files was merged or closed. */
  'settle-workflow-update': job<OfRepository>({
    key: ({ repositoryId }) => `settle-workflow-update:${repositoryId}`,
    queue: ({ repositoryId }) => ({ kind: 'workflow-update', of: repositoryId }),
  }),
  /** Asks for the members of every workspace to be renewed. */
  'renew-all-members': job<Record<string, never>>({ key: () => 'renew-all-members' }),
  /** Asks GitHub who of a workspace's members still belongs to its organization, and what they may read. */
  'renew-members': job<OfWorkspace>({ key: ({ orgId }) => `members:${orgId}` }),
  /** Lets people into a workspace who were signed in before it became known. */
  'admit-signed-in': job<OfWorkspace>({ key: ({ orgId }) => `admit-signed-in:${orgId}` }),
  /** Wipes people's tokens for GitHub that have had their hour. */
  'wipe-host-tokens': job<Record<string, never>>({ key: () => 'wipe-host-tokens' }),
  /** Forgets what is kept for a while only. */
  upkeep: job<Record<string, never>>({ key: () => 'upkeep' }),
} as const;

export type JobName = keyof typeof JOBS;
export type JobPayload<N extends JobName> = (typeof JOBS)[N] extends JobDefinition<infer P> ? P : never;

export interface JobOptions {
  /** How long to wait before it runs, by the database's clock. */
  readonly delaySeconds?: number;
  /** Whether a waiting job with the same key keeps the time at which it was going to run. */
  readonly keepsRunAt?: boolean;
}

/** Attempts of a job: the pause before the last one is about a day. */
export const ATTEMPTS = 12;

/** The key, the queue and the attempts of a job. */
export function placeOf<N extends JobName>(
  name: N,
  payload: JobPayload<N>,
): {
  readonly key: string;
  readonly queue: QueueName | null;
  readonly keepsRunAt: boolean;
  readonly attempts: number;
} {
  const { key, queue, keepsRunAt = false, attempts = ATTEMPTS } = JOBS[name] as JobDefinition<JobPayload<N>>;
  return { key: key(payload), queue: queue?.(payload) ?? null, keepsRunAt, attempts };
}

/**
 * How many queues there are of a kind. The library locks each queue that is free whenever it looks for a job, so a queue
 * for each repository would make every job as slow as there are repositories.
 */
const QUEUES_OF_A_KIND = 16;

/** Jobs that name the same queue share one; so do, by chance, some that name another of its kind. */
export const queueName = ({ kind, of }: QueueName): string =>
  `${kind}-${Number.parseInt(sha256(String(of)).slice(0, 8), 16) % QUEUES_OF_A_KIND}`;
