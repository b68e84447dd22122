import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../../src/cli/commands/key-command.js';
import { ENVIRONMENT, type Environment } from '../../src/config/environment.js';
import { TestEnvironment } from '../support/test-environment.js';
import { requestGate } from './scenarios/service-requests.js';

let env: TestEnvironment;

beforeAll(async () => {
  env = await TestEnvironment.start();
  env.github.createRepository(env.organization, { name: 'payments' });
  await env.install();
});
afterAll(() => env.stop());

const environment = (): Environment => env.app.get<Environment>(ENVIRONMENT);

const request = { org: 'ACME', name: 'from the command line', scopes: ['gate:read'], days: 7 } as const;

it('creates a key that allows what its scopes say', async () => {
  const secret = await createKey(env.database, environment(), request);
  // Not 401: the key is known, and the workspace has no such release.
  expect((await requestGate(env, secret, { repo: 'payments', version: 'v1.0.0' })).status).toBe(404);
  const [entry] = await env.asSuperuser<{ actor: object; action: string }>('select actor, action from audit_entry');
  expect(entry).toMatchObject({ actor: { type: 'service' }, action: 'api_key.created' });
});

it('reports that the app is not installed', async () => {
  await expect(createKey(env.database, environment(), { ...request, org: 'nobody' })).rejects.toThrow(
    'The app is not installed for an organization named "nobody".',
  );
});
