import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Installation } from '../github-sim/state/installation.js';
import type { User } from '../github-sim/state/user.js';
import { Browser } from '../support/browser.js';
import { signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

let env: TestEnvironment;
let owner: User;

beforeEach(async () => {
  env = await TestEnvironment.start();
  owner = env.github.createUser({ login: 'olga' });
  env.organization.addMember(owner, 'admin');
});
afterEach(() => env.stop());

const callback = (id: number | string, action = 'install'): string =>
  `/api/config/install/callback?installation_id=${id}&setup_action=${action}`;

/** A browser in which the user has signed in. */
async function browserOf({ login }: User): Promise<Browser> {
  const browser = new Browser(env);
  const begun = await browser.goTo('/api/auth/login');
  await browser.goTo((await browser.goTo(`${begun.location}&login=${login}`)).location);
  return browser;
}

const workspaceOf = async (browser: Browser): Promise<unknown> =>
  (await browser.goTo('/api/auth/me')).body['workspace'];
const memberships = (): Promise<readonly object[]> =>
  env.asSuperuser('select m.person::int, m.role, o.login from member m join organization o using (org_id)');
const linked = (): Promise<readonly object[]> =>
  env.asSuperuser(`select actor, subject, data from audit_entry where action = 'installation.linked'`);

/** Installs the app in a new organization whose delivery did not reach the service. */
function installedElsewhere(login: string): Installation {
  const organization = env.github.createOrganization({ login });
  return env.github.installApp(env.githubApp, organization);
}

describe('an owner who returns from the installation', () => {
  it('is signed in as admin, with the workspace selected', async () => {
    const browser = new Browser(env);
    const installation = env.github.installApp(env.githubApp, env.organization);
    const first = await browser.goTo(callback(installation.id));
    expect([first.status, first.location]).toEqual([
      302,
      `/api/auth/login?returnTo=${encodeURIComponent(callback(installation.id))}`,
    ]);
    const begun = await browser.goTo(first.location);
    const back = await browser.goTo((await browser.goTo(`${begun.location}&login=olga`)).location);
    expect(back.location).toBe(callback(installation.id));
    const arrived = await browser.goTo(back.location);
    expect([arrived.status, arrived.location]).toEqual([302, '/']);
    expect(arrived.headers.get('cache-control')).toBe('no-store');
    expect(await workspaceOf(browser)).toMatchObject({ org: 'acme', role: 'admin', auditor: false });
    expect(await linked()).toEqual([
      {
        actor: { type: 'person', id: owner.id, login: 'olga' },
        subject: 'acme',
        data: { installationId: installation.id, repositorySelection: 'all' },
      },
    ]);
    expect(env.violations).toEqual([]);
  });

  it('needs no webhook: the workspace is created and its repositories are read', async () => {
    env.githubApp.webhookUrl = null;
    const repository = env.organization.createRepository({ name: 'payments' });
    const installation = env.github.installApp(env.githubApp, env.organization);
    const browser = await browserOf(owner);
    expect(await workspaceOf(browser)).toBeNull();
    await browser.goTo(callback(installation.id));
    await env.waitUntilIdle();
    expect(await workspaceOf(browser)).toMatchObject({ org: 'acme', role: 'admin', auditor: false });
    expect(await env.asSuperuser('select github_id::int from repository')).toEqual([{ github_id: repository.id }]);
  });

  it('can return again, and is recorded once', async () => {
    const installation = env.github.installApp(env.githubApp, env.organization);
    const browser = await browserOf(owner);
    const answers = await Promise.all(
      ['install', 'update', 'install', 'update'].map((action) => browser.goTo(callback(installation.id, action))),
    );
    expect(answers.map(({ status, location }) => [status, location])).toEqual(
      Array.from({ length: 4 }, () => [302, '/']),
    );
    expect(await linked()).toHaveLength(1);
  });

  it('has to sign in again if GitHub no longer accepts the token', async () => {
    await env.install();
    // A session without a token of the user.
    const session = await signIn(env, owner);
    const installation = env.github.state.installations.find(env.githubApp, env.organization);
    const answer = await session.get(callback(installation?.id ?? 0));
    expect([answer.status, answer.headers.get('location')]).toEqual([302, expect.stringContaining('/api/auth/login')]);
  });
});

describe('access is not granted by', () => {
  it('the installation of another organization', async () => {
    const theirs = installedElsewhere('globex');
    await env.waitUntilIdle();
    const browser = await browserOf(owner);
    const before = await memberships();
    const found = await browser.goTo(callback(theirs.id));
    const nothing = await browser.goTo(callback(987_654_321));
    expect([found.status, found.body]).toEqual([404, nothing.body]);
    expect(await memberships()).toEqual(before);
    expect(await workspaceOf(browser)).toBeNull();
    expect(await linked()).toEqual([]);
  });

  it('the organization of a member who is not an owner', async () => {
    const bob = env.github.createUser({ login: 'bob' });
    env.organization.addMember(bob, 'member');
    env.github.createOrganization({ login: 'bobs' }).addMember(bob, 'admin');
    const installation = env.github.installApp(env.githubApp, env.organization);
    const browser = await browserOf(bob);
    const answer = await browser.goTo(callback(installation.id));
    expect([answer.status, answer.body]).toEqual([403, { error: expect.stringContaining('Only an owner of acme') }]);
    expect(await memberships()).toEqual([]);
    expect(await workspaceOf(browser)).toBeNull();
  });

  it('the installation of another app', async () => {
    const other = env.github.registerApp({ name: 'Other', owner: env.organization });
    const installation = env.github.installApp(other, env.organization);
    const browser = await browserOf(owner);
    expect((await browser.goTo(callback(installation.id))).status).toBe(404);
    expect(await memberships()).toEqual([]);
  });

  it('an owner who lost the role since the sign-in', async () => {
    const installation = env.github.installApp(env.githubApp, env.organization);
    const browser = await browserOf(owner);
    env.organization.removeMember(owner);
    expect((await browser.goTo(callback(installation.id))).status).toBe(403);
    expect(await memberships()).toEqual([]);
  });

  it.each(['', '0', '-1', '1e3', '7%20', '7;', '9'.repeat(16), '7&installation_id=8'])(
    'an invalid id: %j',
    async (id) => {
      const answer = await new Browser(env).goTo(callback(id));
      expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['error']]);
    },
  );
});

it('shows a notice on the start page to a user who only requested the installation', async () => {
  const answer = await new Browser(env).goTo('/api/config/install/callback?setup_action=request&state=x');
  expect([answer.status, answer.location]).toEqual([302, '/?notice=installation_requested']);
});

it('returns a 503 with a retry time while GitHub is unavailable', async () => {
  const installation = env.github.installApp(env.githubApp, env.organization);
  await env.waitUntilIdle();
  const browser = await browserOf(owner);
  env.github.faults.next({ kind: '5xx', match: /app\/installations\/\d+$/, times: 100 });
  const answer = await browser.goTo(callback(installation.id));
  env.github.faults.clear();
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
});

describe('an error in a browser', () => {
  const open = async (user: User, address: string): Promise<readonly [number, string]> => {
    const browser = await browserOf(user);
    const { status, location } = await browser.request('GET', address, { accept: 'text/html,*/*;q=0.8' });
    return [status, location];
  };

  it('leads to the sign-in page with the cause as the name of a notice', async () => {
    const installation = env.github.installApp(env.githubApp, env.organization);
    const bob = env.github.createUser({ login: 'bob' });
    env.organization.addMember(bob, 'member');
    expect(await open(bob, callback(installation.id))).toEqual([302, '/sign-in?notice=owns_no_organization']);
    env.github.createOrganization({ login: 'bobs' }).addMember(bob, 'admin');
    expect(await open(bob, callback(installation.id))).toEqual([302, '/sign-in?notice=not_an_owner']);
    expect(await open(owner, callback(987_654_321))).toEqual([302, '/sign-in?notice=installation_not_found']);
    expect(await open(owner, callback('x'))).toEqual([302, '/sign-in?notice=invalid']);
  });

  it('does not lead away from an installation that succeeds', async () => {
    const installation = env.github.installApp(env.githubApp, env.organization);
    expect(await open(owner, callback(installation.id))).toEqual([302, '/']);
  });
});
