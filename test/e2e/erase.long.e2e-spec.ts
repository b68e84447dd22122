import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findObstacle } from '../../src/cli/commands/erase-command.js';
import { toOrgId } from '../../src/database/ids.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';
import type { Installation } from '../github-sim/state/installation.js';
import type { Organization } from '../github-sim/state/organization.js';
import { type CommandResult, runCommand } from '../support/command-process.js';
import { S3TestServer } from '../support/s3-test-server.js';
import { TestEnvironment } from '../support/test-environment.js';
import { signIn } from '../support/user-session.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const PATIENCE_MS = 600_000;

let env: TestEnvironment;
let store: S3TestServer;
let folder: string;
let leaving: Organization;
let installation: Installation;
let orgId: string;
let neighbours: readonly unknown[];

const erase = (...args: readonly string[]): Promise<CommandResult> =>
  runCommand('erase', args, {
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    SESSION_SECRET: 'a secret that no deployment has!',
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    STORAGE_URL: store.storageUrl(),
    DATABASE_URL: env.databaseUrls.appUrl,
    DATABASE_MIGRATION_URL: env.databaseUrls.ownerUrl,
  });

/** The name of every table, and whether its rows belong to workspaces. */
const listTables = (): Promise<readonly { readonly name: string; readonly tenant: boolean }[]> =>
  env.asSuperuser(
    `select format('%I.%I', table_schema, table_name) as name, bool_or(column_name = 'org_id') as tenant
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE' group by 1 order by 1`,
  );

/** Each table with a row that contains the text in any column. */
async function findText(text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name } of await listTables()) {
    const rows = await env.asSuperuser(`select from ${name} t where t::text ilike '%${text}%' limit 1`);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** The rows of the other workspace in every table. */
async function readOthers(): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  for (const { name, tenant } of await listTables()) {
    if (tenant)
      rows.push(name, await env.asSuperuser(`select t::text from ${name} t where org_id <> '${orgId}' order by 1`));
  }
  return rows;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shipgate-erasure-'));
  store = await S3TestServer.start();
  env = await TestEnvironment.start({ STORAGE_URL: store.storageUrl(), BILLING: 'off' });
  await env.install();
  await new RepositoryScenario(env, { name: 'staying' }).approved('v1.0.0');
  leaving = env.github.createOrganization({ login: 'initech' });
  installation = env.github.installApp(env.githubApp, leaving);
  await env.waitUntilIdle();
  orgId = await env.orgId(leaving);
  const scenario = new RepositoryScenario(env, { name: 'payroll', organization: leaving });
  const sha = await scenario.approved('v7.0.0');
  await scenario.deploy(sha);
  const peter = env.github.createUser({ login: 'peter-gibbons' });
  await signIn(env, peter, { role: 'admin', organization: leaving });
  const both = env.github.createUser({ login: 'milton' });
  await signIn(env, both, { organization: leaving });
  await signIn(env, both);
  await env.waitUntilIdle();
}, PATIENCE_MS);
afterAll(async () => {
  await env.stop();
  await store.goDown();
  await store.clear();
  rmSync(folder, { recursive: true });
});

describe('a workspace', () => {
  const now = new Date('2026-06-30T12:00:00Z');
  const workspace = {
    orgId: toOrgId('00000000-0000-4000-8000-000000000001'),
    login: 'initech',
    githubId: 7,
    auditHead: null,
  };

  it.each([
    ['may not be erased while the app is installed', null, false, 30, 'The app is installed in initech.'],
    [
      'may not be erased a day too early',
      '2026-06-01T12:00:00Z',
      false,
      30,
      'It can be erased from 2026-07-01T12:00:00.000Z on.',
    ],
    ['may be erased after the grace period', '2026-05-31T12:00:00Z', false, 30, null],
    ['may be erased at once without a grace period', '2026-06-30T12:00:00Z', false, 0, null],
    ['may be erased to the end once it has begun', null, true, 30, null],
  ])('%s', (_, at, begun, graceDays, sentence) => {
    const uninstalledAt = at === null ? null : new Date(at);
    const obstacle = findObstacle({ ...workspace, uninstalledAt, begun }, now, graceDays);
    expect(obstacle).toEqual(sentence === null ? null : expect.stringContaining(sentence));
  });
});

describe('npm run admin -- erase --workspace', () => {
  it('erases nothing of a workspace whose app is installed', async () => {
    const { status, stderr } = await erase('--workspace', 'initech', '--grace-days', '0');
    expect([status, stderr]).toEqual([1, expect.stringContaining('Its owners have to uninstall it first.')]);
  });

  it('erases nothing before the grace period is over', async () => {
    installation.delete();
    await env.waitUntilIdle();
    neighbours = await readOthers();
    const { status, stderr } = await erase('--workspace', 'initech');
    expect([status, stderr]).toEqual([1, expect.stringMatching(/It can be erased from \S+ on\./)]);
  });

  it('prints what it would delete, and deletes nothing', async () => {
    const before = await findText(orgId);
    const { status, stdout } = await erase('--workspace', 'initech', '--grace-days', '0');
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^public\.decision {2}[1-9]\d* rows$/m)]);
    expect(stdout).toContain('Nothing was deleted.');
    expect(await findText(orgId)).toEqual(before);
    expect((await store.keys()).some((name) => name.includes(orgId))).toBe(true);
  });

  it(
    'leaves nothing of the workspace, and everything of the others',
    async () => {
      const receipt = join(folder, 'receipt.json');
      const args = ['--workspace', 'initech', '--grace-days', '0', '--confirm', 'initech', '--receipt', receipt];
      const { status, stderr } = await erase(...args);
      expect([stderr, status]).toEqual(['', 0]);
      for (const text of [orgId, 'initech', 'payroll', 'peter-gibbons']) {
        expect([text, await findText(text)]).toEqual([text, []]);
      }
      expect((await store.keys()).filter((name) => name.includes(orgId))).toEqual([]);
      expect(await readOthers()).toEqual(neighbours);
      expect(await env.asSuperuser(`select from user_account where login = 'milton'`)).toHaveLength(1);
      expect(JSON.parse(readFileSync(receipt, 'utf8'))).toMatchObject({
        kind: 'workspace',
        orgId,
        githubId: leaving.id,
        rows: { 'public.organization': 1, 'public.release': 1, user_account: 1 },
        files: 1,
        auditHead: { sequence: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(readFileSync(receipt, 'utf8')).not.toContain('initech');
    },
    PATIENCE_MS,
  );

  it('lets the organization install the app again, in a new workspace', async () => {
    const again = await env.install(leaving);
    expect(again).not.toBe(orgId);
    expect(await env.asSuperuser(`select from repository where org_id = '${again}'`)).toHaveLength(1);
  });
});

describe('npm run admin -- erase --user', () => {
  /** Tables that keep the login: records for auditors, and facts and deliveries of GitHub. */
  const RECORDS = [
    ...['audit_entry', 'decision', 'observation', 'release', 'webhook_delivery'].map((table) => `public.${table}`),
    JOB_TABLE,
  ];
  let userId: number;

  it(
    'prints what it would delete and which records stay, and deletes nothing',
    async () => {
      const reviewer = env.github.createUser({ login: 'samir-nagheenanajar' });
      userId = reviewer.id;
      const scenario = new RepositoryScenario(env, { name: 'reviewed' });
      const sha = await scenario.evidencing('v3.0.0');
      scenario.repository.collaborators.set(userId, { user: reviewer, role: 'write' });
      scenario.approve('v3.0.0', reviewer);
      await env.waitUntilIdle();
      expect(sha).toHaveLength(40);
      await signIn(env, reviewer, { role: 'admin' });
      const staying = await env.orgId();
      await env.asSuperuser(
        `insert into repository_access (org_id, person, repository_github_id) values ('${staying}', ${userId}, 4711);
       insert into invite (org_id, id, person, login, role, created_by, created_at, expires_at)
       values ('${staying}', gen_random_uuid(), ${userId}, 'samir-nagheenanajar', 'member', 1, now(), now() + interval '1 day');
       insert into personal_key (org_id, id, person, name, prefix, secret_hash, scope, created_at, expires_at)
       values ('${staying}', gen_random_uuid(), ${userId}, 'laptop', 'sgp', '\\x01', 'read', now(), now() + interval '1 day')`,
      );
      const before = await findText('samir-nagheenanajar');
      const { status, stdout, stderr } = await erase('--user', String(userId));
      expect([stderr, status]).toEqual(['', 0]);
      for (const line of [
        'public.member  1 rows',
        'public.personal_key  1 rows',
        'public.invite  1 rows',
        'records name the user',
      ]) {
        expect(stdout).toContain(line);
      }
      expect(await findText('samir-nagheenanajar')).toEqual(before);
    },
    PATIENCE_MS,
  );

  it(
    'leaves the login in records only, and an entry in the audit log without it',
    async () => {
      const receipt = join(folder, 'user.json');
      const { status, stderr } = await erase(
        '--user',
        String(userId),
        '--confirm',
        String(userId),
        '--receipt',
        receipt,
      );
      expect([stderr, status]).toEqual(['', 0]);
      const left = await findText('samir-nagheenanajar');
      expect(left.filter((table) => !RECORDS.includes(table))).toEqual([]);
      for (const table of ['member', 'repository_access', 'personal_key', 'invite']) {
        expect([table, await env.asSuperuser(`select from ${table} where person = ${userId}`)]).toEqual([table, []]);
      }
      expect(await env.asSuperuser(`select from session where user_id = ${userId}`)).toEqual([]);
      const [entry] = await env.asSuperuser<object>(
        `select subject, data ->> 'reason' as reason from audit_entry where action = 'member.removed'`,
      );
      expect(entry).toEqual({ subject: `user ${userId}`, reason: 'erased' });
      const text = readFileSync(receipt, 'utf8');
      expect(JSON.parse(text)).toMatchObject({
        kind: 'user',
        userId,
        rows: { 'public.member': 1, 'public.personal_key': 1, 'public.user_account': 1, 'public.session': 1 },
        records: { 'public.decision': expect.any(Number) },
      });
      expect(text).not.toContain('samir');
    },
    PATIENCE_MS,
  );
});
