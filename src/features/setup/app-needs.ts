type Level = 'read' | 'write';

interface AppNeeds {
  readonly permissions: Readonly<Record<string, Level>>;
  readonly events: readonly string[];
}

/**
 * What the service needs of its GitHub App, and nothing more: the manifest asks for exactly this, the doctor holds the
 * app and its installations against it, and the guide for self-hosters tells it. By GitHub's own names.
 */
export const APP_NEEDS: AppNeeds = {
  permissions: {
    // Names and default branches of repositories.
    metadata: 'read',
    // Policies, branches and commits; the branch of the evidence pull request; the dispatch of an automatic promotion.
    contents: 'write',
    // The evidence pull request, its reviews, and the request for them.
    pull_requests: 'write',
    // Milestones, and the issues in their scope.
    issues: 'read',
    // The checks of candidates; the service's own check at the heads of pull requests and merge groups.
    checks: 'write',
    statuses: 'read',
    deployments: 'read',
    // Who belongs to the organization and to its teams, and with which permission.
    members: 'read',
  },
  events: [
    'check_run',
    'check_suite',
    'create',
    'delete',
    'deployment_status',
    'issues',
    'member',
    'membership',
    'merge_group',
    'milestone',
    'organization',
    'pull_request',
    'pull_request_review',
    'push',
    'repository',
    'status',
    'team',
  ],
};

/** Whether what is granted is as much as what is needed. */
const suffices = (granted: string | undefined, needed: Level): boolean =>
  granted === needed || granted === 'write' || granted === 'admin';

/** The permissions that are needed beyond those that are granted, as `contents: write`. */
export const missingPermissions = (granted: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(APP_NEEDS.permissions)
    .filter(([name, level]) => !suffices(granted[name], level))
    .map(([name, level]) => `${name}: ${level}`);

export const missingEvents = (heard: readonly string[]): readonly string[] =>
  APP_NEEDS.events.filter((event) => !heard.includes(event));
