import type { OrgId } from '../database/ids.js';
/** Every job of the service with what it is told: ids only, because jobs outlive what they speak of. */
export interface JobPayloads {
  /** Reads one delivery of the inbox and does what it hints at. */
  'process-webhook': { readonly guid: string };
  /** Looks for deliveries that the host made and that never came, and asks for them again. */
  'find-missed-deliveries': Record<string, never>;
  /** Asks for every installation to be read anew. */
  'sync-all': Record<string, never>;
  /** Makes the workspaces of installations that are not known yet, and asks for these to be read. */
  'find-installations': Record<string, never>;
  /** Brings the releases of an installation's repositories in line with the host. */
  'sync-installation': { readonly installationId: number; readonly changesOnly?: boolean };
  /** Brings one repository's releases in line with its milestones and reads every fact again. */
  'sync-repository': { readonly orgId: OrgId; readonly repositoryId: string };
  /** Reads what a release's verdict lacks or holds too long, and thinks the verdict over. */
  'refresh-release': { readonly orgId: OrgId; readonly releaseId: string; readonly cause: string };
  /** Does that for what a page of a list showed by facts that are too old. */
  'refresh-shown': { readonly orgId: OrgId; readonly releaseIds: readonly string[] };
  /** Reads a fact of a repository again, named as `kind:key`, that may have changed while it was read. */
  'read-fact': {
    readonly orgId: OrgId;
    readonly repositoryId: string;
    readonly fact: string;
    readonly cause: string;
  };
  /** Compares the tests of releases by name, with those of the releases that were shipped before them. */
  'compare-tests': { readonly orgId: OrgId; readonly releaseIds: readonly string[] };
  /** Reads anew what a release's verdict rests on, whatever its age. */
  'read-release': { readonly orgId: OrgId; readonly releaseId: string };
  /** Has the policy of each repository read again, because there is another default, or it may be read no more. */
  'doubt-policies': { readonly orgId: OrgId };
  /** Reads what tells a person, by their id on the host, whether they may review releases. */
  'refresh-reviews': { readonly orgId: OrgId; readonly person: number; readonly releaseIds: readonly string[] };
  /** Has the releases of a workspace thought over whose gates a freeze of it concerns. */
  'judge-workspace': { readonly orgId: OrgId; readonly cause: string };
  /** Opens or rewrites the evidence pull request of a release. */
  'refresh-evidence-pull': { readonly orgId: OrgId; readonly releaseId: string };
  /** Reads one deployment from the host and records what it shipped. */
  'record-deployment': { readonly orgId: OrgId; readonly repositoryId: string; readonly deploymentId: number };
  /** Looks for deployments that no delivery told of. */
  'look-for-deployments': { readonly orgId: OrgId; readonly repositoryId: string };
  /** Tells a repository's workflows that a release may be deployed. */
  'dispatch-deploy': { readonly orgId: OrgId; readonly releaseId: string };
  /** Publishes the service's check at a commit that somebody proposes to merge; the branch is that of a merge group. */
  'check-head': {
    readonly orgId: OrgId;
    readonly repositoryId: string;
    readonly headSha: string;
    readonly mergeGroup: { readonly branch: string; readonly baseSha: string } | null;
  };
  /** Asks for the check at the head of every open pull request. */
  'check-open-heads': { readonly orgId: OrgId; readonly repositoryId: string };
  /** Goes on with a bootstrap of a repository: opens its pull request, or does what follows once that is merged or closed. */
  'pursue-bootstrap': { readonly orgId: OrgId; readonly repositoryId: string };
  /** Looks at the workflow files that were installed, on the branches that moved since the last look. */
  'watch-workflows': { readonly orgId: OrgId; readonly repositoryId: string };
  /** Brings the issues that tell of changed workflow files in line with what is known of them. */
  'tell-of-tampering': { readonly orgId: OrgId; readonly repositoryId: string };
  /** Has GitHub hold the branches of a repository to its policy, where somebody asked for that. */
  'protect-repository': { readonly orgId: OrgId; readonly repositoryId: string };
  /** Looks whether it still does. */
  'check-protection': { readonly orgId: OrgId; readonly repositoryId: string };
  /** Finds out whether the pull request that updates a repository's workflow files was merged or closed. */
  'settle-workflow-update': { readonly orgId: OrgId; readonly repositoryId: string };
  /** Asks for the members of every workspace to be renewed. */
  'renew-all-members': Record<string, never>;
  /** Asks the host who of a workspace's members still belongs to its organization, and what they may read. */
  'renew-members': { readonly orgId: OrgId };
  /** Lets people into a workspace who were signed in before it became known. */
  'admit-signed-in': { readonly orgId: OrgId };
  /** Wipes people's tokens for the code host that have had their hour. */
  'wipe-host-tokens': Record<string, never>;
  /** Forgets what is kept for a while only. */
  upkeep: Record<string, never>;
}
export type JobName = keyof JobPayloads;

/** What jobs have to be done one after the other for: a kind of work, and what it is done on. */
export interface QueueName {
  readonly kind:
    | 'webhooks'
    | 'installation'
    | 'sync'
    | 'evidence-pull'
    | 'enforcement'
    | 'protection'
    | 'workflow-update'
    | 'onboarding'
    | 'promotion'
    | 'integrity'
    | 'refresh'
    | 'read-release'
    | 'refresh-shown'
    | 'compare-tests';
  readonly of: string;
}

export interface JobOptions {
  /** Jobs with the same key are one job: a waiting one is replaced. */
  readonly key?: string;
  /** Jobs of one queue run one after the other. */
  readonly queue?: QueueName;
  /** How long to wait before it runs, by the database's clock. */
  readonly delaySeconds?: number;
  /** Whether a waiting job with the same key keeps the time at which it was going to run. */
  readonly keepDelay?: boolean;
}
