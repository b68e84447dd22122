import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readTrustedKeys, verifyPack } from '../../src/client/verify-pack/verify-pack.js';
import { RetentionJobs } from '../../src/features/operations/retention.jobs.js';
import { S3TestServer } from '../support/s3-test-server.js';
import { replayStoredDecisions } from '../support/stored-decisions.js';
import { TestEnvironment } from '../support/test-environment.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const SHARED = '<testsuite name="shared" tests="1"><testcase name="in both releases"/></testsuite>';
const OWN = '<testsuite name="own" tests="1"><testcase name="in one release"/></testsuite>';

interface DecisionRow {
  readonly id: string;
  readonly open: boolean;
  readonly stage: string;
}

let env: TestEnvironment;
let store: S3TestServer;
let scenario: RepositoryScenario;
let admin: UserSession;

const releaseId = async (version: string): Promise<string> => {
  const [release] = await env.asSuperuser<{ id: string }>(`select id from release where version = '${version}'`);
  return release?.id ?? '';
};
const listDecisions = async (version: string): Promise<readonly DecisionRow[]> =>
  env.asSuperuser(
    `select d.id, d.open, d.verdict ->> 'stage' as stage from decision d
     where d.release_id = '${await releaseId(version)}' order by d.sequence`,
  );
/** The content of the newest report of the release with this name, as a user downloads it. */
async function download(version: string, name: string): Promise<readonly [number, string]> {
  const [report] = await env.asSuperuser<{ id: string; evidence: string }>(
    `select f.id, f.evidence_id as evidence from evidence_report f join evidence e on e.id = f.evidence_id
     where e.release_id = '${await releaseId(version)}' and f.name = '${name}' order by e.sequence desc limit 1`,
  );
  const url = `${env.baseUrl}/api/evidence/${report?.evidence}/reports/${report?.id}`;
  const response = await fetch(url, { headers: { cookie: admin.cookie } });
  return [response.status, await response.text()];
}
const usedBytes = async (): Promise<number> => {
  const [row] = await env.asSuperuser<{ bytes: number }>(
    'select sum(bytes)::float8 as bytes from storage_usage_change',
  );
  return row?.bytes ?? 0;
};
const deleteExpired = (): Promise<void> => env.app.get(RetentionJobs).deleteExpired();
/** Makes a release older. The database compares its times with its own clock, which a test cannot move. */
const age = async (version: string, days: number): Promise<unknown> =>
  env.asSuperuser(
    `update release set created_at = now() - interval '${days} days', updated_at = now() - interval '${days} days',
       evidence_at = now() - interval '${days} days', archived_at = null where id = '${await releaseId(version)}'`,
  );

/** Reports that a deployment starts. The report names the decision that keeps the gate closed. */
async function reportStart(sha: string): Promise<void> {
  const body = { repo: 'payments', environment: 'production', deployment: 'd1', status: 'started', commit_sha: sha };
  const response = await fetch(`${env.baseUrl}/api/deployments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await env.key(['deployment:write'])}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
}

beforeAll(async () => {
  store = await S3TestServer.start();
  env = await TestEnvironment.start({ BILLING: 'off', STORAGE_URL: store.storageUrl() });
  await env.install();
  scenario = new RepositoryScenario(env, { name: 'payments', private: false });
  admin = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
  const tested = await scenario.evidencing('v1.0.0');
  await scenario
    .run(tested)
    .upload('v1.0.0', { files: [{ filename: 'shared.xml', content: SHARED }], pipeline: 'more' });
  await env.waitUntilIdle();
  const milestone = scenario.milestone('v2.0.0');
  const sha = scenario.commit();
  await env.waitUntilIdle();
  for (const [filename, content] of [
    ['shared.xml', SHARED],
    ['own.xml', OWN],
  ] as const) {
    const { status } = await scenario.run(sha).upload('v2.0.0', { files: [{ filename, content }], pipeline: filename });
    expect(status).toBe(201);
    await env.waitUntilIdle();
  }
  for (const title of ['one', 'two', 'three', 'four']) {
    scenario.repository.issues.create({ title, milestone });
    await env.waitUntilIdle();
    if (title === 'two') await reportStart(sha);
  }
}, 300_000);
afterAll(async () => {
  await env.stop();
  await store.goDown();
  await store.clear();
});

describe('a release that was never deployed', () => {
  let before: readonly DecisionRow[];

  it('has everything until it has not changed for the days of RETENTION_UNSHIPPED', async () => {
    await age('v2.0.0', 364);
    before = await listDecisions('v2.0.0');
    await deleteExpired();
    expect(await listDecisions('v2.0.0')).toEqual(before);
    expect(await download('v2.0.0', 'own.xml')).toEqual([200, OWN]);
  });

  it('loses its own report files, with their place in the storage quota', async () => {
    const used = await usedBytes();
    await age('v2.0.0', 366);
    await deleteExpired();
    expect(await download('v2.0.0', 'own.xml')).toEqual([
      404,
      expect.stringContaining('its release was never deployed'),
    ]);
    expect(await usedBytes()).toBeLessThanOrEqual(used - OWN.length);
    expect(await env.asSuperuser(`select from evidence_report where name = 'own.xml'`)).toHaveLength(1);
  });

  it('leaves the report files that another release has too', async () => {
    expect(await download('v1.0.0', 'shared.xml')).toEqual([200, SHARED]);
    expect(await download('v2.0.0', 'shared.xml')).toEqual([200, SHARED]);
  });

  it('loses only closed decisions that repeat the stage, and neither the first nor the last nor one that a report names', async () => {
    const [reported] = await env.asSuperuser<{ id: string }>('select decision_id as id from deployment_report');
    expect(before.findIndex(({ id }) => id === reported?.id)).toBeGreaterThan(0);
    const expected = before.filter(({ id, open, stage }, at) => {
      const previous = before[at - 1];
      if (id === reported?.id) return true;
      return open || at === before.length - 1 || previous === undefined || previous.open || previous.stage !== stage;
    });
    expect(expected.length).toBeLessThan(before.length);
    expect(await listDecisions('v2.0.0')).toEqual(expected);
    expect((await replayStoredDecisions(env)).differing).toEqual([]);
  });

  it('has an intact audit pack that names the deleted files', async () => {
    const pack = await fetch(`${env.baseUrl}/api/milestones/${await releaseId('v2.0.0')}/audit-pack`, {
      headers: { cookie: admin.cookie },
    });
    const folder = mkdtempSync(join(tmpdir(), 'shipgate-retention-'));
    writeFileSync(join(folder, 'pack.zip'), Buffer.from(await pack.arrayBuffer()));
    const keys = await (await fetch(`${env.baseUrl}/.well-known/shipgate-keys.json`)).text();
    const lines: string[] = [];
    const isIntact =
      (await verifyPack(join(folder, 'pack.zip'), readTrustedKeys(keys), (line) => lines.push(line))) === 'intact';
    rmSync(folder, { recursive: true });
    expect([lines.join('\n'), isIntact]).toEqual([expect.stringContaining('1 were deleted by retention'), true]);
  });

  it('has its file again after the same content was uploaded again', async () => {
    const { status } = await scenario
      .run(scenario.head())
      .upload('v2.0.0', { files: [{ filename: 'own.xml', content: OWN }], pipeline: 'again' });
    expect(status).toBe(201);
    expect(await download('v2.0.0', 'own.xml')).toEqual([200, OWN]);
    await env.waitUntilIdle();
  });

  it('loses it in a workspace whose app is uninstalled as well, and the object 40 days later', async () => {
    const stored = (await store.keys()).length;
    await age('v2.0.0', 366);
    await env.asSuperuser(`update organization set installation_id = null`);
    await deleteExpired();
    expect((await download('v2.0.0', 'own.xml'))[0]).toBe(404);
    await env.asSuperuser(
      `update report_content set removed_at = now() - interval '39 days' where removed_at is not null`,
    );
    await deleteExpired();
    expect(await store.keys()).toHaveLength(stored);
    await env.asSuperuser(
      `update report_content set removed_at = now() - interval '41 days' where removed_at is not null`,
    );
    await deleteExpired();
    expect(await store.keys()).toHaveLength(stored - 1);
    expect(await download('v1.0.0', 'shared.xml')).toEqual([200, SHARED]);
  });
});

describe('the database', () => {
  it('refuses to delete what changed within 30 days, and to change stored content', async () => {
    await age('v1.0.0', 29);
    const orgId = await env.orgId();
    const archived = await env.database.inTenant(orgId, (tx) =>
      tx.query(`select releases, reports from archive_unshipped_releases(now() + interval '10 years', 10)`),
    );
    expect(archived).toEqual([{ releases: 0, reports: 0 }]);
    const change = env.database.inTenant(orgId, (tx) =>
      tx.query(`update report_content set location = 's3://elsewhere/x' where removed_at is null`),
    );
    await expect(change).rejects.toThrow('permission denied for table report_content');
  });
});

describe('accounts and invites', () => {
  it('are deleted when they are not needed any more', async () => {
    for (const login of ['gone', 'back']) await signIn(env, env.github.createUser({ login }), { role: null });
    await env.asSuperuser(
      `update user_account set updated_at = now() - interval '366 days';
       delete from session where user_id in (select github_id from user_account where login in ('gone', 'ada'));
       insert into invite (org_id, id, role, created_by, created_at, expires_at)
       select org_id, gen_random_uuid(), 'member', 1, now() - interval '200 days', now() - interval '1 day' * days
       from organization, unnest(array[89, 91]) as days`,
    );
    await deleteExpired();
    // A member and a user with a session stay.
    expect(await env.asSuperuser(`select login from user_account order by login`)).toEqual([
      { login: 'ada' },
      { login: 'back' },
    ]);
    expect(await env.asSuperuser(`select from invite`)).toHaveLength(1);
  });
});
