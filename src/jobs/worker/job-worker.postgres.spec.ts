import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { mock } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Logger as QueueLogger } from 'graphile-worker';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { SilentLine } from '../../../test/support/silent-line.js';
import { readTestEnvironment } from '../../../test/support/read-test-environment.js';
import { Database } from '../../database/database.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';
import { toOrgId } from '../../database/ids.js';
import { Metrics } from '../../observability/metrics.js';
import { JOB_QUEUE_TABLE, JOB_TABLE } from '../../database/job-tables.js';
import type { JobName } from '../job.js';
import type { JobHandlers } from '../job-handlers.js';
import { JobMetrics } from './job.metrics.js';
import { JobWorker } from './job-worker.js';
import { JobWorkerPool } from './worker-pool.js';

const ORG = toOrgId('7b0f6d53-34e7-4b2e-9d0a-0c8a0b2f5f10');

describe('the worker', () => {
  let test: TestDatabase;
  let database: Database;
  let worker: JobWorker | null = null;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    test = await createTestDatabase();
    database = await Database.open({ url: test.appUrl, poolSize: 4 });
  });
  afterEach(async () => {
    await worker?.stop();
    worker = null;
  });
  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  async function start(entries: ReturnType<JobHandlers['entries']>): Promise<void> {
    const handlers = { entries: () => entries } as unknown as JobHandlers;
    worker = new JobWorker(handlers, database, new JobMetrics(new Metrics()), readTestEnvironment({}));
    await worker.start();
  }
  /** Starts a worker with a handler for each name, and resolves with the payloads once each handler ran. */
  async function run(names: readonly JobName[]): Promise<ReadonlyMap<JobName, unknown>> {
    const payloads = new Map<JobName, unknown>();
    const events = new EventEmitter();
    const all = once(events, 'all');
    const handle = async (name: JobName, payload: unknown): Promise<void> => {
      payloads.set(name, payload);
      if (payloads.size === names.length) events.emit('all');
    };
    await start(names.map((name) => [name, (payload) => handle(name, payload)]));
    await all;
    return payloads;
  }
  const addJob = (name: string, payload: object): Promise<unknown> =>
    database.pool.query('select graphile_worker.add_job($1, $2::json)', [name, JSON.stringify(payload)]);

  it('runs a job without the span that enqueued it', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await addJob('sync-repository', { orgId: ORG, traceparent });
    expect(await run(['sync-repository'])).toEqual(new Map([['sync-repository', { orgId: ORG }]]));
  });

  it('runs a job of a queue that a stopped pool held without a job', async () => {
    await database.pool.query(`select graphile_worker.add_job('sync-repository', '{}'::json, queue_name => 'held')`);
    await withDedicatedClient(test.superuserUrl, (client) =>
      client.query(`update ${JOB_QUEUE_TABLE} set locked_by = 'stopped', locked_at = now() where queue_name = 'held'`),
    );
    expect(await run(['sync-repository'])).toEqual(new Map([['sync-repository', {}]]));
  });

  it('continues with a new pool if the result of a job could not be stored', async () => {
    const asSuperuser = (sql: string): Promise<unknown> =>
      withDedicatedClient(test.superuserUrl, (client) => client.query(sql));
    await asSuperuser(`
      create function refuse() returns trigger language plpgsql as $$
        begin
          if old.payload->>'name' = 'refused' then raise exception 'disk full' using errcode = '53100'; end if;
          return old;
        end $$;
      create trigger refuse before delete on ${JOB_TABLE} for each row execute function refuse()`);
    const SLOW = ['first', 'second', 'third'];
    const events = new EventEmitter();
    const releases = new Map(SLOW.map((name) => [name, once(events, `release ${name}`)]));
    const runs: string[] = [];
    const waitUntil = async (isDone: () => boolean | Promise<boolean>): Promise<void> => {
      while (!(await isDone())) await sleep(50);
    };
    const handle = async (payload: unknown): Promise<void> => {
      const { name } = payload as { readonly name: string };
      events.emit(name);
      await releases.get(name);
      runs.push(name);
    };
    await start([['sync-repository', handle]]);
    for (const name of [...SLOW, 'refused']) {
      const begun = once(events, name);
      await addJob('sync-repository', { name });
      await begun;
    }
    // The refusal of the database makes the pool lost.
    await waitUntil(() => Reflect.get(worker ?? {}, 'pool') === null);
    await asSuperuser(`drop trigger refuse on ${JOB_TABLE}`);
    // After a refusal the library counts each of these ends twice, and then waits forever for the end of its pool.
    for (const name of SLOW) {
      events.emit(`release ${name}`);
      await waitUntil(() => runs.includes(name));
      await sleep(200);
    }
    await addJob('sync-repository', { name: 'later' });
    await waitUntil(() => runs.includes('later') && runs.filter((name) => name === 'refused').length > 1);
    await waitUntil(async () => {
      const locked = await database.pool.query('select from graphile_worker.jobs where locked_at is not null');
      return locked.rowCount === 0;
    });
  });

  it('survives a lost connection while a pool stops and its subscription has no answer yet', async () => {
    const line = await SilentLine.to(Number(new URL(test.appUrl).port));
    const url = new URL(test.appUrl);
    url.port = String(line.port);
    const distant = await Database.open({ url: url.href });
    // The library prints each lost connection.
    mock.method(console, 'trace', () => undefined);
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      const subscribing = line.fallSilentAt('LISTEN "jobs:insert"');
      const pool = await JobWorkerPool.start(distant, {
        tasks: { none: () => undefined },
        logger: new QueueLogger(() => () => undefined),
      });
      await subscribing;
      const stopped = pool.stop();
      line.cut();
      await stopped;
      await nextTurn();
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
      mock.restoreAll();
      await distant.close();
      await line.close();
    }
  });
});
