type Level = 'read' | 'write';

interface AppPermissions {
  readonly permissions: Readonly<Record<string, Level>>;
  readonly events: readonly string[];
}

/**
 * The permissions and events of the GitHub App, by GitHub's names. The manifest requests exactly these, except on a GitHub
 * Enterprise Server, the doctor compares the
 * app and its installations with them, and the guide for self-hosters lists them.
 */
export const REQUIRED_APP_PERMISSIONS: AppPermissions = {
  permissions: {
    // Names and default branches of repositories.
    metadata: 'read',
    // The jobs of CI runs. Identity tokens contain only their ids.
    actions: 'read',
    // Policies, branches and commits; the branch of the evidence pull request; the dispatch of an automatic promotion.
    contents: 'write',
    // The evidence pull request, its reviews, and the request for them.
    pull_requests: 'write',
    // Milestones, the issues of their scope, and the tampering issues of the service.
    issues: 'write',
    // The checks of candidates, and the merge check of the service.
    checks: 'write',
    statuses: 'read',
    // Deployments and their states; the verdict about deployments that wait for the protection rule.
    deployments: 'write',
    // The provenance bundles that GitHub holds.
    attestations: 'read',
    // The members of the organization and of its teams, and their permissions.
    members: 'read',
    // The managed workflow files.
    workflows: 'write',
    // Rulesets and branch protection.
    administration: 'write',
  },
  events: [
    'branch_protection_rule',
    'check_run',
    'check_suite',
    'create',
    'delete',
    'deployment_protection_rule',
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
 * The permissions and events that an app with minimal permissions lacks. Its users give a personal access token for these tasks.
 * GitHub sends events of branch protection only to an app that may read the administration.
 */
const FULL_PERMISSIONS_ONLY: ReadonlySet<string> = new Set(['workflows', 'administration', 'branch_protection_rule']);

/**
 * The permissions and events without which the service works and notices changes later, by its sync. GitHub sends events of jobs and
 * runs only to an app that may read Actions.
 */
const PROMPT_UPDATES_ONLY: ReadonlySet<string> = new Set(['actions', 'label', 'workflow_job', 'workflow_run']);

/**
 * The permission without which CI has to upload provenance bundles. A GitHub Enterprise Server has no attestations, and rejects a manifest
 * that names the permission.
 */
const ATTESTATIONS = 'attestations';

/** The level that suffices without the protection rule. Only the rule sends verdicts about deployments. */
const WITHOUT_PROTECTION_RULE: Readonly<Record<string, Level>> = { deployments: 'read' };
/** The event that only the protection rule requires. Installations lack it until their owners accept it, and work without it. */
const PROTECTION_RULE_EVENT = 'deployment_protection_rule';

/** Returns whether the granted level includes the required one. */
const isSufficient = (granted: string | undefined, needed: Level): boolean =>
  granted === needed || granted === 'write' || granted === 'admin';

const listMissing = (
  granted: Readonly<Record<string, string>>,
  needed: Readonly<Record<string, Level>> = { ...REQUIRED_APP_PERMISSIONS.permissions, ...WITHOUT_PROTECTION_RULE },
): readonly (readonly [string, Level])[] =>
  Object.entries(needed).filter(([name, level]) => !isSufficient(granted[name], level));

const formatPermission = ([name, level]: readonly [string, Level]): string => `${name}: ${level}`;

/** Returns the required permissions that are not granted, such as `contents: write`. */
export const missingPermissions = (granted: Readonly<Record<string, string>>): readonly string[] =>
  listMissing(granted)
    .filter(([name]) => !FULL_PERMISSIONS_ONLY.has(name) && !PROMPT_UPDATES_ONLY.has(name) && name !== ATTESTATIONS)
    .map(formatPermission);

/** Returns the optional permissions that are not granted. Empty for an app with full permissions. */
export const missingForFullPermissions = (granted: Readonly<Record<string, string>>): readonly string[] =>
  listMissing(granted)
    .filter(([name]) => FULL_PERMISSIONS_ONLY.has(name))
    .map(formatPermission);

export const missingEvents = (subscribed: readonly string[]): readonly string[] =>
  REQUIRED_APP_PERMISSIONS.events.filter(
    (event) =>
      !subscribed.includes(event) &&
      !FULL_PERMISSIONS_ONLY.has(event) &&
      !PROMPT_UPDATES_ONLY.has(event) &&
      event !== PROTECTION_RULE_EVENT,
  );

/** Returns the missing permissions and events without which the service works and notices changes later. */
export function missingForPromptUpdates(
  granted: Readonly<Record<string, string>>,
  subscribed: readonly string[],
): { readonly permissions: readonly string[]; readonly events: readonly string[] } {
  return {
    permissions: listMissing(granted)
      .filter(([name]) => PROMPT_UPDATES_ONLY.has(name))
      .map(formatPermission),
    events: REQUIRED_APP_PERMISSIONS.events.filter(
      (event) => PROMPT_UPDATES_ONLY.has(event) && !subscribed.includes(event),
    ),
  };
}

/** Returns the missing permissions without which the service does not find the bundles that GitHub holds. */
export const missingForAttestations = (granted: Readonly<Record<string, string>>): readonly string[] =>
  listMissing(granted, { [ATTESTATIONS]: 'read' }).map(formatPermission);

/** Returns the permissions that an app requests. */
export function requestedPermissions(githubApiUrl: string): Readonly<Record<string, Level>> {
  const { [ATTESTATIONS]: _, ...others } = REQUIRED_APP_PERMISSIONS.permissions;
  return isEnterpriseServer(githubApiUrl) ? others : REQUIRED_APP_PERMISSIONS.permissions;
}

/** Only the REST API of a GitHub Enterprise Server is below `/api/v3`. */
export const isEnterpriseServer = (githubApiUrl: string): boolean => githubApiUrl.endsWith('/api/v3');

/** Returns the missing permissions and events without which no deployment can be held by the protection rule. */
export function missingForProtectionRule(
  granted: Readonly<Record<string, string>>,
  subscribed: readonly string[],
): { readonly permissions: readonly string[]; readonly events: readonly string[] } {
  const { deployments = 'write' } = REQUIRED_APP_PERMISSIONS.permissions;
  return {
    permissions: listMissing(granted, { deployments }).map(formatPermission),
    events: subscribed.includes(PROTECTION_RULE_EVENT) ? [] : [PROTECTION_RULE_EVENT],
  };
}
