import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { SetupService } from '../../src/features/setup/setup.service.js';
import type { Organization } from '../github-sim/state/organization.js';
import { Browser } from '../support/browser.js';
import { TestEnvironment } from '../support/test-environment.js';

let env: TestEnvironment;
let founded = 0;

beforeAll(async () => {
  env = await TestEnvironment.start();
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  env.outbox.faults.clear();
  expect(env.violations).toEqual([]);
});

/** An organization with the app whose deliveries did not reach the service. */
function unheardOf(): Organization {
  founded += 1;
  const organization = env.github.createOrganization({ login: `first-${founded}` });
  env.github.createRepository(organization, { name: 'payments', private: false });
  env.outbox.faults.next({ kind: 'lose', event: 'installation', times: 10 });
  env.github.installApp(env.githubApp, organization);
  return organization;
}
async function signedIn(user: Parameters<Browser['signIn']>[0]): Promise<Browser> {
  const browser = new Browser(env);
  expect((await browser.signIn(user)).status).toBe(302);
  return browser;
}
/** Does what the service does at its start. */
const start = (): Promise<void> => env.app.get(SetupService).enqueueInstallationSearch();
const callsSince = (before: number): readonly string[] =>
  env.exchanges.slice(before).map(({ method, path }) => `${method} ${path.split('?')[0]}`);

it('makes an owner who signed in before the installation was known an admin, without another sign-in', async () => {
  const organization = unheardOf();
  await env.waitUntilIdle();
  const owner = await signedIn(organization.founder);
  expect((await owner.goTo('/api/auth/workspaces')).body).toEqual({ workspaces: [], discovering: false });
  await start();
  await env.waitUntilIdle();
  expect((await owner.goTo('/api/auth/workspaces')).body).toEqual({
    workspaces: [{ org: organization.login, role: 'admin', installed: true, selected: true }],
    discovering: false,
  });
  const { status, body } = await owner.goTo('/api/repos');
  expect([status, body]).toMatchObject([200, [{ name: 'payments' }]]);
});

it('reports meanwhile that the organizations are being read, not that the user is no member', async () => {
  const organization = unheardOf();
  await env.waitUntilIdle();
  const owner = await signedIn(organization.founder);
  env.github.faults.next({ kind: 'delay', ms: 1_500, match: /^GET \/app\/installations/ });
  await start();
  expect((await owner.goTo('/api/auth/workspaces')).body).toEqual({ workspaces: [], discovering: true, reading: true });
  expect((await owner.goTo('/api/auth/me')).body).toMatchObject({ workspace: null, reading: true });
  const { status, body } = await owner.goTo('/api/dashboard');
  expect([status, body]).toEqual([403, { error: 'Your organizations are being read. Try again in a few seconds.' }]);
  await env.waitUntilIdle();
  expect((await owner.goTo('/api/auth/me')).body).toMatchObject({ workspace: { org: organization.login } });
  expect((await owner.goTo('/api/auth/me')).body).not.toHaveProperty('reading');
  expect((await owner.goTo('/api/dashboard')).status).toBe(200);
});

it('does not make a user a member who does not own the organization', async () => {
  const organization = unheardOf();
  const member = env.github.createUser({ login: `member-${founded}` });
  organization.addMember(member);
  const stranger = env.github.createUser({ login: `stranger-${founded}` });
  await env.waitUntilIdle();
  const browsers = await Promise.all([member, stranger].map(signedIn));
  await start();
  await env.waitUntilIdle();
  for (const browser of browsers) {
    expect((await browser.goTo('/api/auth/workspaces')).body).toEqual({ workspaces: [], discovering: false });
    const { status, body } = await browser.goTo('/api/dashboard');
    expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining('not a member')]);
  }
});

it('reads at a later start only installations that are not known yet', async () => {
  await env.waitUntilIdle();
  await start();
  await env.waitUntilIdle();
  const before = env.exchanges.length;
  await Promise.all([start(), start()]);
  await env.waitUntilIdle();
  expect(new Set(callsSince(before))).toEqual(new Set(['GET /app/installations']));
  const organization = unheardOf();
  await env.waitUntilIdle();
  await start();
  await env.waitUntilIdle();
  const [known] = await env.asSuperuser<{ count: string }>(
    `select count(*) from organization where login = '${organization.login}'`,
  );
  expect(Number(known!.count)).toBe(1);
});
