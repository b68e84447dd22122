import type { Database } from './database.js';

/** The maximum difference between the clocks of the service and the database, in milliseconds. */
export const MOST_OFF_MS = 5_000;

/**
 * Returns the smallest possible difference between the clocks of the database and the service, in milliseconds. Negative if the
 * database is behind. Zero if the network delay can explain the difference.
 */
export async function clockDifference({ pool }: Pick<Database, 'pool'>, ours: () => Date): Promise<number> {
  const sentAt = ours().getTime();
  const { rows } = await pool.query<{ readonly now: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  );
  const receivedAt = ours().getTime();
  const [row] = rows;
  if (!row) throw new Error('The database did not return its time.');
  if (row.now > receivedAt) return row.now - receivedAt;
  return Math.min(0, row.now - sentAt);
}
