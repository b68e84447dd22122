import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { InviteTokens } from '../../src/features/team/invite-tokens.js';
import { Browser } from '../support/browser.js';
import { signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { accept, type Issued, InviteScenario, rejection, revoke } from './scenarios/invite-scenario.js';
import { auditOf } from './scenarios/members.js';

const DAY_MS = 24 * 3_600_000;

let env: TestEnvironment;
let scenario: InviteScenario;

beforeAll(async () => {
  env = await TestEnvironment.start();
});
afterAll(async () => {
  expect(env.violations).toEqual([]);
  await env.stop();
});
beforeEach(async () => {
  env.github.faults.clear();
  scenario = await InviteScenario.found(env);
});

describe('an invite', () => {
  it('is a link for 7 days whose token is only in the response', async () => {
    const answer = await scenario.ada.send('POST', '/api/team/invites', { role: 'admin' });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { id, url, token, expiresAt } = answer.body as unknown as Issued;
    expect(token).toMatch(/^sgi_[\w-]{32}\.[\w-]{43}$/);
    expect(url).toBe(`${env.baseUrl}/invite#${token}`);
    const life = new Date(expiresAt).getTime() - env.clock.now().getTime();
    expect([life > 7 * DAY_MS - 60_000, life <= 7 * DAY_MS]).toEqual([true, true]);
    const mia = await signIn(env, env.github.createUser({ login: `mia-${scenario.number}` }), {
      role: 'member',
      organization: scenario.organization,
    });
    expect(await scenario.waiting(mia)).toEqual([
      { id, login: null, role: 'admin', auditor: false, expiresAt, createdBy: scenario.ada.user.login },
    ]);
    const [, signature = ''] = token.split('.');
    const rows = await env.asSuperuser('select i::text, a::text from invite i, audit_entry a');
    expect([JSON.stringify(rows), env.lines.join()].filter((text) => text.includes(signature))).toEqual([]);
  });

  it('makes a user of the organization a member, and opens the workspace', async () => {
    const zoe = await scenario.guest('zoe');
    const { token } = await scenario.invite({ role: 'member' });
    expect((await zoe.get('/api/team')).status).toBe(403);
    expect(await accept(zoe, token)).toMatchObject({
      status: 200,
      body: { workspace: { org: scenario.organization.login, role: 'member' } },
    });
    expect((await zoe.get('/api/auth/me')).body).toMatchObject({
      workspace: { org: scenario.organization.login, role: 'member' },
    });
    const { status, body } = await zoe.get('/api/team');
    expect([status, (body['members'] as { login: string }[]).map(({ login }) => login)]).toEqual([
      200,
      [scenario.ada.user.login, zoe.user.login],
    ]);
    expect(body['invites']).toEqual([]);
    expect(await auditOf(env, scenario.orgId)).toEqual([
      'invite.created anyone with the link',
      `invite.accepted ${zoe.user.login}`,
      `member.joined ${zoe.user.login}`,
    ]);
  });

  it('lets a new member read the private repositories that GitHub lets them read, and no other', async () => {
    env.github.createRepository(scenario.organization, { name: 'theirs', private: true });
    scenario.organization.basePermission = 'none';
    const others = env.github.createRepository(scenario.organization, { name: 'others', private: true });
    const { user } = await scenario.guest('zoe');
    for (const repository of scenario.organization.repositories()) {
      if (repository !== others) repository.collaborators.set(user.id, { user, role: 'read' });
    }
    await env.waitUntilIdle();
    const browser = new Browser(env);
    await browser.signIn(user);
    const { token } = await scenario.invite();
    expect((await browser.post('/api/team/invites/accept', { token })).status).toBe(200);
    await env.waitUntilIdle();
    const seen = await env.database.asViewer({ orgId: scenario.orgId, userId: user.id }, (tx) =>
      tx.query('select name from repository'),
    );
    expect(seen).toEqual([{ name: 'theirs' }]);
  });

  it('opens its own workspace, also if the user has another with the same name', async () => {
    const twin = env.github.createOrganization({ login: `twin-${scenario.number}` });
    const twinId = await env.install(twin);
    // If the service selected the first workspace of the name, one of these two users would get the wrong one.
    const [eve, zoe] = [await scenario.admin('eve', twin), await scenario.admin('zoe')];
    scenario.joins(eve.user);
    twin.members.set(zoe.user.id, { user: zoe.user, role: 'member' });
    const [tokens, twins] = [await scenario.invite(), await scenario.invite({ role: 'member' }, eve)];
    // The state during a rename.
    await env.asSuperuser(
      `update organization set login = 'same-${scenario.number}' where org_id in ('${scenario.orgId}', '${twinId}')`,
    );
    expect(await accept(eve, tokens.token)).toMatchObject({ status: 200, body: { workspace: { role: 'member' } } });
    expect(await accept(zoe, twins.token)).toMatchObject({ status: 200, body: { workspace: { role: 'member' } } });
    const selected = await env.asSuperuser<{ person: number; workspace: string }>(
      `select user_id::int as person, workspace_id as workspace from session where user_id in (${eve.user.id}, ${zoe.user.id}) order by 1`,
    );
    expect(selected).toEqual([
      { person: eve.user.id, workspace: scenario.orgId },
      { person: zoe.user.id, workspace: twinId },
    ]);
  });

  it('leads from one workspace to another, each with its own team', async () => {
    const elsewhere = env.github.createOrganization({ login: `elsewhere-${scenario.number}` });
    await env.install(elsewhere);
    const eve = await scenario.admin('eve', elsewhere);
    scenario.joins(eve.user);
    expect((await accept(eve, (await scenario.invite()).token)).status).toBe(200);
    expect((await eve.get('/api/team')).body['members']).toHaveLength(2);
    expect((await eve.send('POST', '/api/team/invites', { role: 'admin' })).status).toBe(403);
    await eve.send('POST', '/api/auth/workspace', { org: elsewhere.login });
    expect((await eve.get('/api/team')).body['members']).toEqual([
      expect.objectContaining({ login: eve.user.login, role: 'admin' }),
    ]);
  });

  it.each([
    [{}],
    [{ role: 'owner' }],
    [{ role: 'member', login: '@zoe' }],
    [{ role: 'member', login: '../orgs/acme' }],
    [{ role: 'member', login: '' }],
    [{ role: 'member', login: null }],
  ])('is rejected if the request is not valid: %j', async (body) => {
    expect((await scenario.ada.send('POST', '/api/team/invites', body)).status).toBe(400);
  });
});

describe('an invite for one user', () => {
  it('can be accepted only by that user', async () => {
    const [zoe, tom] = [await scenario.guest('zoe'), await scenario.guest('tom')];
    const { token } = await scenario.invite({ login: zoe.user.login.toUpperCase(), role: 'admin' });
    expect(await scenario.waiting()).toMatchObject([{ login: zoe.user.login, role: 'admin' }]);
    expect(await accept(tom, token)).toMatchObject(rejection(403, 'for another user'));
    expect((await accept(zoe, token)).status).toBe(200);
    expect([await scenario.roleOf(zoe), await scenario.roleOf(tom)]).toEqual(['admin', null]);
    expect(await accept(tom, token)).toMatchObject(rejection(403, 'for another user'));
  });

  it('follows the user to a new login, and not the login to another user', async () => {
    const zoe = await scenario.guest('zoe');
    const login = zoe.user.login;
    const { token } = await scenario.invite({ login, role: 'member' });
    zoe.user.rename(`${login}-2`);
    const heir = env.github.createUser({ login });
    scenario.joins(heir);
    expect(await accept(await signIn(env, heir, { role: null }), token)).toMatchObject(
      rejection(403, 'for another user'),
    );
    expect((await accept(await signIn(env, zoe.user, { role: null }), token)).status).toBe(200);
  });

  it('does not follow a login to a recreated account', async () => {
    const zoe = await scenario.guest('zoe');
    const { login } = zoe.user;
    const { token } = await scenario.invite({ login, role: 'member' });
    zoe.user.delete();
    const heir = env.github.createUser({ login });
    scenario.joins(heir);
    expect(await accept(await signIn(env, heir, { role: null }), token)).toMatchObject(
      rejection(403, 'for another user'),
    );
    expect(await scenario.roleOf({ user: heir })).toBeNull();
  });

  it('requires a user with that login who is not a member yet', async () => {
    const order = (login: string) => scenario.ada.send('POST', '/api/team/invites', { login, role: 'member' });
    expect(await order(`nobody-${scenario.number}`)).toMatchObject(rejection(422, 'GitHub has no user'));
    expect(await order(scenario.organization.login)).toMatchObject(rejection(422, 'GitHub has no user'));
    expect(await order(scenario.ada.user.login)).toMatchObject(rejection(409, 'member of the workspace already'));
    expect(await scenario.waiting()).toEqual([]);
  });

  it('replaces an earlier one', async () => {
    const zoe = await scenario.guest('zoe');
    const first = await scenario.invite({ login: zoe.user.login, role: 'admin' });
    const second = await scenario.invite({ login: zoe.user.login, role: 'member' });
    expect(await scenario.waiting()).toMatchObject([{ id: second.id, role: 'member' }]);
    expect(await accept(zoe, first.token)).toMatchObject(rejection(410, 'withdrawn'));
    expect((await accept(zoe, second.token)).body).toMatchObject({ workspace: { role: 'member' } });
    expect((await auditOf(env, scenario.orgId)).slice(0, 3)).toEqual([
      `invite.created ${zoe.user.login}`,
      `invite.revoked ${zoe.user.login}`,
      `invite.created ${zoe.user.login}`,
    ]);
  });

  it('is one invite when ten are created at once', async () => {
    const zoe = await scenario.guest('zoe');
    const created = await Promise.all(
      Array.from({ length: 10 }, () => scenario.invite({ login: zoe.user.login, role: 'member' })),
    );
    const open = await scenario.waiting();
    expect([created.length, open.length]).toEqual([10, 1]);
    const rows = await env.database.inTenant(scenario.orgId, (tx) =>
      tx.query('select from invite where revoked_at is null'),
    );
    expect(rows).toHaveLength(1);
  });
});

describe('an invite that has ended', () => {
  it('because it expired is rejected, whatever its token says', async () => {
    const { id, token, expiresAt } = await scenario.invite();
    env.clock.advance(7 * DAY_MS);
    const zoe = await scenario.guest('zoe');
    expect(await accept(zoe, token)).toMatchObject(rejection(410, 'expired'));
    const later = new Date(new Date(expiresAt).getTime() + DAY_MS);
    expect(await accept(zoe, env.app.get(InviteTokens).sign({ id, expiresAt: later }))).toMatchObject(
      rejection(410, 'expired'),
    );
    expect(await scenario.waiting(await scenario.admin('adi'))).toEqual([]);
    expect(await scenario.roleOf(zoe)).toBeNull();
  });

  it('because it was withdrawn is rejected', async () => {
    const zoe = await scenario.guest('zoe');
    const { id, token } = await scenario.invite();
    expect([(await revoke(scenario.ada, id)).status, (await revoke(scenario.ada, id)).status]).toEqual([204, 404]);
    expect(await accept(zoe, token)).toMatchObject(rejection(410, 'withdrawn'));
    expect(await scenario.waiting()).toEqual([]);
    expect((await auditOf(env, scenario.orgId)).at(-1)).toBe('invite.revoked anyone with the link');
  });

  it('because it was accepted cannot be withdrawn or used again', async () => {
    const { id, token } = await scenario.invite();
    await accept(await scenario.guest('zoe'), token);
    expect((await revoke(scenario.ada, id)).status).toBe(404);
    expect(await accept(await scenario.guest('tom'), token)).toMatchObject(rejection(410, 'accepted already'));
  });

  it('because its creator is no longer an admin is rejected', async () => {
    const bob = await scenario.admin('bob');
    const zoe = await scenario.guest('zoe');
    const { token } = await scenario.invite({ role: 'admin' }, bob);
    expect((await scenario.ada.send('PATCH', `/api/team/members/${bob.user.id}`, { role: 'member' })).status).toBe(200);
    expect(await scenario.waiting()).toEqual([]);
    expect(await accept(zoe, token)).toMatchObject(rejection(410, 'withdrawn'));
    await scenario.ada.send('DELETE', `/api/team/members/${bob.user.id}`);
    expect(await accept(bob, token)).toMatchObject(rejection(410, 'withdrawn'));
    expect([await scenario.roleOf(zoe), await scenario.roleOf(bob)]).toEqual([null, null]);
  });

  it.each(['not-a-uuid', '1', randomUUID()])('or never existed cannot be withdrawn: %s', async (id) => {
    expect((await revoke(scenario.ada, id)).status).toBe(404);
  });

  it('cannot be withdrawn by another workspace', async () => {
    const elsewhere = env.github.createOrganization({ login: `abroad-${scenario.number}` });
    await env.install(elsewhere);
    const eve = await scenario.admin('eve', elsewhere);
    const { id, token } = await scenario.invite();
    expect(await scenario.waiting(eve)).toEqual([]);
    expect((await revoke(eve, id)).status).toBe(404);
    expect((await accept(await scenario.guest('zoe'), token)).status).toBe(200);
  });
});
