import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemberRole } from '../../src/auth/user.js';
import type { OrgId } from '../../src/database/ids.js';
import { GitHubGateway } from '../../src/github/github-gateway.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { User } from '../github-sim/state/user.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { signInAndJoin, invited, memberOf } from './scenarios/members.js';

const MINUTE_MS = 60_000;

let env: TestEnvironment;
let organization: Organization;
let orgId: OrgId;
let founded = 0;
let ada: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
});
afterAll(() => env.stop());
beforeEach(async () => {
  env.github.faults.clear();
  founded += 1;
  organization = env.github.createOrganization({ login: `org-${founded}` });
  orgId = await env.install(organization);
  ada = await signInUser('ada', 'admin');
});

const userOf = (name: string): User => env.github.createUser({ login: `${name}-of-${organization.login}` });
const signInUser = (name: string, role: MemberRole | null): Promise<UserSession> =>
  signIn(env, userOf(name), { role, organization });

describe('a former admin', () => {
  const linkOf = async (by: UserSession): Promise<unknown> =>
    (await by.send('POST', '/api/team/invites', { role: 'admin' })).body['token'];
  const appoint = async ({ user }: UserSession, role: MemberRole): Promise<void> => {
    expect((await ada.send('PATCH', `/api/team/members/${user.id}`, { role })).status).toBe(200);
  };
  const accepted = async (token: unknown): Promise<number> => {
    const user = userOf(`guest-${String(Math.random()).slice(2)}`);
    organization.members.set(user.id, { user, role: 'member' });
    const guest = await signIn(env, user, { role: null });
    return (await guest.send('POST', '/api/team/invites/accept', { token })).status;
  };

  it('does not get their old invites back with the role', async () => {
    const eve = await signInUser('eve', 'admin');
    const token = await linkOf(eve);
    await appoint(eve, 'member');
    await appoint(eve, 'admin');
    expect((await ada.get('/api/team')).body['invites']).toEqual([]);
    expect(await accepted(token)).toBe(410);
    expect(await accepted(await linkOf(eve))).toBe(200);
  });

  it('does not get them back with a new membership', async () => {
    const eve = await signInUser('eve', 'admin');
    const token = await linkOf(eve);
    expect((await ada.send('DELETE', `/api/team/members/${eve.user.id}`)).status).toBe(204);
    await invited(env, orgId, eve.user, 'admin');
    expect(await accepted(token)).toBe(410);
    expect((await ada.get('/api/team')).body['invites']).toEqual([]);
  });

  it('neither creates nor replaces an invite while GitHub is read', async () => {
    const eve = await signInUser('eve', 'admin');
    const guest = userOf('zoe');
    const { body: stored } = await ada.send('POST', '/api/team/invites', { login: guest.login, role: 'member' });
    env.github.faults.next({ kind: 'delay', ms: 1_000, match: /^GET \/users\// });
    const creation = eve.send('POST', '/api/team/invites', { login: guest.login, role: 'admin' });
    await sleep(300);
    await appoint(eve, 'member');
    expect((await creation).status).toBe(403);
    expect((await ada.get('/api/team')).body['invites']).toEqual([expect.objectContaining({ id: stored['id'] })]);
  });
});

describe('a member about whom GitHub returns nothing', () => {
  it('does not use up the rate limit with repeated requests', async () => {
    const user = userOf('bob');
    organization.addMember(user, 'member');
    await invited(env, orgId, user);
    const browser = await signInAndJoin(env, user, organization);
    const [installation] = env.github.state.installations.of(organization);
    installation?.suspend();
    organization.removeMember(user);
    await env.waitUntilIdle();
    env.clock.advance(16 * MINUTE_MS);
    const before = env.exchanges.length;
    for (let requests = 0; requests < 10; requests += 1) {
      const { status, headers } = await browser.goTo('/api/team');
      expect([status, headers.get('retry-after')]).toEqual([503, '30']);
    }
    expect(env.exchanges.length - before).toBe(1);
    installation?.unsuspend();
    await env.waitUntilIdle();
    env.clock.advance(11_000);
    expect((await browser.goTo('/api/team')).status).toBe(403);
  });
});

describe('a user who leaves while GitHub confirms the membership', () => {
  it('is not accepted because of that response, even if GitHub sends no later one', async () => {
    const user = userOf('mia');
    organization.members.set(user.id, { user, role: 'member' });
    await invited(env, orgId, user);
    const browser = await signInAndJoin(env, user, organization);
    env.clock.advance(16 * MINUTE_MS);
    const { organizations } = env.app.get(GitHubGateway);
    const moments = new EventEmitter();
    const answered = once(moments, 'answered');
    const left = once(moments, 'left');
    const request = organizations.hasMember.bind(organizations);
    const slow = jest.spyOn(organizations, 'hasMember').mockImplementationOnce(async (...query) => {
      const answer = await request(...query);
      moments.emit('answered');
      await left;
      return answer;
    });
    const running = browser.goTo('/api/team');
    await answered;
    env.github.faults.next({ kind: '5xx', times: 10_000 });
    organization.removeMember(user);
    await env.outbox.waitUntilIdle();
    while ((await memberOf(env, orgId, user))?.confirmedAt.getTime() !== 0) await sleep(10);
    moments.emit('left');
    expect((await running).status).toBe(503);
    expect((await browser.goTo('/api/team')).status).toBe(503);
    slow.mockRestore();
    env.github.faults.clear();
    env.clock.advance(11_000);
    expect((await browser.goTo('/api/team')).status).toBe(403);
  });
});

describe('a user with a link who is not in the organization', () => {
  it('does not use up the rate limit with repeated attempts', async () => {
    const { token } = (await ada.send('POST', '/api/team/invites', { role: 'member' })).body;
    const stranger = await signIn(env, userOf('mallory'), { role: null });
    const accept = async (): Promise<number> =>
      (await stranger.send('POST', '/api/team/invites/accept', { token })).status;
    expect(await accept()).toBe(403);
    const before = env.exchanges.length;
    for (let tries = 0; tries < 10; tries += 1) expect(await accept()).toBe(403);
    expect(env.exchanges.slice(before).map(({ method, path, status }) => [method, path, status])).toEqual([]);
    organization.members.set(stranger.user.id, { user: stranger.user, role: 'member' });
    env.clock.advance(11_000);
    expect(await accept()).toBe(200);
  });
});

describe('a clock that was an hour ahead', () => {
  /** A session of that hour is invalid itself. This one was created and last used before that hour. */
  const withAnEarlierSession = (): Promise<unknown> =>
    env.asSuperuser(
      `update session set created_at = created_at - interval '90 minutes', last_seen_at = last_seen_at - interval '90 minutes'`,
    );

  it('ends the sessions that were created in that hour', async () => {
    const user = userOf('ida');
    organization.members.set(user.id, { user, role: 'member' });
    await invited(env, orgId, user);
    env.clock.advance(60 * MINUTE_MS);
    const browser = await signInAndJoin(env, user, organization);
    env.clock.advance(-60 * MINUTE_MS);
    expect((await browser.goTo('/api/team')).status).toBe(401);
  });

  it('confirms no member who left after it was corrected', async () => {
    const user = userOf('kim');
    organization.members.set(user.id, { user, role: 'member' });
    await invited(env, orgId, user);
    env.clock.advance(60 * MINUTE_MS);
    const browser = await signInAndJoin(env, user, organization);
    expect((await browser.goTo('/api/team')).status).toBe(200);
    env.clock.advance(-60 * MINUTE_MS);
    await withAnEarlierSession();
    // Without a delivery to the service.
    organization.members.delete(user.id);
    expect((await browser.goTo('/api/team')).status).toBe(403);
    expect(await memberOf(env, orgId, user)).toBeNull();
  });

  it('requires that the access and the membership of a user are read again', async () => {
    const user = userOf('lee');
    organization.members.set(user.id, { user, role: 'member' });
    await invited(env, orgId, user);
    env.clock.advance(60 * MINUTE_MS);
    const browser = await signInAndJoin(env, user, organization);
    env.clock.advance(-60 * MINUTE_MS);
    await withAnEarlierSession();
    for (let requests = 0; requests < 3; requests += 1) expect((await browser.goTo('/api/team')).status).toBe(200);
    const member = await memberOf(env, orgId, user);
    for (const at of [member?.confirmedAt, member?.accessObservedAt]) {
      expect(Math.abs(env.clock.now().getTime() - (at?.getTime() ?? 0))).toBeLessThan(MINUTE_MS);
    }
  });
});
