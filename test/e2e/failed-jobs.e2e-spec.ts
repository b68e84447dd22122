import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { RetentionJobs } from '../../src/features/operations/retention.jobs.js';
import { TestEnvironment } from '../support/test-environment.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

const LONG_AGO = '3 days 1 hour';
const LATELY = '2 days 23 hours';

let env: TestEnvironment;

beforeAll(async () => {
  env = await TestEnvironment.start({ RETENTION_FAILED_JOBS: '3d', RETENTION_DELIVERIES: '9d' });
});
afterAll(() => env.stop());

/** Creates a job that failed `tries` of its twelve attempts, the last one this long ago. Returns its id. */
async function failedJob(
  ago: string,
  { name = 'dispatch-deployment', payload = {}, tries = 12, isTried = false, isReplaced = false } = {},
): Promise<string> {
  return withDedicatedClient(env.databaseUrls.superuserUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `select id from graphile_worker.add_job($1, $2::json, run_at => now() + interval '1 day', max_attempts => 12,
         job_key => gen_random_uuid()::text)`,
      [name, JSON.stringify(payload)],
    );
    const id = rows[0]?.id ?? '';
    await client.query(
      `update ${JOB_TABLE} set attempts = $2, updated_at = now() - $3::interval,
         locked_at = case when $4 then now() end, key = case when not $5 then key end where id = $1`,
      [id, tries, ago, isTried, isReplaced],
    );
    return id;
  });
}

/** Creates a stored delivery with this status. Returns its GUID. */
async function delivery(status: 'pending' | 'dead' | 'done' | 'ignored', ago = '0 days'): Promise<string> {
  const guid = randomUUID();
  await env.asSuperuser(
    `insert into webhook_delivery (guid, event, status, body, received_at) values ('${guid}', 'push', '${status}', '{}', now() - interval '${ago}')`,
  );
  return guid;
}

/** Returns the jobs that remain after the deletion of expired rows. */
async function leftOf<Name extends string>(jobs: Readonly<Record<Name, string>>): Promise<readonly Name[]> {
  await env.app.get(RetentionJobs).deleteExpired();
  const rows = await env.asSuperuser<{ id: string }>('select id from graphile_worker.jobs');
  const ids = new Set(rows.map(({ id }) => id));
  return (Object.keys(jobs) as Name[]).filter((name) => ids.has(jobs[name]));
}

describe('a job that failed in every attempt', () => {
  it('is stored for the days of RETENTION_FAILED_JOBS and then deleted with a log line', async () => {
    const jobs = {
      'given up long ago': await failedJob(LONG_AGO),
      'given up lately': await failedJob(LATELY),
      'to be tried again': await failedJob(LONG_AGO, { tries: 11 }),
      'at its last try': await failedJob(LONG_AGO, { isTried: true }),
    };
    expect(await leftOf(jobs)).toEqual(['given up lately', 'to be tried again', 'at its last try']);
    expect(env.lines.filter((line) => line.includes('Deleted failed jobs: 1 of dispatch-deployment.'))).toEqual([
      expect.stringContaining('"level":"warn"'),
    ]);
  });

  it('is deleted after an hour without a log line if a later job replaced it', async () => {
    const logged = env.lines.length;
    const jobs = {
      'replaced long ago': await failedJob('61 minutes', { isReplaced: true }),
      'replaced lately': await failedJob('59 minutes', { isReplaced: true }),
    };
    expect(await leftOf(jobs)).toEqual(['replaced lately']);
    expect(env.lines.slice(logged).filter((line) => line.includes('Deleted failed jobs'))).toEqual([]);
  });

  it('of a delivery remains until the delivery is done, because no other job retries it', async () => {
    const of = async (guid: string): Promise<string> =>
      failedJob(LONG_AGO, { name: 'process-webhook', payload: { guid } });
    const jobs = {
      pending: await of(await delivery('pending')),
      dead: await of(await delivery('dead')),
      done: await of(await delivery('done')),
      forgotten: await of(randomUUID()),
    };
    expect(await leftOf(jobs)).toEqual(['pending']);
  });
});

describe('a delivery', () => {
  it('is deleted after the days of RETENTION_DELIVERIES if it was processed or ignored', async () => {
    const deliveries = {
      'done long ago': await delivery('done', '9 days 1 hour'),
      'done lately': await delivery('done', '8 days 23 hours'),
      'ignored long ago': await delivery('ignored', '9 days 1 hour'),
      'dead long ago': await delivery('dead', '90 days'),
      'pending long ago': await delivery('pending', '90 days'),
    };
    await env.app.get(RetentionJobs).deleteExpired();
    const rows = await env.asSuperuser<{ guid: string }>('select guid from webhook_delivery');
    const left = new Set(rows.map(({ guid }) => guid));
    expect(Object.entries(deliveries).flatMap(([name, guid]) => (left.has(guid) ? [name] : []))).toEqual([
      'done lately',
      'dead long ago',
      'pending long ago',
    ]);
  });
});
