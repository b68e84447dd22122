import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import type { QueryRunner } from 'typeorm';
import { ProveJobsOfEvidence1790707000000 } from '../../../migrations/1790707000000-prove-jobs-of-evidence.js';
import { TestWorkspaceDatabase } from '../../../test/support/test-workspace-database.js';
import type { WorkspaceRows } from '../../../test/support/workspace-rows.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';

interface Upload {
  readonly job: string;
  readonly files?: readonly string[];
  readonly uploadedBy?: object;
  readonly runAttempt?: number;
}

const TOKEN = { kind: 'identity_token', event: 'push', workflow: 'CI', ref: 'refs/heads/main' };
const KEY = { kind: 'api_key', keyId: '00000000-0000-4000-8000-000000000001' };

const STORED: readonly (readonly [string, Upload, object])[] = [
  ['a job that was named', { job: 'unit', files: ['junit.xml'] }, { stated: 'unit', checkRun: null }],
  ['a job that was named, without files', { job: 'unit' }, { stated: 'unit', checkRun: null }],
  ['no job, and no files', { job: '' }, { stated: null, checkRun: null }],
  ['the name of its file', { job: 'junit.xml', files: ['junit.xml'] }, { stated: null, checkRun: null }],
  ['the names of its files', { job: 'a.xml\nb.xml', files: ['b.xml', 'a.xml'] }, { stated: null, checkRun: null }],
  ['two files of one name', { job: 'a.xml\na.xml', files: ['a.xml', 'a.xml'] }, { stated: null, checkRun: null }],
  ['files beside stored pages', { job: 'a.xml', files: ['a.xml', 'page.html'] }, { stated: null, checkRun: null }],
  ['a job that is called almost like its file', { job: 'a', files: ['a.xml'] }, { stated: 'a', checkRun: null }],
  [
    'a token with a check run',
    { job: 'a.xml', files: ['a.xml'], uploadedBy: { ...TOKEN, checkRunId: 9_007_199_254_740_991 } },
    { stated: null, checkRun: '9007199254740991' },
  ],
  [
    'a token with a check run, and a job that was named',
    { job: 'unit', files: ['a.xml'], uploadedBy: { ...TOKEN, checkRunId: 31 } },
    { stated: 'unit', checkRun: '31' },
  ],
  [
    'a token without a check run',
    { job: '', uploadedBy: { ...TOKEN, checkRunId: null } },
    { stated: null, checkRun: null },
  ],
  ['a token of long ago', { job: '', uploadedBy: TOKEN }, { stated: null, checkRun: null }],
  [
    'a key that says to be a token',
    { job: '', uploadedBy: { ...KEY, checkRunId: 31 } },
    { stated: null, checkRun: null },
  ],
];

let listed: TestWorkspaceDatabase;
let rows: WorkspaceRows;
let releaseId: string;
let repositoryId: string;

beforeAll(async () => {
  listed = await TestWorkspaceDatabase.open();
  rows = await listed.workspace('acme');
  repositoryId = await rows.repository('payments');
  releaseId = await rows.release({ repositoryId, version: 'v1.0.0' });
});
afterAll(() => listed.close());

/** Runs the work as the role that migrates. It owns the tables, and their policies apply to it, too. */
const asOwner = (work: (client: Client) => Promise<unknown>): Promise<void> =>
  withDedicatedClient(listed.urls.ownerUrl, async (client) => {
    await client.query('set role shipgate_owner');
    await work(client);
  });

async function store({ job, files = [], uploadedBy = KEY, runAttempt = 1 }: Upload): Promise<string> {
  const id = randomUUID();
  await rows.write(
    `insert into evidence (org_id, id, release_id, repository_id, pipeline, environment, job, run_id, run_attempt,
       commit_sha, commit_source, uploaded_by, pieces, metrics, reports, flags, sha256, received_at)
     values ($1, $2, $3, $4, 'ci', 'ci', $5, '77', $6, 'c', 'body', $7, '[]', '{}', '[]', '[]', $8, now())`,
    [rows.orgId, id, releaseId, repositoryId, job, runAttempt, JSON.stringify(uploadedBy), id],
  );
  for (const [position, name] of files.entries()) {
    await rows.write(
      `insert into evidence_report (org_id, id, evidence_id, position, name, format, sha256, size, summary)
       values ($1, $2, $3, $4, $5, 'junit', 'digest', 1, '{}')`,
      [rows.orgId, randomUUID(), id, position, name],
    );
  }
  return id;
}

const all = (select: string): Promise<readonly Record<string, unknown>[]> =>
  withDedicatedClient(
    listed.urls.superuserUrl,
    async (client) => (await client.query<Record<string, unknown>>(select)).rows,
  );

describe('evidence that was stored before jobs were proven', () => {
  it('preserves all its fields and gets the job that it named or that its token proves, never the name of a file', async () => {
    const migration = new ProveJobsOfEvidence1790707000000();
    await asOwner((client) => migration.down(client as unknown as QueryRunner));
    await rows.write(`insert into report_content (org_id, sha256, bytes) values ($1, 'digest', 'x')`, [rows.orgId]);
    const ids = new Map<string, string>();
    for (const [name, upload] of STORED) ids.set(name, await store(upload));
    const gateAnswer = `select org_id, id, sequence, release_id, repository_id, pipeline, environment, job, run_id,
      run_attempt::int as run_attempt, commit_sha, uploaded_by, pieces, sha256, received_at from evidence order by sequence`;
    const before = await all(gateAnswer);
    await asOwner((client) => migration.up(client as unknown as QueryRunner));
    expect(await all(gateAnswer)).toEqual(before);
    const known = await all(
      `select id, stated_job as stated, check_run_id as "checkRun", job_group, job_total from evidence`,
    );
    const jobs = new Map(known.map(({ id, ...job }) => [id, job]));
    for (const [name, , job] of STORED) {
      expect([name, jobs.get(ids.get(name)!)]).toEqual([name, { ...job, job_group: null, job_total: null }]);
    }
  });

  it('gets the job that its token proves also if a process of the previous version stores it afterwards', async () => {
    const id = await store({ job: 'a.xml', files: ['a.xml'], uploadedBy: { ...TOKEN, checkRunId: 32 } });
    expect(await all(`select check_run_id, stated_job from evidence where id = '${id}'`)).toEqual([
      { check_run_id: '32', stated_job: null },
    ]);
  });

  it('is still hidden from other workspaces, from its owner as well', async () => {
    await asOwner(async (client) => {
      expect((await client.query('select from evidence')).rowCount).toBe(0);
      expect((await client.query('select from evidence_report')).rowCount).toBe(0);
    });
    const forced = await all(
      `select relname, relforcerowsecurity as forced from pg_class where relname in ('evidence', 'evidence_report') order by 1`,
    );
    expect(forced).toEqual([
      { relname: 'evidence', forced: true },
      { relname: 'evidence_report', forced: true },
    ]);
  });

  it('distinguishes an attempt beyond 2^31, and two jobs of a run that upload the same bytes', async () => {
    await store({ job: '', runAttempt: Number.MAX_SAFE_INTEGER });
    const insert = (checkRun: number): Promise<void> =>
      rows.write(
        `insert into evidence (org_id, id, release_id, repository_id, pipeline, environment, job, run_id,
           commit_sha, commit_source, uploaded_by, pieces, metrics, reports, flags, sha256, received_at)
         values ($1, $2, $3, $4, 'ci', 'ci', '', '78', 'c', 'token', $5, '[]', '{}', '[]', '[]', 'same', now())`,
        [rows.orgId, randomUUID(), releaseId, repositoryId, JSON.stringify({ ...TOKEN, checkRunId: checkRun })],
      );
    await insert(1);
    await insert(2);
    await expect(insert(2)).rejects.toMatchObject({ code: '23505' });
  });
});
