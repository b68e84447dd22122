import type { Database } from './database.js';

/** Beyond it our clock is wrong, or the database's. */
export const MOST_OFF_MS = 5_000;

/**
 * How far the database's clock is ahead of ours at least, in milliseconds; below zero where it is behind. What may be of the way to
 * the database is left out.
 */
export async function clockDifference({ pool }: Pick<Database, 'pool'>, ours: () => Date): Promise<number> {
  const sentAt = ours().getTime();
  const { rows } = await pool.query<{ readonly now: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  );
  const receivedAt = ours().getTime();
  const [row] = rows;
  if (!row) throw new Error('The database did not tell the time.');
  if (row.now > receivedAt) return row.now - receivedAt;
  return Math.min(0, row.now - sentAt);
}
