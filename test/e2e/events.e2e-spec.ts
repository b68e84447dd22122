import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import { EventsRepository } from '../../src/events/events.repository.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { EventReader, type ReaderSpec } from './events/event-reader.js';
import { SecondInstance } from './events/second-instance.js';

const MINUTE_MS = 60_000;

let env: TestEnvironment;
let orgId: OrgId;
let neighbour: SecondInstance;
let user: UserSession;
let userCount = 0;
const readers: EventReader[] = [];

beforeAll(async () => {
  env = await TestEnvironment.start();
  orgId = await env.install();
  neighbour = await SecondInstance.start(env);
});
// A new user each time: the streams of the previous test may still be counted for a moment.
beforeEach(async () => {
  userCount += 1;
  user = await signIn(env, env.github.createUser({ login: `person-${userCount}` }));
});
afterAll(async () => {
  await neighbour.stop();
  await env.stop();
});
afterEach(async () => {
  for (const reader of readers.splice(0)) {
    reader.leave();
    await reader.untilClosed();
  }
});

async function follow(spec: Partial<ReaderSpec> = {}, url = env.baseUrl): Promise<EventReader> {
  const reader = await EventReader.open(url, { cookie: user.cookie, ...spec });
  readers.push(reader);
  return reader;
}

const emit = (count = 1, type: 'sync.progress' | 'sync.started' = 'sync.progress'): Promise<void> =>
  env.database.inTenant(orgId, async (tx) => {
    for (let i = 0; i < count; i += 1) await env.app.get(EventsRepository).append(tx, { type });
  });

describe('a stream of events', () => {
  it('sends changes with an id, a type and ids only', async () => {
    const reader = await follow();
    await emit(1, 'sync.started');
    const [event] = await reader.waitForEvents(1);
    expect(reader.text).toMatch(/^retry: 5000\nid: \d+\n\n/);
    expect(reader.text).toContain(`id: ${event?.id}\nevent: sync.started\ndata: {"id":"${event?.id}"`);
    expect(event).toEqual({
      id: expect.stringMatching(/^\d+$/),
      type: 'sync.started',
      org: 'acme',
      at: expect.any(String),
    });
  });

  it('has the default headers, is not cached and is not buffered by proxies', async () => {
    const { headers } = (await follow()).response;
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-request-id': expect.any(String),
    });
  });

  it('ends a HEAD request at once', async () => {
    const reader = await follow({ method: 'HEAD' });
    await reader.untilClosed();
    expect([reader.status, reader.text]).toEqual([200, '']);
  });

  it('reaches the readers of every process, each event once and in the same order', async () => {
    const all = [await follow(), await follow({}, neighbour.url), await follow(), await follow({}, neighbour.url)];
    await Promise.all(Array.from({ length: 40 }, () => emit(2)));
    const ids = await Promise.all(
      all.map(async (reader) => (await reader.waitForEvents(80)).map(({ id }) => Number(id))),
    );
    const first = ids[0]?.[0] ?? 0;
    for (const received of ids) expect(received).toEqual(Array.from({ length: 80 }, (_, i) => first + i));
  });

  it('sends no event of a rolled-back transaction and skips no id', async () => {
    const reader = await follow();
    await expect(
      env.database.inTenant(orgId, async (tx) => {
        await env.app.get(EventsRepository).append(tx, { type: 'sync.failed' });
        throw new Error('the work failed');
      }),
    ).rejects.toThrow('the work failed');
    await emit();
    expect((await reader.waitForEvents(1)).map(({ id, type }) => [Number(id), type])).toEqual([
      [Number(reader.text.match(/^retry: 5000\nid: (\d+)/)?.[1]) + 1, 'sync.progress'],
    ]);
  });

  it('misses no event that was appended before and committed after another', async () => {
    const reader = await follow();
    let commit: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (commit = resolve));
    let received: () => void = () => undefined;
    const isReceived = new Promise<void>((resolve) => (received = resolve));
    const slow = env.database.inTenant(orgId, async (tx) => {
      await env.app.get(EventsRepository).append(tx, { type: 'sync.started' });
      received();
      await held;
    });
    await isReceived;
    await emit();
    await reader.waitForEvents(1);
    const { lastEventId } = reader;
    reader.leave();
    commit();
    await slow;
    const back = await follow({ lastEventId });
    expect((await back.waitForEvents(1)).map(({ type }) => type)).toEqual(['sync.started']);
    expect(Number(back.lastEventId)).toBe(Number(lastEventId) + 1);
  });
});

describe('a reader that reconnects', () => {
  it('receives missed events in any process, and none twice', async () => {
    const reader = await follow();
    await emit(3);
    await reader.waitForEvents(3);
    const [first] = reader.events;
    reader.leave();
    await emit(2);
    const back = await follow({ lastEventId: first?.id ?? '' }, neighbour.url);
    await emit();
    const ids = (await back.waitForEvents(5)).map(({ id }) => Number(id) - Number(first?.id));
    expect(ids).toEqual([1, 2, 3, 4, 5]);
  });

  it('receives all events since its user was read, and continues from the header when the URL is outdated', async () => {
    const { workspace } = (await user.get('/api/auth/me')).body;
    const after = (workspace as { readonly lastEventId: string }).lastEventId;
    await emit(2);
    const reader = await follow({ after });
    const [first, second] = await reader.waitForEvents(2);
    expect([first?.id, second?.id]).toEqual([String(Number(after) + 1), String(Number(after) + 2)]);
    reader.leave();
    await emit();
    const back = await follow({ after, lastEventId: second?.id ?? '' });
    expect((await back.waitForEvents(1)).map(({ id }) => id)).toEqual([String(Number(after) + 3)]);
  });

  it('receives missed events of the last five minutes only', async () => {
    const { lastEventId } = await follow();
    await emit(2);
    env.clock.advance(5 * MINUTE_MS);
    await emit(1, 'sync.started');
    const back = await follow({ lastEventId });
    await emit();
    expect((await back.waitForEvents(2)).map(({ type }) => type)).toEqual(['sync.started', 'sync.progress']);
  });

  it('receives all events of a busy time, page by page', async () => {
    const { lastEventId } = await follow();
    await emit(1_201);
    const back = await follow({ lastEventId });
    const ids = (await back.waitForEvents(1_201)).map(({ id }) => Number(id));
    expect(ids).toEqual(Array.from({ length: 1_201 }, (_, i) => Number(lastEventId) + 1 + i));
  });

  it('receives each event once when it reconnects during many events', async () => {
    const reader = await follow();
    const first = Number(reader.lastEventId) + 1;
    const writing = Promise.all(Array.from({ length: 60 }, () => emit(2)));
    for (let i = 0; i < 4; i += 1) await follow({ lastEventId: String(first - 1) });
    await writing;
    for (const one of readers) {
      const ids = (await one.waitForEvents(120)).map(({ id }) => Number(id));
      expect(ids).toEqual(Array.from({ length: 120 }, (_, i) => first + i));
    }
  });

  it.each(['', 'x', '-1', '1e3', '99999999999999999999', '999999999'])(
    'starts with new events after the id "%s"',
    async (lastEventId) => {
      const back = await follow({ lastEventId });
      await emit();
      expect(await back.waitForEvents(1)).toHaveLength(1);
      // The start, a heartbeat and the event, each with an end.
      expect(back.text.split('\n\n')).toHaveLength(4);
    },
  );

  it('deletes events that are older than ten minutes', async () => {
    await emit(5);
    env.clock.advance(10 * MINUTE_MS + 1);
    await emit();
    const rows = await env.asSuperuser<{ count: string }>('select count(*) from event');
    expect(rows).toEqual([{ count: '1' }]);
  });
});
