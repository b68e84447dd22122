import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Organization } from '../github-sim/state/organization.js';
import type { User } from '../github-sim/state/user.js';
import { Browser } from '../support/browser.js';
import { signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

let env: TestEnvironment;
let zeta: Organization;
let ada: User;
let eve: User;

beforeAll(async () => {
  env = await TestEnvironment.start();
  zeta = env.github.createOrganization({ login: 'Zeta' });
  const foreign = env.github.createOrganization({ login: 'foreign' });
  ada = env.github.createUser({ login: 'ada' });
  eve = env.github.createUser({ login: 'eve' });
  env.organization.addMember(ada, 'admin');
  zeta.addMember(ada, 'member');
  zeta.addMember(eve, 'admin');
  for (const organization of [env.organization, zeta, foreign]) await env.install(organization);
  // A member of one workspace through an invite, not as an owner.
  await signIn(env, ada, { role: 'member', organization: zeta });
});
afterAll(() => env.stop());

async function arrived(user: User): Promise<Browser> {
  const browser = new Browser(env);
  expect(await browser.signIn(user)).toMatchObject({ status: 302 });
  return browser;
}

const workspaceOf = async (browser: Browser): Promise<unknown> =>
  (await browser.goTo('/api/auth/me')).body['workspace'];

describe('a user with several workspaces', () => {
  it('sees each with their role there, and selects one', async () => {
    const browser = await arrived(ada);
    expect(await workspaceOf(browser)).toBeNull();
    const list = (selected: string) => ({
      workspaces: [
        { org: 'acme', role: 'admin', installed: true, selected: selected === 'acme' },
        { org: 'Zeta', role: 'member', installed: true, selected: selected === 'Zeta' },
      ],
    });
    expect((await browser.goTo('/api/auth/workspaces')).body).toEqual(list('none'));
    expect(await browser.post('/api/auth/workspace', { org: 'zETA' })).toMatchObject({
      status: 200,
      body: { user: { login: 'ada' }, workspace: { org: 'Zeta', role: 'member' } },
    });
    expect((await browser.goTo('/api/auth/workspaces')).body).toEqual(list('Zeta'));
    expect(await workspaceOf(browser)).toEqual({ org: 'Zeta', role: 'member' });
  });

  it('returns to the last selected one, and other sessions do not change', async () => {
    const first = await arrived(ada);
    expect(await first.post('/api/auth/workspace', { org: 'acme' })).toMatchObject({ status: 200 });
    const second = await arrived(ada);
    expect(await workspaceOf(second)).toEqual({ org: 'acme', role: 'admin' });
    await second.post('/api/auth/workspace', { org: 'Zeta' });
    expect(await workspaceOf(first)).toEqual({ org: 'acme', role: 'admin' });
    expect(await workspaceOf(await arrived(ada))).toEqual({ org: 'Zeta', role: 'member' });
  });

  it('returns to the only one that remains', async () => {
    const browser = await arrived(ada);
    await browser.post('/api/auth/workspace', { org: 'Zeta' });
    zeta.removeMember(ada);
    await env.waitUntilIdle();
    expect(await workspaceOf(browser)).toBeNull();
    expect(await workspaceOf(await arrived(ada))).toEqual({ org: 'acme', role: 'admin' });
  });
});

describe('a workspace of other users', () => {
  it.each(['acme', 'foreign', 'nothing-of-the-kind', 'zeta2'])('cannot be selected: %s', async (org) => {
    const browser = await arrived(eve);
    const answer = await browser.post('/api/auth/workspace', { org });
    // One answer for what exists and what does not.
    expect(answer).toMatchObject({ status: 403, body: { error: 'You are not a member of a workspace of this name.' } });
    expect(await workspaceOf(browser)).toEqual({ org: 'Zeta', role: 'admin' });
  });

  it.each([
    ['nothing', undefined],
    ['an empty name', { org: '' }],
    ['no text', { org: 7 }],
    ['several', { org: ['zeta'] }],
    ['more than a name', { org: 'zeta', role: 'admin' }],
    ['a name longer than any', { org: 'z'.repeat(101) }],
  ])('is not requested with %s', async (_, body) => {
    const browser = await arrived(eve);
    expect((await browser.post('/api/auth/workspace', body)).status).toBe(400);
  });
});
