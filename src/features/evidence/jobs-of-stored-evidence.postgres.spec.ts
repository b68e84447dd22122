import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { TestWorkspaceDatabase } from '../../../test/support/test-workspace-database.js';
import type { WorkspaceRows } from '../../../test/support/workspace-rows.js';
import { withDedicatedClient } from '../../database/dedicated-client.js';

interface Upload {
  readonly uploadedBy?: object;
  readonly runAttempt?: number;
}

const TOKEN = { kind: 'identity_token', event: 'push', workflow: 'CI', ref: 'refs/heads/main' };
const KEY = { kind: 'api_key', keyId: '00000000-0000-4000-8000-000000000001' };

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

async function store({ uploadedBy = KEY, runAttempt = 1 }: Upload): Promise<string> {
  const id = randomUUID();
  await rows.write(
    `insert into evidence (org_id, id, release_id, repository_id, pipeline, environment, job, run_id, run_attempt,
       commit_sha, commit_source, uploaded_by, items, metrics, reports, flags, sha256, received_at)
     values ($1, $2, $3, $4, 'ci', 'ci', '', '77', $5, 'c', 'stated', $6, '[]', '{}', '[]', '[]', $7, now())`,
    [rows.orgId, id, releaseId, repositoryId, runAttempt, JSON.stringify(uploadedBy), id],
  );
  return id;
}

const all = (select: string): Promise<readonly Record<string, unknown>[]> =>
  withDedicatedClient(
    listed.urls.superuserUrl,
    async (client) => (await client.query<Record<string, unknown>>(select)).rows,
  );

describe('stored evidence', () => {
  it.each<[string, object, string | null]>([
    ['a token with a check run', { ...TOKEN, checkRunId: 9_007_199_254_740_991 }, '9007199254740991'],
    ['a token without a check run', { ...TOKEN, checkRunId: null }, null],
    ['a key that says to be a token', { ...KEY, checkRunId: 31 }, null],
  ])('has the check run that its token proves: %s', async (_, uploadedBy, checkRun) => {
    const id = await store({ uploadedBy });
    expect(await all(`select check_run_id from evidence where id = '${id}'`)).toEqual([{ check_run_id: checkRun }]);
  });

  it('is hidden from other workspaces, from its owner as well', async () => {
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
    await store({ runAttempt: Number.MAX_SAFE_INTEGER });
    const insert = (checkRun: number): Promise<void> =>
      rows.write(
        `insert into evidence (org_id, id, release_id, repository_id, pipeline, environment, job, run_id,
           commit_sha, commit_source, uploaded_by, items, metrics, reports, flags, sha256, received_at)
         values ($1, $2, $3, $4, 'ci', 'ci', '', '78', 'c', 'token', $5, '[]', '{}', '[]', '[]', 'same', now())`,
        [rows.orgId, randomUUID(), releaseId, repositoryId, JSON.stringify({ ...TOKEN, checkRunId: checkRun })],
      );
    await insert(1);
    await insert(2);
    await expect(insert(2)).rejects.toMatchObject({ code: '23505' });
  });
});
