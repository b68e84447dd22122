import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { TestEnvironment } from '../support/test-environment.js';
import { buildClient, type ClientOutcome, removeClient, shipgate } from './client-process.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('shipgate running against the service', () => {
  let env: TestEnvironment;
  let key: string;

  beforeAll(async () => {
    buildClient();
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    const { repository } = new RepositoryScenario(env, { name: 'payments', private: false });
    await env.resync();
    key = await env.key(['deployment:write'], env.organization, [repository.name]);
  }, 240_000);
  afterAll(async () => {
    removeClient();
    await env.stop();
  });

  const running = (...args: readonly string[]): Promise<ClientOutcome> =>
    shipgate(['running', '--repo', 'acme/payments', '--environment', 'eu/production', ...args], {
      env: { SHIPGATE_URL: env.baseUrl, SHIPGATE_API_KEY: key },
    });
  const stored = (): Promise<readonly object[]> =>
    env.asSuperuser(
      `select s.environment, a.name, a.digest from running_artifact a join running_statement s on s.id = a.statement_id
       order by a.name`,
    );

  it('states what runs, and that nothing runs', async () => {
    expect(await running(`web@${DIGEST}`, `registry.example:5000/acme/api@${DIGEST}`)).toMatchObject({
      code: 0,
      stdout: 'Stored: 2 artifacts run in eu/production.\n',
    });
    expect(await stored()).toEqual([
      { environment: 'eu/production', name: 'registry.example:5000/acme/api', digest: DIGEST },
      { environment: 'eu/production', name: 'web', digest: DIGEST },
    ]);
    expect((await running('--nothing')).code).toBe(0);
    expect(await stored()).toEqual([]);
  });

  it('is unknown for a repository that the key cannot report for', async () => {
    const { code, stderr } = await running(`web@${DIGEST}`, '--repo', 'acme/nothing');
    expect([code, stderr]).toEqual([3, expect.stringContaining('no such repository')]);
  });
});
