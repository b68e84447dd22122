import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type UserSession, signIn } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';

let world: TestEnvironment;
let reader: UserSession;

beforeAll(async () => {
  world = await TestEnvironment.start();
  const payments = new RepositoryScene(world, { name: 'payments', private: false });
  await world.install();
  payments.milestone('v1.0.0');
  await world.settle();
  reader = await signIn(world, world.github.createUser({ login: 'rhea' }));
});
afterAll(() => world.stop());

describe('a parameter of a list of releases', () => {
  const PATHS = ['/api/dashboard', '/api/milestones/acme/payments'];
  const ok = ['%25', '_', '%5C', '%27', '%22', '😀'.repeat(200), 'x'.repeat(200), 'שלום', '%E2%80%AEv1', '%20'];
  it.each(ok.flatMap((search) => PATHS.map((path) => [path, search] as const)))(
    'of %s may search for %s',
    async (path, search) => {
      expect((await reader.get(`${path}?search=${search}`)).status).toBe(200);
      expect((await reader.get(`${path}?search=${search}&page=1`)).status).toBe(200);
    },
  );

  const bad = [
    `search=${'x'.repeat(201)}`,
    `search=${'😀'.repeat(201)}`,
    'search=',
    'search=a&search=b',
    'search[]=a',
    'search=%00',
    'page=0',
    'page=1.5',
    'page=1e3',
    'page=100001',
    'page=',
    'page=1&page=2',
    'pageSize=20',
    'pageSize=',
    'sort=asc',
  ];
  it.each(bad.flatMap((query) => PATHS.map((path) => [path, query] as const)))(
    'of %s may not be %s',
    async (path, query) => {
      expect(await reader.get(`${path}?${query}`)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    },
  );

  it.each(['outcome=', 'outcome=shipped', 'outcome=blocked&outcome=all', 'outcome=Blocked'])(
    'of the dashboard may not be %s',
    async (query) => {
      expect((await reader.get(`/api/dashboard?${query}`)).status).toBe(400);
    },
  );
});
