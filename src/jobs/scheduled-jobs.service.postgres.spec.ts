import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { readTestEnvironment } from '../../test/support/read-test-environment.js';
import { Database } from '../database/database.js';
import { withDedicatedClient } from '../database/dedicated-client.js';
import { JobsService } from './jobs.service.js';
import { ScheduledJobsService } from './scheduled-jobs.service.js';
import { JOB_TABLE } from '../database/job-tables.js';

let test: TestDatabase;
let databases: Database[];

beforeAll(async () => {
  test = await createTestDatabase();
  databases = await Promise.all([1, 2].map(() => Database.open({ url: test.appUrl, poolSize: 2 })));
});
afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await test.drop();
});
beforeEach(() => asSuperuser(`truncate scheduled_job; truncate ${JOB_TABLE}`));

const asSuperuser = <R>(sql: string): Promise<R[]> =>
  withDedicatedClient(test.superuserUrl, async (client) => (await client.query(sql)).rows as R[]);

/** Creates a scheduler like that of a separate process. */
const processOf = (index: number): ScheduledJobsService =>
  new ScheduledJobsService(
    new JobsService(databases[index]!),
    readTestEnvironment({ SYNC_INTERVAL: '10m', REDELIVERY_INTERVAL: '30s' }),
  );

interface Enqueued {
  readonly name: string;
  readonly key: string;
  readonly attempts: number;
}
const enqueued = (): Promise<Enqueued[]> =>
  asSuperuser('select task_identifier as name, key, max_attempts as attempts from graphile_worker.jobs order by 1');
const countOf = async (name: string): Promise<number> => (await enqueued()).filter((job) => job.name === name).length;
const run = (): Promise<unknown> => asSuperuser(`delete from ${JOB_TABLE}`);

describe('the scheduled jobs', () => {
  it('enqueues all jobs at the first start, each with its key', async () => {
    await processOf(0).enqueueDue();
    expect(await enqueued()).toEqual([
      { name: 'delete-expired-data', key: 'delete-expired-data', attempts: 12 },
      { name: 'delete-expired-repository-tokens', key: 'delete-expired-repository-tokens', attempts: 12 },
      { name: 'find-missed-deliveries', key: 'find-missed-deliveries', attempts: 3 },
      { name: 'refresh-all-members', key: 'refresh-all-members', attempts: 12 },
      { name: 'sync-all-installations', key: 'sync-all-installations', attempts: 12 },
    ]);
  });

  it('enqueues a job in one of several processes, even if the job has run already', async () => {
    await asSuperuser(`insert into scheduled_job select 'sync-all-installations', now() - interval '1 hour'`);
    await processOf(0).enqueueDue();
    expect(await countOf('sync-all-installations')).toBe(1);
    await run();
    await Promise.all([0, 1].map((index) => processOf(index).enqueueDue()));
    expect(await enqueued()).toEqual([]);
  });

  it('enqueues a job once after a time in which no process ran', async () => {
    await asSuperuser(`insert into scheduled_job select 'find-missed-deliveries', now() - interval '3 days'`);
    await Promise.all([0, 1].map((index) => processOf(index).enqueueDue()));
    expect(await countOf('find-missed-deliveries')).toBe(1);
  });

  it('enqueues a job again in the next interval', async () => {
    await processOf(0).enqueueDue();
    await run();
    await asSuperuser(
      `update scheduled_job set due_at = due_at - interval '1 minute' where name = 'delete-expired-repository-tokens'`,
    );
    await processOf(1).enqueueDue();
    expect((await enqueued()).map(({ name }) => name)).toEqual(['delete-expired-repository-tokens']);
  });

  it('enqueues a job also if an interval was saved while the clock of the database was an hour ahead', async () => {
    await asSuperuser(`insert into scheduled_job select 'sync-all-installations', now() + interval '1 hour'`);
    await processOf(0).enqueueDue();
    expect(await countOf('sync-all-installations')).toBe(1);
  });

  it('does not enqueue a job again by a statement that started before the interval and waited for its end', async () => {
    await asSuperuser(`insert into scheduled_job select 'sync-all-installations', now() + interval '2 seconds'`);
    await processOf(0).enqueueDue();
    expect(await countOf('sync-all-installations')).toBe(0);
  });

  it('enqueues no job while the database is not available, and enqueues it later', async () => {
    const gone = await Database.open({ url: test.appUrl, poolSize: 1 });
    await gone.close();
    const apart = new ScheduledJobsService(new JobsService(gone), readTestEnvironment({}));
    await expect(apart.enqueueDue()).resolves.toBeUndefined();
    await processOf(0).enqueueDue();
    expect(await countOf('sync-all-installations')).toBe(1);
  });
});
