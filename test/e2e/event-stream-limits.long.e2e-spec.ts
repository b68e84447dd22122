import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import { EventsRepository } from '../../src/events/events.repository.js';
import { EventStreamsService } from '../../src/features/event-stream/event-streams.service.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { EventReader } from './events/event-reader.js';
import { SecondInstance } from './events/second-instance.js';

const METRICS_TOKEN = 'metrics-token-0123456789';
const STREAMS_PER_USER = 5;
const EVENTS_IN_A_GO = 10_000;

let env: TestEnvironment;
let orgId: OrgId;
let ada: UserSession;
let bea: UserSession;
const readers: EventReader[] = [];

beforeAll(async () => {
  env = await TestEnvironment.start({ METRICS_TOKEN });
  orgId = await env.install();
  [ada, bea] = [
    await signIn(env, env.github.createUser({ login: 'ada' })),
    await signIn(env, env.github.createUser({ login: 'bea' })),
  ];
});
afterAll(() => env.stop());
afterEach(async () => {
  for (const reader of readers.splice(0)) {
    reader.leave();
    await reader.untilClosed();
  }
  // The service notices the end of a stream a moment later than its client.
  while ((await openStreams()) > 0) await sleep(5);
});

/** The number of open streams of the first process, from its metrics. */
async function openStreams(): Promise<number> {
  const response = await fetch(`${env.baseUrl}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  return Number(/^shipgate_event_streams (\d+)$/m.exec(await response.text())?.[1]);
}

async function follow({ cookie }: UserSession = ada, url = env.baseUrl): Promise<EventReader> {
  const reader = await EventReader.open(url, { cookie });
  readers.push(reader);
  return reader;
}

const emit = (): Promise<void> =>
  env.database.inTenant(orgId, (tx) => env.app.get(EventsRepository).append(tx, { type: 'sync.progress' }));

/** Appends so many events at once that they get their ids in one batch, without a notification. */
const emitSilently = (count: number): Promise<unknown> =>
  env.asSuperuser(`
    alter table event disable trigger assign_event_sequence;
    with told as (
      insert into event_sequence (org_id, last_id) values ('${orgId}', ${count})
      on conflict (org_id) do update set last_id = event_sequence.last_id + ${count} returning last_id)
    insert into event (org_id, id, type, at)
    select '${orgId}', last_id - ${count} + n, 'sync.failed', now() from told, generate_series(1, ${count}) n;
    alter table event enable trigger assign_event_sequence`);

const cutListeners = (): Promise<unknown> =>
  env.asSuperuser(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query = 'listen shipgate_events'`,
  );

const idsOf = (reader: EventReader): readonly number[] => reader.events.map(({ id }) => Number(id));

describe('a user', () => {
  it('has at most five streams, and another one after one has ended', async () => {
    for (let i = 0; i < STREAMS_PER_USER; i += 1) expect((await follow()).status).toBe(200);
    const sixth = await follow();
    expect([sixth.status, sixth.response.headers['retry-after']]).toEqual([429, '5']);
    await sixth.until(() => sixth.text !== '');
    expect(JSON.parse(sixth.text)).toEqual({ error: 'You can have at most 5 event streams. Close one and try again.' });
    expect((await follow(bea)).status).toBe(200);

    readers[0]?.leave();
    const another = async (): Promise<number> => (await follow()).status;
    while ((await another()) === 429) await sleep(5);
    await emit();
    await readers.at(-1)?.waitForEvents(1);
  });

  it('has all places again after they left before their streams began', async () => {
    // The guard waits for this table.
    const locked = env.asSuperuser(`begin; lock table session; select pg_sleep(1); commit`);
    await sleep(200);
    const early = Array.from({ length: STREAMS_PER_USER }, () =>
      get(`${env.baseUrl}/api/events`, { agent: false, headers: { cookie: ada.cookie } }).on('error', () => undefined),
    );
    await sleep(300);
    for (const request of early) request.destroy();
    await locked;
    await sleep(300);
    expect(await openStreams()).toBe(0);
    for (let i = 0; i < STREAMS_PER_USER; i += 1) expect((await follow()).status).toBe(200);
  });

  it('has at most five streams also when all are requested at once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => follow()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(STREAMS_PER_USER);
  });
});

describe('a reader that does not read', () => {
  it('is disconnected with more than 1 MiB of unsent data and does not delay other streams', async () => {
    const [slow, quick] = [await follow(ada), await follow(bea)];
    slow.response.pause();
    let received = 0;
    while ((await openStreams()) === 2) {
      await emitSilently(EVENTS_IN_A_GO);
      env.app.get(EventStreamsService).sendHeartbeat();
      received += EVENTS_IN_A_GO;
      await quick.waitForEvents(received);
    }
    expect(await openStreams()).toBe(1);
    expect(idsOf(quick)).toHaveLength(received);
    expect(new Set(idsOf(quick)).size).toBe(received);
    slow.response.resume();
    await slow.untilClosed();
    expect(slow.events.length).toBeLessThan(received);
  });
});

describe('a lost database connection', () => {
  it('loses no event and sends none twice', async () => {
    const reader = await follow();
    const neighbour = await SecondInstance.start(env);
    const further = await follow(bea, neighbour.url);
    await emit();
    await Promise.all([reader.waitForEvents(1), further.waitForEvents(1)]);
    for (let round = 0; round < 3; round += 1) {
      // The listener gets no notification, as if it was sent while no connection listened.
      await emitSilently(1);
      await cutListeners();
    }
    await Promise.all([reader.waitForEvents(4), further.waitForEvents(4)]);
    await emit();
    for (const one of [reader, further]) {
      const ids = (await one.waitForEvents(5)).map(({ id }) => Number(id));
      expect(ids).toEqual(ids.map((_, i) => (ids[0] ?? 0) + i));
    }
    await neighbour.stop();
  });

  it('ends a stream whose session ended in the meantime', async () => {
    const user = await signIn(env, env.github.createUser({ login: 'cid' }));
    const reader = await follow(user);
    await env.asSuperuser(`
      alter table session disable trigger notify_session_change;
      update session set ended_at = now() where user_id = ${user.user.id};
      alter table session enable trigger notify_session_change`);
    await cutListeners();
    await reader.untilClosed();
  });
});

describe('every stream', () => {
  it('sends a heartbeat at its start and later ones, which name no change and have no id', async () => {
    const reader = await follow();
    await reader.until(() => reader.heartbeats === 1);
    env.app.get(EventStreamsService).sendHeartbeat();
    await reader.until(() => reader.heartbeats > 1);
    expect(reader.text.endsWith('\n\n:\nevent: heartbeat\ndata: {}\n\n')).toBe(true);
    expect(reader.events).toEqual([]);
  });

  it('sends an event with the next heartbeat when its notification was lost', async () => {
    const reader = await follow();
    await emitSilently(1);
    env.app.get(EventStreamsService).sendHeartbeat();
    expect((await reader.waitForEvents(1)).map(({ type }) => type)).toEqual(['sync.failed']);
  });

  it('ends at once when the service stops', async () => {
    const neighbour = await SecondInstance.start(env);
    const reader = await follow(ada, neighbour.url);
    const began = performance.now();
    await neighbour.stop();
    await reader.untilClosed();
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(reader.response.complete).toBe(true);
  });
});
