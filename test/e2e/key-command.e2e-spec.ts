import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../../src/cli/commands/key-command.js';
import { ENVIRONMENT, type Environment } from '../../src/config/environment.js';
import { TestEnvironment } from '../support/world.js';
import { askGate } from './scene/service-requests.js';

let world: TestEnvironment;

beforeAll(async () => {
  world = await TestEnvironment.start();
  world.github.createRepository(world.organization, { name: 'payments' });
  await world.install();
});
afterAll(() => world.stop());

const environment = (): Environment => world.app.get<Environment>(ENVIRONMENT);

const request = { org: 'ACME', name: 'from the command line', scopes: ['gate:read'], days: 7 } as const;

it('makes a key that opens what its scopes say', async () => {
  const secret = await createKey(world.database, environment(), request);
  // Not 401: the key is known, and the workspace has no such release.
  expect((await askGate(world, secret, { repo: 'payments', version: 'v1.0.0' })).status).toBe(404);
  const [entry] = await world.asSuperuser<{ actor: object; action: string }>('select actor, action from audit_entry');
  expect(entry).toMatchObject({ actor: { type: 'service' }, action: 'api_key.created' });
});

it('says where the app is not installed', async () => {
  await expect(createKey(world.database, environment(), { ...request, org: 'nobody' })).rejects.toThrow(
    'The app is not installed for an organization named "nobody".',
  );
});
