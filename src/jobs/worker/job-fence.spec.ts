import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';
import { runWithFence } from '../../database/fence.js';
import { toOrgId } from '../../database/ids.js';
import { createJobFence, releaseLeases, type LeasedJob } from './job-fence.js';
import { JOB_TABLE } from '../../database/job-tables.js';

const POOL = 'worker-pool-1';
const ORG = toOrgId(randomUUID());

describe('the fence of a job', () => {
  let test: TestDatabase;
  let database: Database;
  let held: LeasedJob;

  const asSuperuser = async <Row extends object>(sql: string, params: readonly unknown[] = []): Promise<Row[]> =>
    withDedicatedClient(test.superuserUrl, async (client) => (await client.query<Row>(sql, [...params])).rows);
  const leaseToAnother = (): Promise<unknown> =>
    asSuperuser(`update ${JOB_TABLE} set locked_by = 'another', locked_at = now() where id = $1`, [held.id]);
  const logins = async (): Promise<unknown> => asSuperuser('select login from organization');
  const fenced = <T>(work: () => Promise<T>): Promise<T> => runWithFence(createJobFence(held), work);
  const write = (tx: TenantTransaction): Promise<unknown> =>
    tx.query(`insert into organization (org_id, github_id, login, created_at) values ($1, 1, 'acme', now())`, [ORG]);
  const addJob = (): Promise<unknown> =>
    database.queryWithoutTenant(
      'add_test_job',
      `select graphile_worker.add_job('noted', '{}', job_key := 'noted')`,
      [],
    );
  const isJobAdded = async (): Promise<boolean> =>
    (await asSuperuser(`select from graphile_worker.jobs where key = 'noted'`)).length > 0;

  beforeAll(async () => {
    test = await createTestDatabase();
    // One connection that all callers share.
    database = await Database.open({ url: test.appUrl, poolSize: 1 });
  });
  beforeEach(async () => {
    await asSuperuser(`delete from ${JOB_TABLE}`);
    await asSuperuser('delete from organization');
    await asSuperuser(`select graphile_worker.add_job('work', '{}')`);
    const [job] = await asSuperuser<LeasedJob>(
      `update ${JOB_TABLE} set locked_by = $1, locked_at = now() returning id::text, locked_by, locked_at`,
      [POOL],
    );
    held = job!;
  });
  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  it('allows all work while the worker holds the job', async () => {
    await fenced(async () => {
      await database.inTenant(ORG, write);
      await database.inTenant(ORG, async () => undefined);
      await addJob();
      await database.assertFence();
    });
    expect(await logins()).toEqual([{ login: 'acme' }]);
    expect(await isJobAdded()).toBe(true);
  });

  it('rejects all work when another worker holds the job, and leaves the connection usable', async () => {
    await leaseToAnother();
    const lost = { name: 'JobLost', message: `The job ${held.id} is not this worker's any more.` };
    await expect(fenced(() => database.inTenant(ORG, write))).rejects.toMatchObject(lost);
    await expect(fenced(() => database.inTenant(ORG, async () => undefined))).rejects.toMatchObject(lost);
    await expect(fenced(addJob)).rejects.toMatchObject(lost);
    await expect(fenced(() => database.assertFence())).rejects.toMatchObject(lost);
    expect(await logins()).toEqual([]);
    expect(await isJobAdded()).toBe(false);
    await database.inTenant(ORG, write);
    expect(await logins()).toEqual([{ login: 'acme' }]);
  });

  it('saves no work that continues after a rejection', async () => {
    await leaseToAnother();
    const continuing = fenced(() =>
      database.inTenant(ORG, async (tx) => {
        await expect(write(tx)).rejects.toMatchObject({ code: 'SG001' });
        await expect(write(tx)).rejects.toMatchObject({ code: '25P02' });
      }),
    );
    await expect(continuing).rejects.toThrow('nothing of it was kept');
    expect(await logins()).toEqual([]);
  });

  it('protects a transaction from its first statement to its end', async () => {
    let isReleased = false;
    const second = await Database.open({ url: test.appUrl, poolSize: 1 });
    const connection = await second.pool.connect();
    const releasing = fenced(() =>
      database.inTenant(ORG, async (tx) => {
        await write(tx);
        const released = releaseLeases(connection, POOL).then(() => (isReleased = true));
        await new Promise((done) => setTimeout(done, 200));
        expect(isReleased).toBe(false);
        return { gave: released };
      }),
    );
    await (
      await releasing
    ).gave;
    connection.release();
    await second.close();
    expect(await logins()).toEqual([{ login: 'acme' }]);
    await expect(fenced(() => database.assertFence())).rejects.toMatchObject({ name: 'JobLost' });
  });

  it('does not report a job as lost that was added again with the same key or tried before', async () => {
    await asSuperuser(`update ${JOB_TABLE} set attempts = attempts + 1, run_at = now() where id = $1`, [held.id]);
    await fenced(() => database.assertFence());
  });

  it.each([
    ['no pool', { locked_by: null }],
    ['no time', { locked_at: null }],
  ])('rejects a job whose lease has %s', (_, missing) => {
    expect(() => createJobFence({ ...held, ...missing })).toThrow(`The job ${held.id} has no lease.`);
  });
});
