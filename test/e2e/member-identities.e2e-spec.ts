import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Browser } from '../support/browser.js';
import { TestEnvironment } from '../support/test-environment.js';
import {
  ADMINS_ROUTE,
  createMember,
  signInAndJoin,
  createWorkspace,
  invited,
  memberOf,
  subjectsIn,
} from './scenarios/members.js';

const MINUTE_MS = 60_000;
/** The service calls GitHub again this long after a failure. */
const PAUSE_MS = 11_000;

let env: TestEnvironment;

beforeAll(async () => {
  env = await TestEnvironment.start();
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

describe('names that change their owner', () => {
  it('read a renamed organization under its new name, and not the new owner of the old name', async () => {
    const place = await createWorkspace(env);
    const leaver = createMember(env, place, 'lea');
    const stays = createMember(env, place, 'sam');
    await invited(env, place.orgId, leaver, 'admin');
    await invited(env, place.orgId, stays, 'admin');
    const leaving = await signInAndJoin(env, leaver, place.organization);
    const staying = await signInAndJoin(env, stays, place.organization);
    const login = place.organization.login;
    env.outbox.faults.next({ kind: 'lose', times: 10 });
    place.organization.rename(`${login}-renamed`);
    place.organization.removeMember(leaver);
    const successor = env.github.createOrganization({ login, founder: leaver });
    expect(successor.members.has(leaver.id)).toBe(true);
    env.clock.advance(16 * MINUTE_MS);
    expect((await leaving.goTo(ADMINS_ROUTE)).status).toBe(403);
    expect((await staying.goTo(ADMINS_ROUTE)).status).toBe(200);
    env.outbox.faults.clear();
  });

  it('give an organization that was recreated under the same name no access to the former workspace', async () => {
    const place = await createWorkspace(env);
    const browser = await signInAndJoin(env, place.owner, place.organization);
    const { login } = place.organization;
    place.organization.delete();
    await env.waitUntilIdle();
    const successor = env.github.createOrganization({ login, founder: place.owner });
    const itsOrgId = await env.install(successor);
    expect(itsOrgId).not.toBe(place.orgId);
    env.clock.advance(16 * MINUTE_MS);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(503);
    const anew = new Browser(env);
    await anew.signIn(place.owner);
    expect(await memberOf(env, itsOrgId, place.owner)).toMatchObject({ role: 'admin' });
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(503);
  });

  it('treat a user who was recreated under the same login as another user', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    await invited(env, place.orgId, user, 'admin');
    const open = await signInAndJoin(env, user, place.organization);
    env.outbox.faults.next({ kind: 'lose', times: 10 });
    user.delete();
    env.outbox.faults.clear();
    const successor = env.github.createUser({ login: user.login });
    place.organization.addMember(successor);
    await env.waitUntilIdle();
    expect((await open.goTo(ADMINS_ROUTE)).status).toBe(403);
    const browser = await signInAndJoin(env, successor, place.organization);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(403);
    expect(await memberOf(env, place.orgId, user)).toBeNull();
    expect(await memberOf(env, place.orgId, successor)).toBeNull();
  });

  it('identify a renamed user, also if another user has the old login now', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    await invited(env, place.orgId, user, 'admin');
    const browser = await signInAndJoin(env, user, place.organization);
    const { login } = user;
    user.rename(`${login}-renamed`);
    place.organization.addMember(env.github.createUser({ login }));
    await env.waitUntilIdle();
    env.clock.advance(16 * MINUTE_MS);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(200);
  });
});

describe('a member', () => {
  it('of two workspaces sees each with the role there', async () => {
    const [one, other] = [await createWorkspace(env), await createWorkspace(env)];
    const user = one.owner;
    other.organization.addMember(user);
    await invited(env, other.orgId, user, 'member');
    await signInAndJoin(env, other.owner, other.organization);
    const browser = await signInAndJoin(env, user, one.organization);
    const page = await browser.goTo(ADMINS_ROUTE);
    expect(subjectsIn(page)).toEqual([user.login]);
    await browser.post('/api/auth/workspace', { org: other.organization.login });
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(403);
    expect((await browser.goTo('/api/auth/me')).body).toMatchObject({
      workspace: { org: other.organization.login, role: 'member' },
    });
  });

  it('who is demoted in the workspace is not an admin in the next request', async () => {
    const place = await createWorkspace(env);
    const browser = await signInAndJoin(env, place.owner, place.organization);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(200);
    await env.database.inTenant(place.orgId, (tx) => tx.query(`update member set role = 'member'`));
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(403);
    env.clock.advance(16 * MINUTE_MS);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(403);
  });
});

describe('a workspace without an active installation', () => {
  it('confirms the members by their own tokens, and removes no member', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    await invited(env, place.orgId, user, 'admin');
    const mine = await signInAndJoin(env, user, place.organization);
    const [installation] = env.github.state.installations.of(place.organization);
    installation?.suspend();
    await env.waitUntilIdle();
    env.clock.advance(16 * MINUTE_MS);
    expect((await mine.goTo(ADMINS_ROUTE)).status).toBe(200);
    place.organization.removeMember(user);
    await env.waitUntilIdle();
    env.clock.advance(16 * MINUTE_MS);
    expect((await mine.goTo(ADMINS_ROUTE)).status).toBe(503);
    expect(await memberOf(env, place.orgId, user)).not.toBeNull();
    installation?.unsuspend();
    await env.waitUntilIdle();
    env.clock.advance(PAUSE_MS);
    expect((await mine.goTo(ADMINS_ROUTE)).status).toBe(403);
  });
});
