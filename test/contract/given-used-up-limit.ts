import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';

/**
 * Takes every token of a limit (`<its name>:<its subject>`) for the next hour, so that the next request is rejected,
 * even on a slow machine. Other tests check that the limit counts correctly.
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
