import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from './database.js';

/**
 * Makes each window of a rate limit that begins from now on last an hour, so that a test can count exactly. The
 * database clock decides when a window begins, and a minute that ends during a test would give every caller new tokens.
 */
export async function givenLongWindows({ superuserUrl }: Pick<TestDatabase, 'superuserUrl'>): Promise<void> {
  await withDedicatedClient(superuserUrl, (client) =>
    client.query(`
      create function in_one_hour() returns trigger language plpgsql as $$
        begin
          -- The same moment for each window: one that began later would be another.
          new.window_start := '${new Date(Date.now() + 3_600_000).toISOString()}';
          return new;
        end $$;
      create trigger long_windows before insert on rate_limit_window for each row execute function in_one_hour()`),
  );
}
