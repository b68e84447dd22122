import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Browser } from '../support/browser.js';
import { TestEnvironment } from '../support/world.js';
import {
  ADMINS_ROUTE,
  createMember,
  signInAndJoin,
  createWorkspace,
  invited,
  memberOf,
  subjectsIn,
} from './scene/members.js';

const MINUTE_MS = 60_000;
/** After it the code host is asked again that gave no answer. */
const PAUSE_MS = 11_000;

let world: TestEnvironment;

beforeAll(async () => {
  world = await TestEnvironment.start();
});
afterAll(() => world.stop());
afterEach(() => {
  world.github.faults.clear();
  expect(world.violations).toEqual([]);
});

describe('names that change hands', () => {
  it('an organization that was renamed is asked under its new name, and its successor in the old one is not', async () => {
    const place = await createWorkspace(world);
    const leaver = createMember(world, place, 'lea');
    const stays = createMember(world, place, 'sam');
    await invited(world, place.orgId, leaver, 'admin');
    await invited(world, place.orgId, stays, 'admin');
    const leaving = await signInAndJoin(world, leaver, place.organization);
    const staying = await signInAndJoin(world, stays, place.organization);
    const login = place.organization.login;
    world.outbox.faults.next({ kind: 'lose', times: 10 });
    place.organization.rename(`${login}-renamed`);
    place.organization.removeMember(leaver);
    const successor = world.github.createOrganization({ login, founder: leaver });
    expect(successor.members.has(leaver.id)).toBe(true);
    world.clock.advance(16 * MINUTE_MS);
    expect((await leaving.goTo(ADMINS_ROUTE)).status).toBe(403);
    expect((await staying.goTo(ADMINS_ROUTE)).status).toBe(200);
    world.outbox.faults.clear();
  });

  it('an organization made again under the same name opens nothing of the one before', async () => {
    const place = await createWorkspace(world);
    const browser = await signInAndJoin(world, place.owner, place.organization);
    const { login } = place.organization;
    place.organization.delete();
    await world.settle();
    const successor = world.github.createOrganization({ login, founder: place.owner });
    const itsOrgId = await world.install(successor);
    expect(itsOrgId).not.toBe(place.orgId);
    world.clock.advance(16 * MINUTE_MS);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(503);
    const anew = new Browser(world);
    await anew.signIn(place.owner);
    expect(await memberOf(world, itsOrgId, place.owner)).toMatchObject({ role: 'admin' });
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(503);
  });

  it('a user who was made again under the same login is somebody else', async () => {
    const place = await createWorkspace(world);
    const user = createMember(world, place, 'mia');
    await invited(world, place.orgId, user, 'admin');
    const open = await signInAndJoin(world, user, place.organization);
    world.outbox.faults.next({ kind: 'lose', times: 10 });
    user.delete();
    world.outbox.faults.clear();
    const successor = world.github.createUser({ login: user.login });
    place.organization.addMember(successor);
    await world.settle();
    expect((await open.goTo(ADMINS_ROUTE)).status).toBe(403);
    const browser = await signInAndJoin(world, successor, place.organization);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(403);
    expect(await memberOf(world, place.orgId, user)).toBeNull();
    expect(await memberOf(world, place.orgId, successor)).toBeNull();
  });

  it('a user who was renamed stays who they are, also where another has their login now', async () => {
    const place = await createWorkspace(world);
    const user = createMember(world, place, 'mia');
    await invited(world, place.orgId, user, 'admin');
    const browser = await signInAndJoin(world, user, place.organization);
    const { login } = user;
    user.rename(`${login}-renamed`);
    place.organization.addMember(world.github.createUser({ login }));
    await world.settle();
    world.clock.advance(16 * MINUTE_MS);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(200);
  });
});

describe('a member', () => {
  it('of two workspaces sees in each its own, with the role that they have there', async () => {
    const [one, other] = [await createWorkspace(world), await createWorkspace(world)];
    const user = one.owner;
    other.organization.addMember(user);
    await invited(world, other.orgId, user, 'member');
    await signInAndJoin(world, other.owner, other.organization);
    const browser = await signInAndJoin(world, user, one.organization);
    const page = await browser.goTo(ADMINS_ROUTE);
    expect(subjectsIn(page)).toEqual([user.login]);
    await browser.post('/api/auth/workspace', { org: other.organization.login });
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(403);
    expect((await browser.goTo('/api/auth/me')).body).toMatchObject({
      workspace: { org: other.organization.login, role: 'member' },
    });
  });

  it('who is demoted in the workspace is no admin with the next request', async () => {
    const place = await createWorkspace(world);
    const browser = await signInAndJoin(world, place.owner, place.organization);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(200);
    await world.database.inTenant(place.orgId, (tx) => tx.query(`update member set role = 'member'`));
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(403);
    world.clock.advance(16 * MINUTE_MS);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(403);
  });
});

describe('a workspace without a living installation', () => {
  it('keeps those of whom the host says themselves that they belong there, and removes nobody', async () => {
    const place = await createWorkspace(world);
    const user = createMember(world, place, 'mia');
    await invited(world, place.orgId, user, 'admin');
    const mine = await signInAndJoin(world, user, place.organization);
    const [installation] = world.github.world.installations.of(place.organization);
    installation?.suspend();
    await world.settle();
    world.clock.advance(16 * MINUTE_MS);
    expect((await mine.goTo(ADMINS_ROUTE)).status).toBe(200);
    place.organization.removeMember(user);
    await world.settle();
    world.clock.advance(16 * MINUTE_MS);
    expect((await mine.goTo(ADMINS_ROUTE)).status).toBe(503);
    expect(await memberOf(world, place.orgId, user)).not.toBeNull();
    installation?.unsuspend();
    await world.settle();
    world.clock.advance(PAUSE_MS);
    expect((await mine.goTo(ADMINS_ROUTE)).status).toBe(403);
  });
});
