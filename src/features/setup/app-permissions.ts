type Level = 'read' | 'write';

interface AppPermissions {
  readonly permissions: Readonly<Record<string, Level>>;
  readonly events: readonly string[];
}

/**
 * What the service uses of its GitHub App, and nothing more: the manifest asks for exactly this, the doctor holds the
 * app and its installations against it, and the guide for self-hosters tells it. By GitHub's own names.
 */
export const REQUIRED_APP_PERMISSIONS: AppPermissions = {
  permissions: {
    // Names and default branches of repositories.
    metadata: 'read',
    // The jobs of CI runs, which identity tokens name by their ids alone.
    actions: 'read',
    // Policies, branches and commits; the branch of the evidence pull request; the dispatch of an automatic promotion.
    contents: 'write',
    // The evidence pull request, its reviews, and the request for them.
    pull_requests: 'write',
    // Milestones, the issues in their scope, and the service's own about files that were tampered with.
    issues: 'write',
    // The checks of candidates; the service's own check at the heads of pull requests and merge groups.
    checks: 'write',
    statuses: 'read',
    deployments: 'read',
    // Who belongs to the organization and to its teams, and with which permission.
    members: 'read',
    // The workflow files that the service installs and keeps up to date.
    workflows: 'write',
    // The rulesets that protect branches.
    administration: 'write',
  },
  events: [
    'branch_protection_rule',
    'check_run',
    'check_suite',
    'create',
    'delete',
    'deployment_status',
    'issues',
    'label',
    'member',
    'membership',
    'merge_group',
    'milestone',
    'organization',
    'pull_request',
    'pull_request_review',
    'push',
    'release',
    'repository',
    'repository_ruleset',
    'status',
    'team',
    'workflow_job',
    'workflow_run',
  ],
};

/**
 * What an app of the minimal tier lacks: its people give a personal access token for what these are used for. GitHub lets
 * an app hear of branch protection only where it may read the administration.
 */
const FULL_TIER_ONLY: ReadonlySet<string> = new Set(['workflows', 'administration', 'branch_protection_rule']);

/**
 * What installations lack until their owners accept it: an earlier version did not ask for it, and they go on as before. GitHub
 * lets an app hear of jobs and runs only where it may read Actions.
 */
const ASKED_LATER: ReadonlySet<string> = new Set(['actions', 'label', 'workflow_job', 'workflow_run']);

/** Whether what is granted is as much as what is needed. */
const suffices = (granted: string | undefined, needed: Level): boolean =>
  granted === needed || granted === 'write' || granted === 'admin';

const lackingPermissions = (granted: Readonly<Record<string, string>>): readonly (readonly [string, Level])[] =>
  Object.entries(REQUIRED_APP_PERMISSIONS.permissions).filter(([name, level]) => !suffices(granted[name], level));

const named = ([name, level]: readonly [string, Level]): string => `${name}: ${level}`;

/** The permissions that every tier needs beyond those that are granted, as `contents: write`. */
export const missingPermissions = (granted: Readonly<Record<string, string>>): readonly string[] =>
  lackingPermissions(granted)
    .filter(([name]) => !FULL_TIER_ONLY.has(name) && !ASKED_LATER.has(name))
    .map(named);

/** The permissions that tell the minimal tier from the full one; none are missing in the full one. */
export const missingForFullTier = (granted: Readonly<Record<string, string>>): readonly string[] =>
  lackingPermissions(granted)
    .filter(([name]) => FULL_TIER_ONLY.has(name))
    .map(named);

export const missingEvents = (heard: readonly string[]): readonly string[] =>
  REQUIRED_APP_PERMISSIONS.events.filter(
    (event) => !heard.includes(event) && !FULL_TIER_ONLY.has(event) && !ASKED_LATER.has(event),
  );

/** The permission without which nobody tells the jobs of CI runs, and the events without which a change is learnt late. */
export function missingOfLate(
  granted: Readonly<Record<string, string>>,
  heard: readonly string[],
): { readonly permissions: readonly string[]; readonly events: readonly string[] } {
  return {
    permissions: lackingPermissions(granted)
      .filter(([name]) => ASKED_LATER.has(name))
      .map(named),
    events: REQUIRED_APP_PERMISSIONS.events.filter((event) => ASKED_LATER.has(event) && !heard.includes(event)),
  };
}
