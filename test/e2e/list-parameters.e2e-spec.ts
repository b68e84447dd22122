import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

let env: TestEnvironment;
let reader: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  const payments = new RepositoryScenario(env, { name: 'payments', private: false });
  await env.install();
  payments.milestone('v1.0.0');
  await env.waitUntilIdle();
  reader = await signIn(env, env.github.createUser({ login: 'rhea' }));
});
afterAll(() => env.stop());

describe('a parameter of a list of releases', () => {
  const PATHS = ['/api/dashboard', '/api/milestones/acme/payments'];
  const ok = ['%25', '_', '%5C', '%27', '%22', '😀'.repeat(200), 'x'.repeat(200), 'שלום', '%E2%80%AEv1', '%20'];
  it.each(ok.flatMap((search) => PATHS.map((path) => [path, search] as const)))(
    'of %s can search for %s',
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
    'of %s cannot be %s',
    async (path, query) => {
      expect(await reader.get(`${path}?${query}`)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    },
  );

  it.each(['outcome=', 'outcome=shipped', 'outcome=blocked&outcome=all', 'outcome=Blocked', 'sort=', 'sort=name'])(
    'of the dashboard cannot be %s',
    async (query) => {
      expect((await reader.get(`/api/dashboard?${query}`)).status).toBe(400);
    },
  );
});
