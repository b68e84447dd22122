import type { CronItem } from 'graphile-worker';
import type { Environment } from '../../config/environment.js';

const MINUTE_MS = 60_000;

/** What runs by the clock. Each item only adds a job, once for all processes together. */
export const schedule = ({ syncIntervalMs }: Environment): readonly CronItem[] => [
  {
    identifier: 'sync-all',
    task: 'sync-all',
    match: everyMinutes(Math.max(1, Math.round(syncIntervalMs / MINUTE_MS))),
    // What was missed while no process ran is made up for once one does.
    options: { jobKey: 'sync-all', backfillPeriod: syncIntervalMs },
  },
  // Often enough that what the host says of a member never gets as old as a quarter of an hour while it answers.
  {
    identifier: 'renew-all-members',
    task: 'renew-all-members',
    match: everyMinutes(5),
    options: { jobKey: 'renew-all-members' },
  },
  { identifier: 'upkeep', task: 'upkeep', match: everyMinutes(60), options: { jobKey: 'upkeep' } },
];

const everyMinutes =
  (minutes: number) =>
  ({ min, hour }: { readonly min: number; readonly hour: number }): boolean =>
    (hour * 60 + min) % minutes === 0;
