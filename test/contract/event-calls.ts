import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { CallOperation } from './contract-call.js';
import { givenSession } from './given-session.js';

const NUL = { x: '\u0000' };
const READER = 7001;
const STREAMS_PER_USER = 5;

interface EventsScenario {
  readonly of: BuiltService;
  readonly database: TestDatabase;
  readonly metricsToken: string;
}

/**
 * Provokes every documented response of the event stream. Ends the session, because only then a stream ends and its
 * response is complete.
 */
export async function callEvents(call: CallOperation, { of, database, metricsToken }: EventsScenario): Promise<void> {
  const headers = { cookie: await givenSession(database, 'member', READER) };
  const answers = Array.from({ length: STREAMS_PER_USER }, () => call('streamEvents', { of, headers }));
  await untilOpen(of, metricsToken);
  expect(await call('streamEvents', { of, headers })).toBe(429);
  await withDedicatedClient(database.superuserUrl, (client) =>
    client.query('update session set ended_at = now() where user_id = $1', [READER]),
  );
  expect(await Promise.all(answers)).toEqual(answers.map(() => 200));

  expect(await call('streamEvents', { of, headers })).toBe(401);
  expect(await call('streamEvents', { of, query: NUL })).toBe(400);
  expect(await call('streamEvents', { of, headers: { cookie: await givenSession(database, null) } })).toBe(403);
}

async function untilOpen({ url }: BuiltService, metricsToken: string): Promise<void> {
  const authorization = `Bearer ${metricsToken}`;
  for (let tries = 0; tries < 500; tries += 1, await sleep(20)) {
    const metrics = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text();
    if (metrics.includes(`\nshipgate_event_streams ${STREAMS_PER_USER}\n`)) return;
  }
  throw new Error('The streams do not open.');
}
