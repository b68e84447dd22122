import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';

/**
 * Takes every token of a limit (`<its name>:<its subject>`) for an hour to come, so that the next to ask is refused,
 * however slow the machine is. That the limit counts up to there is shown where the limits are.
 */
export async function givenUsedUpLimit(
  { superuserUrl }: Pick<TestDatabase, 'superuserUrl'>,
  key: string,
): Promise<void> {
  await withDedicatedClient(superuserUrl, (client) =>
    client.query(
      `insert into rate_limit_window (key, window_start, used, granted) values ($1, now() + interval '1 hour', 1000000, 0)
       on conflict (key) do update set window_start = excluded.window_start, used = excluded.used`,
      [key],
    ),
  );
}
