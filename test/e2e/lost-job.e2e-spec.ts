import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { SyncJobs } from '../../src/features/sync/sync.jobs.js';
import { TestEnvironment } from '../support/test-environment.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

const SLOW_MS = 300;

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
});
afterAll(() => env.stop());

/** The id of the worker pool of this environment. */
async function nameOfWorkers(): Promise<string> {
  env.github.faults.next({ kind: 'delay', ms: SLOW_MS, match: /^GET \/installation\/repositories/ });
  await env.app.get(SyncJobs).enqueueAll();
  for (;;) {
    const [job] = await env.asSuperuser<{ holder: string }>(
      'select locked_by as holder from graphile_worker.jobs where locked_by is not null',
    );
    if (job) {
      await env.waitUntilIdle();
      return job.holder;
    }
    await sleep(5);
  }
}

it('runs a job that was leased while the database connection was lost', async () => {
  const workers = await nameOfWorkers();
  // The notification was lost.
  env.outbox.faults.next({ kind: 'lose', times: 10 });
  env.github.createRepository(env.organization, { name: 'new' });

  await withDedicatedClient(env.databaseUrls.superuserUrl, async (client) => {
    await client.query('begin');
    await client.query(`lock table ${JOB_TABLE} in access exclusive mode`);
    // The workers request a job and lease it, and the connection is lost before they receive it.
    const registering = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and wait_event_type = 'Lock' and query like '%is_available%'`;
    while ((await client.query(`select ${registering}`)).rowCount === 0) await sleep(20);
    await client.query(
      `select graphile_worker.add_job('sync-installation', json_build_object('installationId', installation_id))
       from organization`,
    );
    await client.query(`update ${JOB_TABLE} set locked_by = $1, locked_at = now()`, [workers]);
    await client.query(`select pg_terminate_backend(pid) ${registering}`);
    await client.query('commit');
  });
  // A caller that gets one of those connections before the pool notices the loss would get an error.
  await sleep(SLOW_MS);

  await env.waitUntilIdle();
  expect((await env.asSuperuser<{ name: string }>('select name from repository')).map(({ name }) => name)).toEqual([
    'new',
  ]);
});
