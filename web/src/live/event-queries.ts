import type { QueryKey } from '@tanstack/react-query';

/** An event of the service. It names what changed; the queries load the new values. */
export interface LiveEvent {
  /** The position among the events of the workspace. */
  readonly id: string;
  readonly type: string;
  readonly milestoneId?: string;
  readonly what?: string;
}

/** The events that the dashboard uses. `workspace.updated` has one row for each part that it names. */
const EVENTS = [
  'release.updated',
  'review.updated',
  'evidence.received',
  'deployment.updated',
  'artifact.updated',
  'repo.updated',
  'workspace.updated members',
  'workspace.updated keys',
  'workspace.updated plan',
  'workspace.updated freezes',
  'workspace.updated projects',
  'sync.started',
  'sync.progress',
  'sync.failed',
  'sync.completed',
] as const;

type EventName = (typeof EVENTS)[number];

/** A sync may have changed everything. */
const CHANGES_ALL: EventName = 'sync.completed';

/** What changes the state of a release, as each list of releases shows it. Freezes and the limit of the plan close gates, too. */
const RELEASE: readonly EventName[] = [
  'release.updated',
  'review.updated',
  'evidence.received',
  'artifact.updated',
  'repo.updated',
  'workspace.updated freezes',
  'workspace.updated plan',
];

/**
 * Each query by the first part of its key, with the events after which its answer is another one. `sync.completed` is one for every
 * query.
 */
export const CHANGED_BY: Readonly<Record<string, readonly EventName[]>> = {
  releases: RELEASE,
  search: ['release.updated', 'repo.updated', 'workspace.updated members', 'workspace.updated projects'],
  release: [...RELEASE, 'deployment.updated'],
  environments: ['release.updated', 'deployment.updated', 'repo.updated'],
  reviews: RELEASE,
  repository: RELEASE,
  projects: [...RELEASE, 'workspace.updated projects'],
  quality: ['release.updated', 'evidence.received', 'repo.updated'],
  history: ['release.updated', 'deployment.updated'],
  // A release that ships, a deployment, and another policy change what is approved.
  running: ['release.updated', 'deployment.updated', 'artifact.updated', 'repo.updated'],
  overrides: ['release.updated'],
  repositories: ['repo.updated', 'workspace.updated plan'],
  warnings: ['repo.updated', 'workspace.updated plan'],
  'workflow-update': ['repo.updated'],
  billing: ['repo.updated', 'workspace.updated plan'],
  platform: ['workspace.updated plan'],
  freezes: ['workspace.updated freezes'],
  me: ['workspace.updated members'],
  workspaces: ['workspace.updated members'],
  team: ['workspace.updated members'],
  // The keys of a member end with the membership.
  keys: ['workspace.updated keys', 'workspace.updated members'],
  sync: ['sync.started', 'sync.progress', 'sync.failed', 'repo.updated'],
  audit: [
    'release.updated',
    'review.updated',
    'deployment.updated',
    'artifact.updated',
    'repo.updated',
    'workspace.updated members',
    'workspace.updated keys',
    'workspace.updated plan',
    'workspace.updated freezes',
    'workspace.updated projects',
  ],
  // No event announces its values: the load of the service, and budgets of GitHub.
  diagnostics: [],
  // These change only with a restart, or never.
  config: [],
  decision: [],
  report: [],
  // Outside of a workspace.
  invite: [],
  // Results of a search on GitHub. Each opening of the list reads them again.
  'scope-candidates': [],
  'scope-assignees': [],
};

/** The types of all events that the dashboard uses. */
export const EVENT_TYPES: readonly string[] = [...new Set(EVENTS.map((name) => name.split(' ', 1)[0] ?? name))];

/**
 * Returns the keys of the queries that the event makes outdated. Of the releases it may concern a single one. A deployment changes what
 * other releases find in the environment.
 */
export function toQueries({ type, what, milestoneId }: Omit<LiveEvent, 'id'>): readonly QueryKey[] {
  const name = what === undefined ? type : `${type} ${what}`;
  if (name === CHANGES_ALL) return [[]];
  return Object.entries(CHANGED_BY)
    .filter(([, events]) => events.some((event) => event === name))
    .map(([noun]) =>
      noun === 'release' && milestoneId !== undefined && name !== 'deployment.updated' ? [noun, milestoneId] : [noun],
    );
}
