import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrations } from '../../migrations/index.js';
import { SERVICE_VERSION } from '../../src/config/service-version.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

let env: TestEnvironment;
let admin: UserSession;
let elsewhere: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  env.github.createRepository(env.organization, { name: 'payments', private: false });
  await env.install();
  admin = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
  const organization = env.github.createOrganization({ login: 'elsewhere' });
  await env.install(organization);
  elsewhere = await signIn(env, env.github.createUser({ login: 'eve' }), { role: 'admin', organization });
});
afterAll(() => env.stop());

const diagnose = async (by = admin) => (await by.get('/api/debug')).body as Record<string, Record<string, unknown>>;

describe('GET /api/debug', () => {
  it('returns the state of the service to an admin', async () => {
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    const count = expect.any(Number);
    expect(await diagnose()).toEqual({
      versions: {
        service: SERVICE_VERSION,
        node: process.versions.node,
        postgres: expect.stringMatching(/^\d+\.\d+/),
      },
      database: {
        role: 'shipgate_app',
        rowLevelSecurity: { holds: true, problems: [] },
        pendingMigrations: [],
        replica: null,
      },
      untrustedForwarderAt: null,
      queue: { due: 0, running: 0, later: count, givenUp: 0 },
      storage: { used: 0, limit: 1_073_741_824 },
      freshness: { repositories: 1, oldestObservationAt: moment, newestObservationAt: moment },
      codeHost: { installed: true, budgets: expect.arrayContaining([expect.objectContaining({ name: 'workspace' })]) },
    });
  });

  it('reports forwarding headers from an address that is not trusted', async () => {
    await fetch(`${env.baseUrl}/api/openapi.json`, { headers: { 'x-forwarded-for': '203.0.113.1' } });
    const warning = env.lines.find((line) => line.includes('TRUSTED_PROXIES'));
    expect(warning).toContain('"level":"warn"');
    let received = await diagnose();
    for (let tries = 0; tries < 100 && received['untrustedForwarderAt'] === null; tries += 1)
      received = await diagnose();
    expect(received['untrustedForwarderAt']).toEqual(expect.stringMatching(/^\d{4}-/));
    expect(JSON.stringify(received)).not.toContain('127.0.0.1');
  });

  it("reports only the state of the admin's workspace", async () => {
    expect(await diagnose(elsewhere)).toMatchObject({
      freshness: { repositories: 0, oldestObservationAt: null, newestObservationAt: null },
    });
    for (const by of [admin, elsewhere]) {
      const { budgets } = (await diagnose(by))['codeHost'] as { budgets: readonly { readonly name: string }[] };
      expect(budgets.filter(({ name }) => name === 'workspace').length).toBe(1);
      expect(budgets.length).toBeLessThanOrEqual(2);
    }
  });

  it('reports a table from which rows of another workspace could be read', async () => {
    await env.asSuperuser('alter table release no force row level security');
    expect((await diagnose())['database']).toMatchObject({
      rowLevelSecurity: {
        holds: false,
        problems: ['the table release does not force row-level security on its owner'],
      },
    });
    await env.asSuperuser('alter table release force row level security');
  });

  it('reports a migration that did not run', async () => {
    const { name } = migrations.at(-1)!;
    await env.asSuperuser(`delete from schema_migration where name = '${name}'`);
    expect((await diagnose())['database']).toMatchObject({ pendingMigrations: [name] });
  });

  it('counts waiting and failed work', async () => {
    await env.asSuperuser(
      `select graphile_worker.add_job('nobody_does_this', job_key => key) from unnest(array['failed', 'replaced']) key;
       update ${JOB_TABLE} set attempts = max_attempts
       where id in (select id from graphile_worker.jobs where task_identifier = 'nobody_does_this');
       select graphile_worker.add_job('nobody_does_this', job_key => 'replaced', run_at => now() + interval '1 hour')`,
    );
    await env.asSuperuser(`select graphile_worker.add_job('nobody_does_this', run_at => now() - interval '1 minute')`);
    expect((await diagnose())['queue']).toMatchObject({ due: 1, givenUp: 1 });
  });
});
