import type { Schema } from '../../api/client.js';
import { counted } from './counted.js';

/** Texts of the sync with GitHub. */
export const text = {
  title: 'Sync',
  lead: 'Shipgate reads the repositories from GitHub after each webhook and on a schedule. A sync reads them again now.',
  failed: 'The state of the sync could not be loaded.',
  start: 'Sync all repositories',
  startOne: 'Sync',
  startFor: (repo: string) => `Sync ${repo}`,
  started: 'The sync has started.',
  waits: 'The sync starts when the current one ends.',
  statuses: { never: 'Never run', running: 'Running', completed: 'Completed', failed: 'Failed' } satisfies Record<
    Schema<'SyncStatus'>['status'],
    string
  >,
  repositoryStatuses: { never: 'Never read', waiting: 'Waiting', done: 'Read', failed: 'Failed' } satisfies Record<
    Schema<'RepositorySync'>['status'],
    string
  >,
  facts: {
    status: 'Last run',
    reason: 'Reason',
    last: 'All facts are from',
    next: 'Next run',
    dead: 'Failed deliveries',
  },
  neverSynced: 'Not every repository was read yet',
  nextWaits: 'Starts when the current one ends',
  deadLetters: (count: number) => counted(count, 'webhook delivery', 'webhook deliveries'),
  deadHint: 'These deliveries failed in every attempt. The next sync reads the changes from GitHub.',
  repositories: 'Repositories',
  caption: 'Repositories that you can read, by name',
  columns: { repository: 'Repository', status: 'Status', actions: 'Actions' },
  noRepositories: 'There is no repository that you can read.',
  ignored: 'Milestones that are not releases',
  ignoredCaption: 'Milestones that are not releases, with the reason',
  ignoredColumns: { milestone: 'Milestone', repository: 'Repository', reason: 'Reason' },
  noIgnored: 'Every milestone is a release.',
} as const;
