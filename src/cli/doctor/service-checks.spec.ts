import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Database } from '../../database/database.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';
import { JOB_TABLE } from '../../database/job-tables.js';
import { countWorkerPools, WorkerHeartbeat } from '../../jobs/worker/worker-heartbeat.js';
import { checkWork } from './service-checks.js';

describe('the check of the work', () => {
  let test: TestDatabase;
  let database: Database;
  let worker: Database;
  let heartbeat: WorkerHeartbeat | null = null;

  const asSuperuser = (sql: string): Promise<unknown> =>
    withDedicatedClient(test.superuserUrl, (client) => client.query(sql));
  const addJob = (name: string, changes: string): Promise<unknown> =>
    asSuperuser(`select graphile_worker.add_job('${name}', '{}', job_key := '${name}');
      update ${JOB_TABLE} set ${changes} where key = '${name}'`);
  const check = async (): Promise<readonly string[]> =>
    (await checkWork(database)).map(({ status, of, message }) => `${status} ${of}: ${message}`);

  beforeAll(async () => {
    test = await createTestDatabase();
    database = await Database.open({ url: test.appUrl, poolSize: 2 });
    worker = await Database.open({ url: test.appUrl, poolSize: 2 });
  });
  afterEach(async () => {
    await heartbeat?.stop();
    heartbeat = null;
    while ((await countWorkerPools(database)) > 0) await sleep(20);
    await asSuperuser(`delete from ${JOB_TABLE}; delete from webhook_delivery`);
  });
  afterAll(async () => {
    await worker.close();
    await database.close();
    await test.drop();
  });

  async function startWorker(): Promise<void> {
    heartbeat = new WorkerHeartbeat(worker);
    await heartbeat.start('worker-pool-1');
  }

  it('reports the running workers', async () => {
    await startWorker();
    expect(await check()).toEqual(['ok work: 1 worker runs, and no job waits for long']);
    const second = new WorkerHeartbeat(worker);
    try {
      await second.start('worker-pool-2');
      expect(await check()).toEqual(['ok work: 2 workers run, and no job waits for long']);
    } finally {
      await second.stop();
    }
  });

  it('reports that no worker runs, which may be so before the first start', async () => {
    expect(await check()).toEqual(['warn work: no worker runs']);
    await startWorker();
    await heartbeat?.stop();
    while ((await countWorkerPools(database)) > 0) await sleep(20);
    expect(await check()).toEqual(['warn work: no worker runs']);
  });

  it('fails if no worker runs and jobs wait', async () => {
    await addJob('sync-repository', `run_at = now() - interval '16 minutes'`);
    expect(await check()).toEqual([
      'fail work: no worker runs, and the oldest job (sync-repository) has been due for 16 min',
    ]);
  });

  it('warns of late jobs and deliveries while a worker runs', async () => {
    await startWorker();
    await addJob('sync-repository', `run_at = now() - interval '14 minutes'`);
    await addJob('process-webhook', `run_at = now() - interval '4 minutes'`);
    expect(await check()).toEqual(['ok work: 1 worker runs, and no job waits for long']);
    await addJob('sync-repository', `run_at = now() - interval '16 minutes'`);
    await addJob('process-webhook', `run_at = now() - interval '6 minutes'`);
    expect(await check()).toEqual([
      'warn work: the oldest delivery (process-webhook) has been due for 6 min',
      'warn work: the oldest job (sync-repository) has been due for 16 min',
    ]);
  });

  it('warns of jobs and deliveries that failed in every attempt', async () => {
    await startWorker();
    await addJob('sync-repository', `attempts = max_attempts, run_at = now() - interval '1 day'`);
    await asSuperuser(`insert into webhook_delivery (guid, event, received_at, status)
      values ('1', 'push', now(), 'dead'), ('2', 'push', now(), 'dead'), ('3', 'push', now(), 'done')`);
    expect(await check()).toEqual([
      'ok work: 1 worker runs, and no job waits for long',
      'warn work: jobs that failed in every attempt: 1 (sync-repository)',
      'warn work: deliveries that failed in every attempt: 2',
    ]);
  });
});
