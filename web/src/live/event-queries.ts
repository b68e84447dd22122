import type { QueryKey } from '@tanstack/react-query';

/** An event of the service. It names what changed; the queries load the new values. */
export interface LiveEvent {
  /** The position among the events of the workspace. */
  readonly id: string;
  readonly type: string;
  readonly milestoneId?: string;
  readonly what?: string;
}

/** The parts that `workspace.updated` names. */
const WORKSPACE_PARTS: Readonly<Record<string, readonly QueryKey[]>> = {
  members: [['team'], ['me']],
  keys: [['keys']],
  plan: [['billing'], ['repositories'], ['platform']],
  freezes: [['freezes'], ['releases'], ['release']],
  projects: [['projects']],
};

/** Every query. */
const ALL: readonly QueryKey[] = [[]];

const QUERIES: Readonly<Record<string, (event: Pick<LiveEvent, 'milestoneId' | 'what'>) => readonly QueryKey[]>> = {
  'release.updated': ({ milestoneId }) => [
    ['releases'],
    ['release', ...(milestoneId === undefined ? [] : [milestoneId])],
    ['repository'],
    ['projects'],
    ['quality'],
    ['history'],
    ['overrides'],
  ],
  'review.updated': ({ milestoneId }) => [
    ['reviews'],
    ['release', ...(milestoneId === undefined ? [] : [milestoneId])],
  ],
  'evidence.received': ({ milestoneId }) => [
    ['release', ...(milestoneId === undefined ? [] : [milestoneId])],
    ['quality'],
  ],
  'repo.updated': () => [['repositories'], ['repository'], ['warnings'], ['billing']],
  'sync.started': () => [['sync']],
  'sync.progress': () => [['sync']],
  'sync.failed': () => [['sync']],
  'sync.completed': () => ALL,
  'workspace.updated': ({ what = '' }) => [...(WORKSPACE_PARTS[what] ?? []), ['audit']],
};

/** The names of all events that the dashboard uses. */
export const EVENT_TYPES: readonly string[] = Object.keys(QUERIES);

/** Returns the keys of the queries that the event makes outdated. */
export const toQueries = (event: Omit<LiveEvent, 'id'>): readonly QueryKey[] =>
  Object.hasOwn(QUERIES, event.type) ? (QUERIES[event.type]?.(event) ?? []) : [];
