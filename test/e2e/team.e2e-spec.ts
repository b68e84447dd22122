import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import type { OrgId } from '../../src/database/ids.js';
import type { Organization } from '../github-sim/state/organization.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { auditOf, createWorkspace, memberOf } from './scenarios/members.js';

let env: TestEnvironment;
let organization: Organization;
let orgId: OrgId;

/** A workspace of its own for each test, with two admins and a member. */
let ada: UserSession;
let bob: UserSession;
let mia: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
});
afterAll(() => env.stop());
beforeEach(async () => {
  ({ organization, orgId } = await createWorkspace(env));
  [ada, bob, mia] = [await come('ada', 'admin'), await come('bob', 'admin'), await come('mia', 'member')];
});

const come = (name: string, role: 'admin' | 'member', place = organization): Promise<UserSession> => {
  const user = env.github.createUser({ login: `${name}-of-${place.login}`, name: name.toUpperCase() });
  return signIn(env, user, { role, organization: place });
};

const setRole = (by: UserSession, of: UserSession, role: string) =>
  by.send('PATCH', `/api/team/members/${of.user.id}`, { role });
const remove = (by: UserSession, of: UserSession) => by.send('DELETE', `/api/team/members/${of.user.id}`);
const roleOf = async (of: UserSession) => (await memberOf(env, orgId, of.user))?.role ?? null;
const statuses = (answers: readonly { readonly status: number }[]): readonly number[] =>
  answers.map(({ status }) => status).sort((one, other) => one - other);

describe('the team', () => {
  it('is visible only to its members', async () => {
    const elsewhere = env.github.createOrganization({ login: `elsewhere-of-${organization.login}` });
    await env.install(elsewhere);
    const stranger = await come('eve', 'admin', elsewhere);
    const answer = await mia.get('/api/team');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const visible = ({ user }: UserSession, role: string) => ({
      userId: user.id,
      login: user.login,
      name: user.name,
      avatarUrl: `${env.github.url}/avatars/${user.id}`,
      role,
      joinedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      auditor: false,
    });
    expect(answer.body).toEqual({
      members: [visible(ada, 'admin'), visible(bob, 'admin'), visible(mia, 'member')],
      invites: [],
    });
    expect((await stranger.get('/api/team')).body).toEqual({ members: [visible(stranger, 'admin')], invites: [] });
  });

  it('is changed only by admins', async () => {
    expect(statuses([await setRole(mia, mia, 'admin'), await remove(mia, ada)])).toEqual([403, 403]);
    expect((await mia.send('POST', '/api/team/invites', { role: 'admin' })).status).toBe(403);
    expect((await mia.send('DELETE', `/api/team/invites/${randomUUID()}`)).status).toBe(403);
    expect([await roleOf(mia), await roleOf(ada)]).toEqual(['member', 'admin']);
  });

  it('is changed only by pages of the service', async () => {
    const path = `/api/team/members/${mia.user.id}`;
    const headers = { origin: 'https://evil.example' };
    expect((await ada.send('PATCH', path, { role: 'admin' }, headers)).status).toBe(403);
    expect((await ada.send('DELETE', path, undefined, headers)).status).toBe(403);
    expect(await roleOf(mia)).toBe('member');
  });
});

describe('a role', () => {
  it('applies from the next request on, and is in the audit log', async () => {
    const raised = await setRole(ada, mia, 'admin');
    expect([raised.status, raised.body]).toEqual([
      200,
      expect.objectContaining({ userId: mia.user.id, login: mia.user.login, role: 'admin' }),
    ]);
    expect((await setRole(mia, bob, 'member')).status).toBe(200);
    expect((await setRole(bob, ada, 'member')).status).toBe(403);
    expect(await auditOf(env, orgId)).toEqual([
      `member.role_changed ${mia.user.login}`,
      `member.role_changed ${bob.user.login}`,
    ]);
  });

  it('that is set again changes nothing', async () => {
    expect((await setRole(ada, bob, 'admin')).status).toBe(200);
    expect(await auditOf(env, orgId)).toEqual([]);
  });

  it.each([[{}], [{ role: 'owner' }], [{ role: ['admin'] }], [{ role: 'admin', login: 'x' }]])(
    'is admin or member: %j',
    async (body) => {
      expect((await ada.send('PATCH', `/api/team/members/${mia.user.id}`, body)).status).toBe(400);
    },
  );
});

describe('the last admin', () => {
  it('is neither demoted nor removed, also not by themselves', async () => {
    expect((await remove(ada, bob)).status).toBe(204);
    const refused = [await setRole(ada, ada, 'member'), await remove(ada, ada)];
    expect(refused.map(({ status, body }) => [status, body])).toEqual(
      refused.map(() => [409, { error: expect.stringContaining('last admin') }]),
    );
    expect(await roleOf(ada)).toBe('admin');
  });

  it('remains if two demote each other at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      await signIn(env, ada.user, { role: 'admin', organization });
      await signIn(env, bob.user, { role: 'admin', organization });
      const answers = await Promise.all([setRole(ada, bob, 'member'), setRole(bob, ada, 'member')]);
      // The slower admin may have lost the role before the authorization.
      expect(statuses(answers)[0]).toBe(200);
      expect([403, 409]).toContain(statuses(answers)[1]);
      expect(new Set([await roleOf(ada), await roleOf(bob)])).toEqual(new Set(['admin', 'member']));
    }
  });

  it('remains if all leave at once', async () => {
    const cleo = await come('cleo', 'admin');
    const answers = await Promise.all([
      setRole(ada, ada, 'member'),
      remove(bob, bob),
      setRole(cleo, cleo, 'member'),
      remove(ada, cleo),
    ]);
    const admins = (await Promise.all([ada, bob, cleo].map(roleOf))).filter((role) => role === 'admin');
    expect(admins).toHaveLength(1);
    expect(statuses(answers).at(-1)).toBeGreaterThanOrEqual(403);
  });

  it('gets an error if both demotions run at once', async () => {
    const paused = await env.database.pool.connect();
    try {
      await paused.query('begin');
      await paused.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${orgId} team`]);
      const answers = Promise.all([setRole(ada, bob, 'member'), setRole(bob, ada, 'member')]);
      await waiting(2);
      await paused.query('commit');
      expect(statuses(await answers)).toEqual([200, 409]);
    } finally {
      paused.release();
    }
  });

  const waiting = async (count: number): Promise<void> => {
    for (let tries = 0; tries < 500; tries += 1) {
      const [row] = await env.asSuperuser<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and wait_event = 'advisory'
           and datname = current_database()`,
      );
      if (row?.n === count) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('no statement waits');
  };
});

describe('a removed member', () => {
  it('loses the workspace in every open session, and their keys to it', async () => {
    const other = await signIn(env, mia.user, { role: 'member', organization });
    await env.database.inTenant(orgId, (tx) =>
      tx.query(
        `insert into personal_key (org_id, id, person, name, prefix, secret_hash, scope, created_at, expires_at)
         values ($1, $2, $3, 'laptop', 'sgp_abcdef', $4, 'read', now(), now() + interval '1 day')`,
        [orgId, randomUUID(), mia.user.id, randomBytes(32)],
      ),
    );
    expect((await mia.get('/api/team')).status).toBe(200);
    const answer = await remove(ada, mia);
    expect([answer.status, answer.body]).toEqual([204, { text: '' }]);
    expect(statuses([await mia.get('/api/team'), await other.get('/api/team')])).toEqual([403, 403]);
    expect((await mia.get('/api/auth/me')).body).toMatchObject({ workspace: null });
    expect((await mia.send('POST', '/api/auth/workspace', { org: organization.login })).status).toBe(403);
    const keys = await env.database.inTenant(orgId, (tx) =>
      tx.query('select revoked_at is null as live from personal_key'),
    );
    expect(keys).toEqual([{ live: false }]);
    expect(await auditOf(env, orgId)).toEqual([`member.removed ${mia.user.login}`]);
  });

  it('does not return through a pending invite', async () => {
    const guest = env.github.createUser({ login: `zoe-of-${organization.login}` });
    organization.addMember(guest);
    const { body: invite } = await ada.send('POST', '/api/team/invites', { login: guest.login, role: 'admin' });
    // The user became a member in another way meanwhile.
    const zoe = await signIn(env, guest, { role: 'member', organization });
    expect((await remove(ada, zoe)).status).toBe(204);
    expect((await zoe.send('POST', '/api/team/invites/accept', { token: invite['token'] })).status).toBe(410);
    expect(await roleOf(zoe)).toBeNull();
  });

  it('can be an admin who removes themselves while there is another', async () => {
    expect((await remove(bob, bob)).status).toBe(204);
    expect((await bob.get('/api/team')).status).toBe(403);
  });

  it('is not found by a second removal', async () => {
    expect(statuses([await remove(ada, mia), await remove(ada, mia)])).toEqual([204, 404]);
  });
});

describe('the id of a member', () => {
  it.each(['0', '-1', '01', '1e3', 'ada', '0x1f', '%20', '99999999999999999999', '9007199254740993', randomUUID()])(
    'is a number of GitHub: %s names no member',
    async (id) => {
      const path = `/api/team/members/${id}`;
      expect((await ada.send('PATCH', path, { role: 'admin' })).status).toBe(404);
      expect((await ada.send('DELETE', path)).status).toBe(404);
    },
  );

  it('is written in one way', async () => {
    const { id } = mia.user;
    for (const text of [`0${id}`, `%20${id}`, `%2B${id}`, `${id}.0`, `${id}e0`, `0x${id.toString(16)}`]) {
      expect([text, (await ada.send('DELETE', `/api/team/members/${text}`)).status]).toEqual([text, 404]);
    }
    expect(await roleOf(mia)).toBe('member');
  });

  it('of a user in another workspace is not found, like an unknown one', async () => {
    const elsewhere = env.github.createOrganization({ login: `abroad-of-${organization.login}` });
    await env.install(elsewhere);
    const eve = await come('eve', 'admin', elsewhere);
    const stranger = env.github.createUser({ login: `stranger-of-${organization.login}` });
    for (const { id } of [eve.user, stranger]) {
      expect((await ada.send('PATCH', `/api/team/members/${id}`, { role: 'member' })).status).toBe(404);
      expect((await ada.send('DELETE', `/api/team/members/${id}`)).status).toBe(404);
    }
    expect((await memberOf(env, await env.orgId(elsewhere), eve.user))?.role).toBe('admin');
  });
});
