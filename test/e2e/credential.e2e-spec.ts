import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyScope } from '../../src/domain/keys/key-scope.js';
import { ApiKeysService } from '../../src/features/keys/api-keys.service.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const DAY_MS = 86_400_000;

describe('the description of a credential', () => {
  let env: TestEnvironment;
  let scenario: RepositoryScenario;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = new RepositoryScenario(env, { name: 'payments' });
    await env.waitUntilIdle();
  });
  afterAll(() => env.stop());

  const describeWith = async (bearer: string): Promise<{ readonly status: number; readonly body: unknown }> => {
    const response = await fetch(`${env.baseUrl}/api/credential`, { headers: { authorization: `Bearer ${bearer}` } });
    return { status: response.status, body: await response.json() };
  };
  const create = async (scopes: readonly KeyScope[], repos: readonly string[] | null, expiresAt: Date | null) =>
    env.app
      .get(ApiKeysService)
      .create({ kind: 'operator', orgId: await env.orgId() }, { name: 'ci', scopes, repos, expiresAt });

  it('has the scopes, the repositories and the end of a key, whatever its scopes', async () => {
    const expiresAt = new Date(env.clock.now().getTime() + DAY_MS);
    const { key } = await create(['evidence:write'], ['payments'], expiresAt);
    expect(await describeWith(key)).toEqual({
      status: 200,
      body: {
        kind: 'api_key',
        scopes: ['evidence:write'],
        repos: ['acme/payments'],
        expiresAt: expiresAt.toISOString(),
      },
    });
    const wide = await create(['gate:read'], null, null);
    expect((await describeWith(wide.key)).body).toEqual({
      kind: 'api_key',
      scopes: ['gate:read'],
      repos: null,
      expiresAt: null,
    });
  });

  it('has the repository of an identity token', async () => {
    const token = await scenario.run(scenario.commit()).token();
    expect(await describeWith(token)).toEqual({
      status: 200,
      body: {
        kind: 'identity_token',
        scopes: ['evidence:write', 'gate:read', 'deployment:write'],
        repos: ['acme/payments'],
        expiresAt: null,
      },
    });
  });

  it('is not given for a key that is revoked', async () => {
    const { key, id } = await create(['gate:read'], null, null);
    await env.app.get(ApiKeysService).revoke({ kind: 'operator', orgId: await env.orgId() }, id);
    expect((await describeWith(key)).status).toBe(401);
  });
});
