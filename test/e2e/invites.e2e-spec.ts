import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { InviteTokens } from '../../src/features/team/invite-tokens.js';
import { Browser } from '../support/browser.js';
import { signIn } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { accept, type Issued, InviteScene, refusal, revoke } from './scene/invite-scene.js';
import { auditOf } from './scene/members.js';

const DAY_MS = 24 * 3_600_000;

let world: TestEnvironment;
let scene: InviteScene;

beforeAll(async () => {
  world = await TestEnvironment.start();
});
afterAll(async () => {
  expect(world.violations).toEqual([]);
  await world.stop();
});
beforeEach(async () => {
  world.github.faults.clear();
  scene = await InviteScene.found(world);
});

describe('an invite', () => {
  it('is a link for 7 days whose token nothing but the answer holds', async () => {
    const answer = await scene.ada.send('POST', '/api/team/invites', { role: 'admin' });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { id, url, token, expiresAt } = answer.body as unknown as Issued;
    expect(token).toMatch(/^sgi_[\w-]{32}\.[\w-]{43}$/);
    expect(url).toBe(`${world.baseUrl}/invite#${token}`);
    const life = new Date(expiresAt).getTime() - world.clock.now().getTime();
    expect([life > 7 * DAY_MS - 60_000, life <= 7 * DAY_MS]).toEqual([true, true]);
    const mia = await signIn(world, world.github.createUser({ login: `mia-${scene.number}` }), {
      role: 'member',
      organization: scene.organization,
    });
    expect(await scene.waiting(mia)).toEqual([
      { id, login: null, role: 'admin', expiresAt, createdBy: scene.ada.user.login },
    ]);
    const [, signature = ''] = token.split('.');
    const rows = await world.asSuperuser('select i::text, a::text from invite i, audit_entry a');
    expect([JSON.stringify(rows), world.lines.join()].filter((text) => text.includes(signature))).toEqual([]);
  });

  it('makes a member of who belongs to the organization, and opens the workspace', async () => {
    const zoe = await scene.guest('zoe');
    const { token } = await scene.invite({ role: 'member' });
    expect((await zoe.get('/api/team')).status).toBe(403);
    expect(await accept(zoe, token)).toMatchObject({
      status: 200,
      body: { workspace: { org: scene.organization.login, role: 'member' } },
    });
    expect((await zoe.get('/api/auth/me')).body).toMatchObject({
      workspace: { org: scene.organization.login, role: 'member' },
    });
    const { status, body } = await zoe.get('/api/team');
    expect([status, (body['members'] as { login: string }[]).map(({ login }) => login)]).toEqual([
      200,
      [scene.ada.user.login, zoe.user.login],
    ]);
    expect(body['invites']).toEqual([]);
    expect(await auditOf(world, scene.orgId)).toEqual([
      'invite.created anyone with the link',
      `invite.accepted ${zoe.user.login}`,
      `member.joined ${zoe.user.login}`,
    ]);
  });

  it('lets a new member read what private repositories GitHub lets them, and no other', async () => {
    world.github.createRepository(scene.organization, { name: 'theirs', private: true });
    scene.organization.basePermission = 'none';
    const others = world.github.createRepository(scene.organization, { name: 'others', private: true });
    const { user } = await scene.guest('zoe');
    for (const repository of scene.organization.repositories()) {
      if (repository !== others) repository.collaborators.set(user.id, { user, role: 'read' });
    }
    await world.settle();
    const browser = new Browser(world);
    await browser.signIn(user);
    const { token } = await scene.invite();
    expect((await browser.post('/api/team/invites/accept', { token })).status).toBe(200);
    await world.settle();
    const seen = await world.database.asViewer({ orgId: scene.orgId, userId: user.id }, (tx) =>
      tx.query('select name from repository'),
    );
    expect(seen).toEqual([{ name: 'theirs' }]);
  });

  it('opens the workspace that it is of, also where another of theirs bears the same name', async () => {
    const twin = world.github.createOrganization({ login: `twin-${scene.number}` });
    const twinId = await world.install(twin);
    // Of whichever the list names first: one of the two would end up in the wrong one.
    const [eve, zoe] = [await scene.admin('eve', twin), await scene.admin('zoe')];
    scene.joins(eve.user);
    twin.members.set(zoe.user.id, { user: zoe.user, role: 'member' });
    const [tokens, twins] = [await scene.invite(), await scene.invite({ role: 'member' }, eve)];
    // As while a rename is under way.
    await world.asSuperuser(
      `update organization set login = 'same-${scene.number}' where org_id in ('${scene.orgId}', '${twinId}')`,
    );
    expect(await accept(eve, tokens.token)).toMatchObject({ status: 200, body: { workspace: { role: 'member' } } });
    expect(await accept(zoe, twins.token)).toMatchObject({ status: 200, body: { workspace: { role: 'member' } } });
    const selected = await world.asSuperuser<{ person: number; workspace: string }>(
      `select user_id::int as person, workspace_id as workspace from session where user_id in (${eve.user.id}, ${zoe.user.id}) order by 1`,
    );
    expect(selected).toEqual([
      { person: eve.user.id, workspace: scene.orgId },
      { person: zoe.user.id, workspace: twinId },
    ]);
  });

  it('leads from one workspace into another, each with its own team', async () => {
    const elsewhere = world.github.createOrganization({ login: `elsewhere-${scene.number}` });
    await world.install(elsewhere);
    const eve = await scene.admin('eve', elsewhere);
    scene.joins(eve.user);
    expect((await accept(eve, (await scene.invite()).token)).status).toBe(200);
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
  ])('is refused where it says what no invite is: %j', async (body) => {
    expect((await scene.ada.send('POST', '/api/team/invites', body)).status).toBe(400);
  });
});

describe('an invite for one person', () => {
  it('is theirs alone', async () => {
    const [zoe, tom] = [await scene.guest('zoe'), await scene.guest('tom')];
    const { token } = await scene.invite({ login: zoe.user.login.toUpperCase(), role: 'admin' });
    expect(await scene.waiting()).toMatchObject([{ login: zoe.user.login, role: 'admin' }]);
    expect(await accept(tom, token)).toMatchObject(refusal(403, 'for another user'));
    expect((await accept(zoe, token)).status).toBe(200);
    expect([await scene.roleOf(zoe), await scene.roleOf(tom)]).toEqual(['admin', null]);
    expect(await accept(tom, token)).toMatchObject(refusal(403, 'for another user'));
  });

  it('stays theirs under a new login, and goes to nobody who takes the old one', async () => {
    const zoe = await scene.guest('zoe');
    const login = zoe.user.login;
    const { token } = await scene.invite({ login, role: 'member' });
    zoe.user.rename(`${login}-2`);
    const heir = world.github.createUser({ login });
    scene.joins(heir);
    expect(await accept(await signIn(world, heir, { role: null }), token)).toMatchObject(
      refusal(403, 'for another user'),
    );
    expect((await accept(await signIn(world, zoe.user, { role: null }), token)).status).toBe(200);
  });

  it('goes to nobody who makes a deleted account anew', async () => {
    const zoe = await scene.guest('zoe');
    const { login } = zoe.user;
    const { token } = await scene.invite({ login, role: 'member' });
    zoe.user.delete();
    const heir = world.github.createUser({ login });
    scene.joins(heir);
    expect(await accept(await signIn(world, heir, { role: null }), token)).toMatchObject(
      refusal(403, 'for another user'),
    );
    expect(await scene.roleOf({ user: heir })).toBeNull();
  });

  it('needs somebody of that login who is not in yet', async () => {
    const order = (login: string) => scene.ada.send('POST', '/api/team/invites', { login, role: 'member' });
    expect(await order(`nobody-${scene.number}`)).toMatchObject(refusal(422, 'GitHub has no user'));
    expect(await order(scene.organization.login)).toMatchObject(refusal(422, 'GitHub has no user'));
    expect(await order(scene.ada.user.login)).toMatchObject(refusal(409, 'member of the workspace already'));
    expect(await scene.waiting()).toEqual([]);
  });

  it('takes the place of an earlier one', async () => {
    const zoe = await scene.guest('zoe');
    const first = await scene.invite({ login: zoe.user.login, role: 'admin' });
    const second = await scene.invite({ login: zoe.user.login, role: 'member' });
    expect(await scene.waiting()).toMatchObject([{ id: second.id, role: 'member' }]);
    expect(await accept(zoe, first.token)).toMatchObject(refusal(410, 'withdrawn'));
    expect((await accept(zoe, second.token)).body).toMatchObject({ workspace: { role: 'member' } });
    expect((await auditOf(world, scene.orgId)).slice(0, 3)).toEqual([
      `invite.created ${zoe.user.login}`,
      `invite.revoked ${zoe.user.login}`,
      `invite.created ${zoe.user.login}`,
    ]);
  });

  it('is one, also where ten are made at once', async () => {
    const zoe = await scene.guest('zoe');
    const made = await Promise.all(
      Array.from({ length: 10 }, () => scene.invite({ login: zoe.user.login, role: 'member' })),
    );
    const open = await scene.waiting();
    expect([made.length, open.length]).toEqual([10, 1]);
    const rows = await world.database.inTenant(scene.orgId, (tx) =>
      tx.query('select from invite where revoked_at is null'),
    );
    expect(rows).toHaveLength(1);
  });
});

describe('an invite that is over', () => {
  it('by its time lets nobody in, whatever its token says', async () => {
    const { id, token, expiresAt } = await scene.invite();
    world.clock.advance(7 * DAY_MS);
    const zoe = await scene.guest('zoe');
    expect(await accept(zoe, token)).toMatchObject(refusal(410, 'expired'));
    const later = new Date(new Date(expiresAt).getTime() + DAY_MS);
    expect(await accept(zoe, world.app.get(InviteTokens).sign({ id, expiresAt: later }))).toMatchObject(
      refusal(410, 'expired'),
    );
    expect(await scene.waiting(await scene.admin('adi'))).toEqual([]);
    expect(await scene.roleOf(zoe)).toBeNull();
  });

  it('because it was withdrawn lets nobody in', async () => {
    const zoe = await scene.guest('zoe');
    const { id, token } = await scene.invite();
    expect([(await revoke(scene.ada, id)).status, (await revoke(scene.ada, id)).status]).toEqual([204, 404]);
    expect(await accept(zoe, token)).toMatchObject(refusal(410, 'withdrawn'));
    expect(await scene.waiting()).toEqual([]);
    expect((await auditOf(world, scene.orgId)).at(-1)).toBe('invite.revoked anyone with the link');
  });

  it('because it was accepted cannot be withdrawn or used again', async () => {
    const { id, token } = await scene.invite();
    await accept(await scene.guest('zoe'), token);
    expect((await revoke(scene.ada, id)).status).toBe(404);
    expect(await accept(await scene.guest('tom'), token)).toMatchObject(refusal(410, 'accepted already'));
  });

  it('with the office of who made it lets nobody in', async () => {
    const bob = await scene.admin('bob');
    const zoe = await scene.guest('zoe');
    const { token } = await scene.invite({ role: 'admin' }, bob);
    expect((await scene.ada.send('PATCH', `/api/team/members/${bob.user.id}`, { role: 'member' })).status).toBe(200);
    expect(await scene.waiting()).toEqual([]);
    expect(await accept(zoe, token)).toMatchObject(refusal(410, 'withdrawn'));
    await scene.ada.send('DELETE', `/api/team/members/${bob.user.id}`);
    expect(await accept(bob, token)).toMatchObject(refusal(410, 'withdrawn'));
    expect([await scene.roleOf(zoe), await scene.roleOf(bob)]).toEqual([null, null]);
  });

  it.each(['not-a-uuid', '1', randomUUID()])('or that never was cannot be withdrawn: %s', async (id) => {
    expect((await revoke(scene.ada, id)).status).toBe(404);
  });

  it('cannot be made so by another workspace', async () => {
    const elsewhere = world.github.createOrganization({ login: `abroad-${scene.number}` });
    await world.install(elsewhere);
    const eve = await scene.admin('eve', elsewhere);
    const { id, token } = await scene.invite();
    expect(await scene.waiting(eve)).toEqual([]);
    expect((await revoke(eve, id)).status).toBe(404);
    expect((await accept(await scene.guest('zoe'), token)).status).toBe(200);
  });
});
