import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runWithFence } from '../../src/database/fence.js';
import { SyncJobs } from '../../src/features/sync/sync.jobs.js';
import { JobsService } from '../../src/jobs/jobs.service.js';
import { createJobFence, releaseLeases, type LeasedJob } from '../../src/jobs/worker/job-fence.js';
import { withLiveWorkerPool } from '../support/live-worker-pool.js';
import { TestEnvironment } from '../support/test-environment.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

const STANDSTILL_MS = 1_500;

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
});
afterAll(() => env.stop());

interface Job {
  readonly id: string;
  readonly holder: string | null;
}

const jobs = (): Promise<readonly Job[]> =>
  env.asSuperuser(
    `select job.id::text, job.locked_by as holder from graphile_worker.jobs job where job.task_identifier = 'sync-installation'`,
  );
const repositories = async (): Promise<readonly string[]> =>
  (await env.asSuperuser<{ name: string }>('select name from repository order by name')).map(({ name }) => name);

/** The job that reads the installation, once a worker has leased it and waits for GitHub. */
const taken = async (): Promise<Job> => {
  for (;;) {
    const held = (await jobs()).find(({ holder }) => holder !== null);
    if (held) return held;
    await sleep(5);
  }
};

const latch = (): { readonly open: () => void; readonly opened: Promise<void> } => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
};

const readSlowly = async (): Promise<void> => {
  env.github.faults.next({ kind: 'delay', ms: STANDSTILL_MS, match: /^GET \/installation\/repositories/ });
  await env.app.get(SyncJobs).enqueueAll();
};

it('a worker whose job was given to another writes nothing and does not complete the job', async () => {
  // The notification was lost.
  env.outbox.faults.next({ kind: 'lose', times: 10 });
  env.github.createRepository(env.organization, { name: 'new' });
  await readSlowly();
  const { id, holder } = await taken();
  await withLiveWorkerPool(env.databaseUrls.superuserUrl, 'another', async () => {
    // As other workers do when they consider this one as stopped.
    await env.asSuperuser(`update ${JOB_TABLE} set locked_by = 'another', locked_at = now() where id = ${id}`);
    await sleep(STANDSTILL_MS + 500);
    expect(await repositories()).toEqual([]);
    expect(await jobs()).toEqual([{ id, holder: 'another' }]);
  });

  await env.asSuperuser(`select graphile_worker.force_unlock_workers(array['another', '${holder}'])`);
  await env.waitUntilIdle();
  expect(await repositories()).toEqual(['new']);
  expect(await jobs()).toEqual([]);
});

it('a worker whose pool leased the job a second time writes only for the second lease', async () => {
  env.github.createRepository(env.organization, { name: 'newer' });
  await readSlowly();
  const { id } = await taken();
  await env.asSuperuser(`update ${JOB_TABLE} set locked_at = now() where id = ${id}`);
  await sleep(STANDSTILL_MS + 500);
  expect(await repositories()).toEqual(['new']);
  await env.resync();
  expect(await repositories()).toEqual(['new', 'newer']);
});

it('a job with the same key that is added meanwhile does not break the fence', async () => {
  env.github.createRepository(env.organization, { name: 'newest' });
  await readSlowly();
  await taken();
  await env.app.get(SyncJobs).enqueueAll();
  await env.waitUntilIdle();
  expect(await repositories()).toEqual(['new', 'newer', 'newest']);
  const failed = await env.asSuperuser(`select last_error from graphile_worker.jobs`);
  expect(failed).toEqual([]);
});

it('a job with the same key can be added by a transaction on which the worker waits', async () => {
  const orgId = await env.orgId();
  await readSlowly();
  const { id } = await taken();
  const [held] = await env.asSuperuser<LeasedJob & { readonly key: string }>(
    `select id::text, locked_at, locked_by, key from graphile_worker.jobs where id = ${id}`,
  );
  const installationId = Number(/^installation:(\d+)$/.exec(held!.key)?.[1]);
  const something = 'select pg_advisory_xact_lock(1, 1)';
  // A deadlock is retried, so the test counts the attempts.
  let begun = 0;
  const [workerIsIn, otherHolds] = [latch(), latch()];
  const work = runWithFence(createJobFence(held!), () =>
    env.database.inTenant(orgId, async (tx) => {
      begun += 1;
      workerIsIn.open();
      await otherHolds.opened;
      await tx.query(something);
    }),
  );
  const other = env.database.inTenant(orgId, async (tx) => {
    begun += 1;
    await workerIsIn.opened;
    await tx.query(something);
    otherHolds.open();
    // The worker gets there first, and waits.
    await sleep(100);
    await env.app.get(JobsService).enqueue(tx, 'sync-installation', { installationId }, { delaySeconds: 3600 });
  });
  await Promise.all([work, other]);
  expect(begun).toBe(2);
  await env.waitUntilIdle();
});

it('the jobs of a pool are not released while it writes', async () => {
  const orgId = await env.orgId();
  await readSlowly();
  const { id, holder } = await taken();
  const [held] = await env.asSuperuser<LeasedJob>(
    `select id::text, locked_at, locked_by from graphile_worker.jobs where id = ${id}`,
  );
  const [workerIsIn, mayEnd] = [latch(), latch()];
  const work = runWithFence(createJobFence(held!), () =>
    env.database.inTenant(orgId, async (tx) => {
      await tx.query('select 1');
      workerIsIn.open();
      await mayEnd.opened;
    }),
  );
  await workerIsIn.opened;
  const fellow = await env.database.pool.connect();
  let given = false;
  const giving = releaseLeases(fellow, holder!).then(() => (given = true));
  await sleep(200);
  expect(given).toBe(false);
  expect((await jobs()).find((job) => job.id === id)?.holder).toBe(holder);
  mayEnd.open();
  await Promise.all([work, giving]);
  fellow.release();
  await expect(
    runWithFence(createJobFence(held!), () => env.database.inTenant(orgId, (tx) => tx.query('select 1'))),
  ).rejects.toMatchObject({ name: 'JobLost' });
  await env.waitUntilIdle();
});
