import type { CronItem } from 'graphile-worker';
import type { Environment } from '../config/environment.js';

const MINUTE_MS = 60_000;

/** What runs by the clock. Each item only adds a job, once for all processes together. */
export const schedule = ({ syncIntervalMs, redeliveryIntervalMs }: Environment): readonly CronItem[] => [
  {
    identifier: 'sync-all',
    task: 'sync-all',
    match: every(syncIntervalMs),
    // What was missed while no process ran is made up for once one does.
    options: { jobKey: 'sync-all', backfillPeriod: syncIntervalMs },
  },
  {
    identifier: 'find-missed-deliveries',
    task: 'find-missed-deliveries',
    match: every(redeliveryIntervalMs),
    // One round at a time, among all processes: two would ask for the same deliveries.
    options: {
      jobKey: 'find-missed-deliveries',
      queueName: 'find-missed-deliveries',
      backfillPeriod: redeliveryIntervalMs,
      maxAttempts: 3,
    },
  },
  // Often enough that what the host says of a member never gets as old as a quarter of an hour while it answers.
  {
    identifier: 'renew-all-members',
    task: 'renew-all-members',
    match: every(5 * MINUTE_MS),
    options: { jobKey: 'renew-all-members' },
  },
  {
    identifier: 'wipe-host-tokens',
    task: 'wipe-host-tokens',
    match: every(MINUTE_MS),
    options: { jobKey: 'wipe-host-tokens' },
  },
  { identifier: 'upkeep', task: 'upkeep', match: every(60 * MINUTE_MS), options: { jobKey: 'upkeep' } },
];

/** At the minutes of the day that the interval divides; never more often than once a minute. */
const every = (intervalMs: number): ((at: { readonly min: number; readonly hour: number }) => boolean) => {
  const minutes = Math.max(1, Math.round(intervalMs / MINUTE_MS));
  return ({ min, hour }) => (hour * 60 + min) % minutes === 0;
};
