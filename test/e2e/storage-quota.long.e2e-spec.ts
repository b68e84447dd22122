import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

  it('includes the files of the evidence pull request, in each version', async () => {
    const files = [{ filename: 'junit.xml', content: junit(300) }];
    expect((await upload(documentOf(10_000), { files, metrics: { sizes: [1, 2, 3] } })).status).toBe(201);
    await env.waitUntilIdle();
    const [published] = await env.asSuperuser<{ bytes: number }>(
      'select sum(octet_length(content))::int as bytes from published_evidence',
    );
    const counted = await env.asSuperuser<{ bytes: number }>('select bytes::int from storage_usage_change');
    expect(counted).toContainEqual({ bytes: published?.bytes });
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
