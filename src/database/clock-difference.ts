import type { Database } from './database.js';

/** The maximum difference between the clocks of the service and the database, in milliseconds. */
export const MOST_OFF_MS = 5_000;

/** A larger difference to monotonic time means that the clock was set during the comparison, in milliseconds. */
const SET_MS = 1_000;
const MAX_COMPARISONS = 3;

/**
 * Returns the smallest possible difference between the clocks of the database and the service, in milliseconds. Negative if the
 * database is behind. Zero if the network delay can explain the difference. Throws if the clock of the service is set during each
 * comparison, because the delay would seem to explain the jump.
 */
export async function clockDifference({ pool }: Pick<Database, 'pool'>, ours: () => Date): Promise<number> {
  for (let comparison = 1; comparison <= MAX_COMPARISONS; comparison += 1) {
    const [sentAt, startedAt] = [ours().getTime(), performance.now()];
    const { rows } = await pool.query<{ readonly now: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
    );
    const receivedAt = ours().getTime();
    const [row] = rows;
    if (!row) throw new Error('The database did not return its time.');
    if (Math.abs(receivedAt - sentAt - (performance.now() - startedAt)) > SET_MS) continue;
    if (row.now > receivedAt) return row.now - receivedAt;
    return Math.min(0, row.now - sentAt);
  }
  throw new Error('The clock of this machine was set during each comparison with the database.');
}
