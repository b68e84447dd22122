import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MemberListSyncService } from '../../src/features/accounts/members/member-list-sync.service.js';
import { MembersRepository } from '../../src/features/accounts/members/members.repository.js';
import { Browser } from '../support/browser.js';
import { TestEnvironment } from '../support/test-environment.js';
import {
  ADMINS_ROUTE,
  auditOf,
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

/** From now on GitHub returns only errors. */
const cutOff = (): void => env.github.faults.next({ kind: '5xx', times: 10_000 });

describe('a user who signs in', () => {
  it('becomes an admin if they own the organization, which the audit log records', async () => {
    const place = await createWorkspace(env);
    const browser = await signInAndJoin(env, place.owner, place.organization);
    const page = await browser.goTo(ADMINS_ROUTE);
    expect(page.status).toBe(200);
    expect(subjectsIn(page)).toEqual([place.owner.login]);
    expect(await auditOf(env, place.orgId)).toEqual([`member.joined ${place.owner.login}`]);
  });

  it('does not become a member only because they belong to the organization', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    const browser = await signInAndJoin(env, user, place.organization);
    expect((await browser.goTo('/api/auth/workspaces')).body).toEqual({ workspaces: [], discovering: false });
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(403);
    expect(await memberOf(env, place.orgId, user)).toBeNull();
  });

  it('is confirmed as a member, and becomes an admin when they own the organization', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    await invited(env, place.orgId, user);
    // The webhook about the new member of the organization invalidates the membership.
    await env.waitUntilIdle();
    env.clock.advance(MINUTE_MS);
    const begun = env.clock.now();
    await signInAndJoin(env, user, place.organization);
    const confirmed = await memberOf(env, place.orgId, user);
    expect(confirmed).toMatchObject({ role: 'member' });
    expect(confirmed?.confirmedAt.getTime()).toBeGreaterThanOrEqual(begun.getTime());
    place.organization.addMember(user, 'admin');
    await signInAndJoin(env, user, place.organization);
    await signInAndJoin(env, user, place.organization);
    expect(await memberOf(env, place.orgId, user)).toMatchObject({ role: 'admin' });
    expect(await auditOf(env, place.orgId)).toEqual([`member.role_changed ${user.login}`]);
  });

  it('is removed as a member if they left the organization without a delivery', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    await invited(env, place.orgId, user, 'admin');
    // The jobs after a new member would also notice that the user is gone.
    await env.waitUntilIdle();
    env.outbox.faults.next({ kind: 'lose', event: 'organization' });
    place.organization.removeMember(user);
    const browser = await signInAndJoin(env, user, place.organization);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(403);
    expect(await memberOf(env, place.orgId, user)).toBeNull();
    expect(await auditOf(env, place.orgId)).toEqual([`member.removed ${user.login}`]);
  });

  it('is rejected while GitHub does not return their organizations', async () => {
    const place = await createWorkspace(env);
    const browser = new Browser(env);
    const address = await browser.consent(place.owner);
    env.github.faults.next({ kind: '5xx', match: /user\/memberships\/orgs/, times: 10 });
    const { status, headers, body } = await browser.goTo(address);
    expect([status, Object.keys(body)]).toEqual([503, ['error']]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await memberOf(env, place.orgId, place.owner)).toBeNull();
  });

  it('is an admin again, though the last admin left the organization meanwhile', async () => {
    const place = await createWorkspace(env);
    await signInAndJoin(env, place.owner, place.organization);
    const successor = createMember(env, place, 'sue', 'admin');
    place.organization.removeMember(place.owner);
    await env.waitUntilIdle();
    expect(await memberOf(env, place.orgId, place.owner)).toBeNull();
    const browser = await signInAndJoin(env, successor, place.organization);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(200);
  });
});

describe('a user who leaves the organization', () => {
  it('loses the workspace at once, in open sessions and for personal keys', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    await invited(env, place.orgId, user, 'admin');
    const browser = await signInAndJoin(env, user, place.organization);
    await env.database.inTenant(place.orgId, (tx) =>
      tx.query(
        `insert into personal_key (org_id, id, person, name, prefix, secret_hash, scope, created_at, expires_at)
         values ($1, gen_random_uuid(), $2, 'laptop', 'sgp_1', '\\x01', 'read', now(), now() + interval '1 day')`,
        [place.orgId, user.id],
      ),
    );
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(200);
    place.organization.removeMember(user);
    await env.waitUntilIdle();
    const { status, body } = await browser.goTo(ADMINS_ROUTE);
    expect([status, Object.keys(body)]).toEqual([403, ['error']]);
    expect((await browser.goTo('/api/auth/me')).body).toMatchObject({ workspace: null });
    const keys = await env.database.inTenant(place.orgId, (tx) =>
      tx.query('select revoked_at is not null as revoked from personal_key'),
    );
    expect(keys).toEqual([{ revoked: true }]);
  });

  it('loses it with the next request, even if GitHub has not responded since', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    await invited(env, place.orgId, user, 'admin');
    const browser = await signInAndJoin(env, user, place.organization);
    await env.waitUntilIdle();
    cutOff();
    place.organization.removeMember(user);
    await env.outbox.waitUntilIdle();
    const answers = async (): Promise<number> => (await browser.goTo(ADMINS_ROUTE)).status;
    for (let tries = 0; tries < 50 && (await answers()) === 200; tries += 1)
      await new Promise((r) => setTimeout(r, 50));
    expect(await answers()).toBe(503);
    env.github.faults.clear();
    env.clock.advance(PAUSE_MS);
    expect(await answers()).toBe(403);
  });

  it('loses it after a quarter of an hour without a delivery', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    await invited(env, place.orgId, user, 'admin');
    const browser = await signInAndJoin(env, user, place.organization);
    // The sign-in enqueues a check of the members, which must not run after the removal.
    await env.waitUntilIdle();
    env.outbox.faults.next({ kind: 'lose', event: 'organization' });
    place.organization.removeMember(user);
    env.clock.advance(14 * MINUTE_MS);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(200);
    env.clock.advance(MINUTE_MS);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(403);
    expect(await memberOf(env, place.orgId, user)).toBeNull();
  });

  it('loses it in the next periodic sync, without a request', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    const stays = createMember(env, place, 'sam');
    await invited(env, place.orgId, user);
    await invited(env, place.orgId, stays);
    await env.waitUntilIdle();
    env.outbox.faults.next({ kind: 'lose', event: 'organization' });
    place.organization.removeMember(user);
    env.clock.advance(10 * MINUTE_MS);
    const begun = env.clock.now();
    await env.app.get(MemberListSyncService).enqueueAll();
    await env.waitUntilIdle();
    expect(await memberOf(env, place.orgId, user)).toBeNull();
    const confirmed = await memberOf(env, place.orgId, stays);
    expect(confirmed?.confirmedAt.getTime()).toBeGreaterThanOrEqual(begun.getTime());
  });
});

describe('a user of the organization', () => {
  it('remains a member even if a member list lacks them', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    await invited(env, place.orgId, user);
    await signInAndJoin(env, user, place.organization);
    const { members } = place.organization;
    members.values = () => new Map([...members].filter(([id]) => id !== user.id)).values();
    await env.app.get(MemberListSyncService).enqueueAll();
    await env.waitUntilIdle();
    expect(await memberOf(env, place.orgId, user)).not.toBeNull();
    expect(await auditOf(env, place.orgId)).toEqual([]);
  });

  it('remains a member if the contrary answer is older', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    // The delivery about the new member would make the membership unconfirmed.
    await env.waitUntilIdle();
    const before = env.clock.now();
    env.clock.advance(1_000);
    await invited(env, place.orgId, user);
    const members = env.app.get(MembersRepository);
    const locks = (at: Date): Promise<boolean> =>
      env.database.inTenant(place.orgId, (tx) => members.lockUnconfirmed(tx, user.id, at));
    expect(await locks(before)).toBe(false);
    expect(await locks(env.clock.now())).toBe(true);
  });

  it('is checked at low cost: an unchanged answer is not sent again', async () => {
    const place = await createWorkspace(env);
    const user = createMember(env, place, 'mia');
    await invited(env, place.orgId, user);
    await signInAndJoin(env, user, place.organization);
    const round = async (): Promise<readonly number[]> => {
      env.clock.advance(10 * MINUTE_MS);
      const before = env.exchanges.length;
      await env.app.get(MemberListSyncService).enqueueAll();
      await env.waitUntilIdle();
      const requested = env.exchanges
        .slice(before)
        .filter(({ path }) => path.includes(`/${place.organization.login}/members`));
      return requested.map(({ status }) => status);
    };
    await round();
    expect(await round()).toEqual([304]);
  });

  it('is checked together with many others by one more list if none of their logins is listed', async () => {
    const place = await createWorkspace(env);
    const gone = Array.from({ length: 5 }, (_, at) =>
      env.github.createUser({ login: `gone-${at}-of-${place.organization.login}` }),
    );
    for (const user of gone) await invited(env, place.orgId, user);
    env.clock.advance(10 * MINUTE_MS);
    const before = env.exchanges.length;
    await env.app.get(MemberListSyncService).enqueueAll();
    await env.waitUntilIdle();
    const lists = env.exchanges
      .slice(before)
      .filter(({ path }) => path === `/orgs/${place.organization.login}/members`);
    expect(lists).toHaveLength(2);
    expect(await Promise.all(gone.map((user) => memberOf(env, place.orgId, user)))).toEqual(gone.map(() => null));
  });
});

describe('an expired membership', () => {
  it('gives no access while GitHub is unavailable, and is valid again afterwards', async () => {
    const place = await createWorkspace(env);
    const browser = await signInAndJoin(env, place.owner, place.organization);
    env.clock.advance(16 * MINUTE_MS);
    cutOff();
    const { status, headers, body } = await browser.goTo(ADMINS_ROUTE);
    expect([status, Object.keys(body)]).toEqual([503, ['error']]);
    expect(headers.get('retry-after')).toBe('30');
    env.github.faults.clear();
    env.clock.advance(PAUSE_MS);
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(200);
  });

  it('blocks no request while GitHub does not answer', async () => {
    const place = await createWorkspace(env);
    const browser = await signInAndJoin(env, place.owner, place.organization);
    env.clock.advance(16 * MINUTE_MS);
    env.github.faults.next({ kind: 'delay', ms: 4_000, times: 3 });
    const begun = performance.now();
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(503);
    expect(performance.now() - begun).toBeLessThan(11_000);
  });

  it('is checked once for many requests at the same time', async () => {
    const place = await createWorkspace(env);
    const browser = await signInAndJoin(env, place.owner, place.organization);
    // The jobs after the sign-in also check the membership.
    await env.waitUntilIdle();
    env.clock.advance(16 * MINUTE_MS);
    const before = env.exchanges.length;
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.goTo(ADMINS_ROUTE)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    // A job may read the user's own list at the same time, which is no check of this membership.
    const check = `/orgs/${place.organization.login}/memberships/`;
    expect(env.exchanges.slice(before).filter(({ path }) => path.startsWith(check))).toHaveLength(1);
  });

  it('is refreshed by the periodic sync before it expires', async () => {
    const place = await createWorkspace(env);
    const browser = await signInAndJoin(env, place.owner, place.organization);
    env.clock.advance(10 * MINUTE_MS);
    await env.app.get(MemberListSyncService).enqueueAll();
    await env.waitUntilIdle();
    env.clock.advance(10 * MINUTE_MS);
    cutOff();
    expect((await browser.goTo(ADMINS_ROUTE)).status).toBe(200);
  });
});
