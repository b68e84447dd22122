import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { TallyStorage1790706000000 } from '../../migrations/1790706000000-tally-storage.js';
import { RenameEvidenceTables1790709000400 } from '../../migrations/1790709000400-rename-evidence-tables.js';
import { RenameStorageUsage1790709000600 } from '../../migrations/1790709000600-rename-storage-usage.js';
import { MeasureWorkspaces1790717000100 } from '../../migrations/1790717000100-measure-workspaces.js';
import { RetentionRepository } from '../../src/features/operations/retention.repository.js';
import { WorkspacesQueries } from '../../src/workspaces/workspaces.queries.js';
import { junit } from '../support/ci-run-client.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { postUpload, countStoredRows } from './scenarios/service-requests.js';

const VERSION = 'v1.0.0';
const LIMIT = 524_288;

let env: TestEnvironment;
let repo: RepositoryScenario;
let sha: string;
let bearer: string;
let admin: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start({ STORAGE_QUOTA_FREE: '512KB', STORAGE_QUOTA: '1GB' });
  await env.install();
  repo = new RepositoryScenario(env, { name: 'payments' });
  repo.repository.milestones.create({ title: VERSION });
  sha = repo.commit();
  await env.waitUntilIdle();
  bearer = await env.key();
  admin = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
});
afterAll(() => env.stop());

/** A document of this size in bytes that no other upload contains. */
const documentOf = (size: number): string => randomBytes(size / 2).toString('hex');

let pipelines = 0;
const upload = (document: string, more: object = {}) =>
  postUpload(env, {
    bearer,
    body: {
      repo: 'payments',
      version: VERSION,
      pipeline: `pipeline ${(pipelines += 1)}`,
      commit_sha: sha,
      reports: { 'page.html': document },
      ...more,
    },
  });

/** Waits for the jobs after the uploads, because decisions count too. */
const used = async (): Promise<number> => {
  await env.waitUntilIdle();
  const { storage } = (await admin.get('/api/billing')).body as { storage: { used: number; limit: number } };
  expect(storage.limit).toBe(LIMIT);
  return storage.used;
};

/** The bytes of report contents in the database. */
const recounted = async (): Promise<number> => {
  const [row] = await env.asSuperuser<{ bytes: number }>(
    `select ((select sum(octet_length(bytes)) from report_content)
       + coalesce((select sum(octet_length(deflated)) from report_content_block), 0))::int as bytes`,
  );
  return row?.bytes ?? 0;
};

describe('the storage of a workspace', () => {
  it('counts stored content once and returns the count to members', async () => {
    const decisions = await used();
    expect(decisions).toBeLessThan(10_000);
    const document = documentOf(20_000);
    expect((await upload(document)).status).toBe(201);
    const first = await used();
    expect(first - (await recounted())).toBeGreaterThan(decisions);
    expect(first).toBeLessThan(35_000);
    expect((await upload(document)).status).toBe(201);
    expect((await used()) - first).toBeLessThan(10_000);
    expect(await recounted()).toBe(20_000);
    const now = await used();
    expect((await admin.get('/api/debug')).body).toMatchObject({ storage: { used: now, limit: LIMIT } });
  });

  it('stays the same after the counts are compacted', async () => {
    const before = await used();
    await new RetentionRepository(env.database, new WorkspacesQueries(env.database)).compactCounts();
    expect(await used()).toBe(before);
    expect(await env.asSuperuser('select from storage_usage_change')).toHaveLength(1);
  });

  it('is counted by the migration as at the upload, also for content outside the database', async () => {
    const files = [{ filename: 'junit.xml', content: junit(300) }];
    expect((await upload(documentOf(10_000), { files, metrics: { sizes: [1, 2, 3] } })).status).toBe(201);
    await env.waitUntilIdle();
    // The evidence pull request, whose files are stored in each version.
    const [published] = await env.asSuperuser<{ bytes: number }>(
      'select sum(octet_length(content))::int as bytes from published_evidence',
    );
    const counted = await env.asSuperuser<{ bytes: number }>('select bytes::int from storage_usage_change');
    expect(counted).toContainEqual({ bytes: published?.bytes });
    const before = await used();
    const runner = { query: (sql: string) => env.asSuperuser(`set role shipgate_owner; ${sql}`) };
    const superuser = { query: (sql: string) => env.asSuperuser(sql) } as unknown as QueryRunner;
    const migrate = async (): Promise<void> => {
      const migration = new TallyStorage1790706000000();
      // The functions of this migration read the renamed tables.
      const measuring = new MeasureWorkspaces1790717000100();
      await measuring.down(superuser);
      const renames = [new RenameEvidenceTables1790709000400(), new RenameStorageUsage1790709000600()];
      for (const rename of renames) await rename.down(runner as unknown as QueryRunner);
      await migration.down(runner as unknown as QueryRunner);
      await migration.up(runner as unknown as QueryRunner);
      for (const rename of renames) await rename.up(runner as unknown as QueryRunner);
      await measuring.up(superuser);
    };
    await migrate();
    const migrated = await used();
    // The database writes its JSON with spaces.
    expect(Math.abs(migrated - before)).toBeLessThan(before * 0.05);

    const sha256 = 'e'.repeat(64);
    await env.asSuperuser(
      `insert into report_content (org_id, sha256, bytes, location) select org_id, '${sha256}', '', 's3://reports/e' from organization;
       insert into evidence_report select (jsonb_populate_record(null::evidence_report, to_jsonb(r) || jsonb_build_object(
         'id', gen_random_uuid(), 'position', r.position + 100, 'sha256', '${sha256}', 'size', 50000, 'summary', '{}'::jsonb))).* from evidence_report r limit 1`,
    );
    await migrate();
    const [least, most] = [migrated + 50_000, migrated + 52_000];
    expect(await used()).toBeGreaterThan(least);
    expect(await used()).toBeLessThan(most);
    await env.asSuperuser(
      `delete from evidence_report where sha256 = '${sha256}'; delete from report_content where sha256 = '${sha256}'`,
    );
    await migrate();
    expect(await used()).toBe(migrated);
  });

  it('includes decisions with their evidence', async () => {
    const decided = async (): Promise<number> => {
      const [row] = await env.asSuperuser<{ bytes: number }>(
        'select sum(pg_column_size(verdict) + pg_column_size(inputs))::int as bytes from decision',
      );
      return row?.bytes ?? 0;
    };
    const [before, decidedBefore] = [await used(), await decided()];
    for (let n = 0; n < 10; n += 1) {
      const metrics = { unit_tests: { total: 1, passed: 0, failed: 1, skipped: 0 } };
      expect((await upload('<p>red</p>', { metrics })).status).toBe(201);
    }
    const grown = (await decided()) - decidedBefore;
    expect(grown).toBeGreaterThan(5_000);
    expect((await used()) - before).toBeGreaterThan(grown);
  });

  it('never exceeds the quota when uploads arrive at once', async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => upload(documentOf(30_000))));
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toEqual(new Set([201, 413]));
    expect(await used()).toBeLessThanOrEqual(LIMIT);
    expect(await recounted()).toBeLessThan(await used());
  });

  it('rejects an upload above the quota and stores nothing of it', async () => {
    const before = await countStoredRows(env);
    const { status, body } = await upload(documentOf(100_000));
    expect([status, body['error']]).toEqual([
      413,
      `The workspace stores ${await used()} of its ${LIMIT} bytes. This upload would exceed the quota. ` +
        'An admin can request the pro plan, which has a larger quota.',
    ]);
    expect(await countStoredRows(env)).toEqual(before);
  });

  it('accepts a repeated upload, and a larger one with the pro plan', async () => {
    await env.asSuperuser('delete from storage_usage_change');
    const run = repo.run(sha);
    const document = documentOf(2_000);
    const body = { repo: 'payments', version: VERSION, pipeline: 'once', reports: { 'page.html': document } };
    expect((await postUpload(env, { bearer: await run.token(), body })).status).toBe(201);
    await env.asSuperuser(`insert into storage_usage_change (org_id, bytes) select org_id, ${LIMIT} from organization`);
    expect((await postUpload(env, { bearer: await run.token(), body })).status).toBe(200);
    expect((await upload(documentOf(1_000))).status).toBe(413);
    await env.asSuperuser(`update organization set plan = 'pro'`);
    expect((await upload(documentOf(1_000))).status).toBe(201);
  });
});
