import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { givenSession } from '../contract/given-session.js';
import type { TestDatabase } from '../support/database.js';
import { ReconnectingEventReader } from './reconnecting-event-reader.js';
import type { Host } from './start-github.js';

/** The events that one reader received since it began to follow. */
export interface EventReport {
  readonly happened: number;
  readonly missed: number;
  readonly doubled: number;
}

type Urls = Pick<TestDatabase, 'superuserUrl'>;

const PATIENCE_MS = 60_000;

/** Lets a new member of `acme` follow the workspace at one process. Resolves when the stream has begun. */
export async function followEvents(
  host: Host,
  url: string,
  database: Urls,
  login: string,
): Promise<ReconnectingEventReader> {
  // A member on GitHub too: the service checks the membership every five minutes.
  const user = host.github.createUser({ login });
  host.organization.addMember(user);
  const reader = new ReconnectingEventReader(url, await givenSession(database, 'member', user.id));
  while (!reader.isFollowing) await sleep(20);
  return reader;
}

/** Call it when no more events are created. */
export async function reportEvents(reader: ReconnectingEventReader, { superuserUrl }: Urls): Promise<EventReport> {
  const last = await withDedicatedClient(superuserUrl, async (client) => {
    const { rows } = await client.query<{ last_id: string }>('select last_id from event_sequence');
    return Number(rows[0]?.last_id);
  });
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline && (reader.ids.at(-1) ?? 0) < last) await sleep(50);
  await reader.leave();
  const received = new Set(reader.ids);
  const happened = last - reader.began;
  const missed = happened - [...received].filter((id) => id <= last).length;
  return { happened, missed, doubled: reader.ids.length - received.size };
}
