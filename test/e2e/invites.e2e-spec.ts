import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createHmac, hkdfSync, randomUUID } from 'node:crypto';
import { InviteTokens } from '../../src/features/team/invite-tokens.js';
import type { OrgId } from '../../src/database/ids.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { User } from '../github-sim/state/user.js';
import { Browser } from '../support/browser.js';
import { testEnvironment } from '../support/environment.js';
import { type JsonAnswer, type SignedIn, signedIn } from '../support/signed-in.js';
import { World } from '../support/world.js';
import { auditOf, memberOf } from './scene/members.js';

const DAY_MS = 24 * 3_600_000;

let world: World;
let organization: Organization;
let orgId: OrgId;
let founded = 0;
let ada: SignedIn;

beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => {
  expect(world.violations).toEqual([]);
  await world.stop();
});
beforeEach(async () => {
  world.github.faults.clear();
  founded += 1;
  organization = world.github.createOrganization({ login: `org-${founded}` });
  orgId = await world.install(organization);
  ada = await admin('ada');
});

const admin = (name: string, place = organization): Promise<SignedIn> =>
  signedIn(world, world.github.createUser({ login: `${name}-of-${place.login}` }), {
    role: 'admin',
    organization: place,
  });

/** Somebody of the organization who has no part in its workspace. */
const guest = (name: string, place = organization): Promise<SignedIn> => {
  const user = world.github.createUser({ login: `${name}-of-${place.login}` });
  // Without a word to the service, which would ask the host about everybody.
  place.members.set(user.id, { user, role: 'member' });
  return signedIn(world, user, { role: null });
};

interface Issued {
  readonly id: string;
  readonly url: string;
  readonly token: string;
  readonly expiresAt: string;
}

async function invite(body: object = { role: 'member' }, by = ada): Promise<Issued> {
  const answer = await by.send('POST', '/api/team/invites', body);
  if (answer.status !== 201) throw new Error(`no invite: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as unknown as Issued;
}

const accept = (by: SignedIn, token: unknown): Promise<JsonAnswer> =>
  by.send('POST', '/api/team/invites/accept', { token });
const revoke = (by: SignedIn, id: string): Promise<JsonAnswer> => by.send('DELETE', `/api/team/invites/${id}`);
const roleOf = async ({ user }: { readonly user: User }) => (await memberOf(world, orgId, user))?.role ?? null;
const waiting = async (by = ada): Promise<readonly object[]> => (await by.get('/api/team')).body['invites'] as object[];
const refusal = (status: number, words: string) => ({ status, body: { error: expect.stringContaining(words) } });
const counted = (answers: readonly JsonAnswer[]): object =>
  Object.fromEntries(
    [...new Set(answers.map(({ status }) => status))].map((status) => [
      status,
      answers.filter((answer) => answer.status === status).length,
    ]),
  );

describe('an invite', () => {
  it('is a link for 7 days whose token nothing but the answer holds', async () => {
    const answer = await ada.send('POST', '/api/team/invites', { role: 'admin' });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { id, url, token, expiresAt } = answer.body as unknown as Issued;
    expect(token).toMatch(/^sgi_[\w-]{32}\.[\w-]{43}$/);
    expect(url).toBe(`${world.baseUrl}/invite#${token}`);
    const life = new Date(expiresAt).getTime() - world.clock.now().getTime();
    expect([life > 7 * DAY_MS - 60_000, life <= 7 * DAY_MS]).toEqual([true, true]);
    const mia = await signedIn(world, world.github.createUser({ login: `mia-${founded}` }), {
      role: 'member',
      organization,
    });
    expect(await waiting(mia)).toEqual([{ id, login: null, role: 'admin', expiresAt, createdBy: ada.user.login }]);
    const [, signature = ''] = token.split('.');
    const rows = await world.asSuperuser('select i::text, a::text from invite i, audit_entry a');
    expect([JSON.stringify(rows), world.lines.join()].filter((text) => text.includes(signature))).toEqual([]);
  });

  it('makes a member of who belongs to the organization, and opens the workspace', async () => {
    const zoe = await guest('zoe');
    const { token } = await invite({ role: 'member' });
    expect((await zoe.get('/api/team')).status).toBe(403);
    expect(await accept(zoe, token)).toMatchObject({
      status: 200,
      body: { workspace: { org: organization.login, role: 'member' } },
    });
    expect((await zoe.get('/api/auth/me')).body).toMatchObject({
      workspace: { org: organization.login, role: 'member' },
    });
    const { status, body } = await zoe.get('/api/team');
    expect([status, (body['members'] as { login: string }[]).map(({ login }) => login)]).toEqual([
      200,
      [ada.user.login, zoe.user.login],
    ]);
    expect(body['invites']).toEqual([]);
    expect(await auditOf(world, orgId)).toEqual([
      'invite.created whoever holds the link',
      `invite.accepted ${zoe.user.login}`,
      `member.joined ${zoe.user.login}`,
    ]);
  });

  it('lets a new member read what private repositories GitHub lets them, and no other', async () => {
    world.github.createRepository(organization, { name: 'theirs', private: true });
    organization.basePermission = 'none';
    const others = world.github.createRepository(organization, { name: 'others', private: true });
    const { user } = await guest('zoe');
    for (const repository of organization.repositories()) {
      if (repository !== others) repository.collaborators.set(user.id, { user, role: 'read' });
    }
    await world.settle();
    const browser = new Browser(world);
    await browser.signIn(user);
    const { token } = await invite();
    expect((await browser.post('/api/team/invites/accept', { token })).status).toBe(200);
    await world.settle();
    const seen = await world.database.asViewer({ orgId, person: user.id }, (tx) =>
      tx.query('select name from repository'),
    );
    expect(seen).toEqual([{ name: 'theirs' }]);
  });

  it('opens the workspace that it is of, also where another of theirs bears the same name', async () => {
    const twin = world.github.createOrganization({ login: `twin-${founded}` });
    const twinId = await world.install(twin);
    // Of whichever the list names first: one of the two would end up in the wrong one.
    const [eve, zoe] = [await admin('eve', twin), await admin('zoe')];
    organization.members.set(eve.user.id, { user: eve.user, role: 'member' });
    twin.members.set(zoe.user.id, { user: zoe.user, role: 'member' });
    const [tokens, twins] = [await invite(), await invite({ role: 'member' }, eve)];
    // As while a rename is under way.
    await world.asSuperuser(
      `update organization set login = 'same-${founded}' where org_id in ('${orgId}', '${twinId}')`,
    );
    expect(await accept(eve, tokens.token)).toMatchObject({ status: 200, body: { workspace: { role: 'member' } } });
    expect(await accept(zoe, twins.token)).toMatchObject({ status: 200, body: { workspace: { role: 'member' } } });
    const selected = await world.asSuperuser<{ person: number; workspace: string }>(
      `select person::int, workspace from session where person in (${eve.user.id}, ${zoe.user.id}) order by person`,
    );
    expect(selected).toEqual([
      { person: eve.user.id, workspace: orgId },
      { person: zoe.user.id, workspace: twinId },
    ]);
  });

  it('leads from one workspace into another, each with its own team', async () => {
    const elsewhere = world.github.createOrganization({ login: `elsewhere-${founded}` });
    await world.install(elsewhere);
    const eve = await admin('eve', elsewhere);
    organization.members.set(eve.user.id, { user: eve.user, role: 'member' });
    expect((await accept(eve, (await invite()).token)).status).toBe(200);
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
    expect((await ada.send('POST', '/api/team/invites', body)).status).toBe(400);
  });
});

describe('an invite for one person', () => {
  it('is theirs alone', async () => {
    const [zoe, tom] = [await guest('zoe'), await guest('tom')];
    const { token } = await invite({ login: zoe.user.login.toUpperCase(), role: 'admin' });
    expect(await waiting()).toMatchObject([{ login: zoe.user.login, role: 'admin' }]);
    expect(await accept(tom, token)).toMatchObject(refusal(403, 'for somebody else'));
    expect((await accept(zoe, token)).status).toBe(200);
    expect([await roleOf(zoe), await roleOf(tom)]).toEqual(['admin', null]);
    expect(await accept(tom, token)).toMatchObject(refusal(403, 'for somebody else'));
  });

  it('stays theirs under a new login, and goes to nobody who takes the old one', async () => {
    const zoe = await guest('zoe');
    const login = zoe.user.login;
    const { token } = await invite({ login, role: 'member' });
    zoe.user.rename(`${login}-2`);
    const heir = world.github.createUser({ login });
    organization.members.set(heir.id, { user: heir, role: 'member' });
    expect(await accept(await signedIn(world, heir, { role: null }), token)).toMatchObject(
      refusal(403, 'somebody else'),
    );
    expect((await accept(await signedIn(world, zoe.user, { role: null }), token)).status).toBe(200);
  });

  it('goes to nobody who makes a deleted account anew', async () => {
    const zoe = await guest('zoe');
    const { login } = zoe.user;
    const { token } = await invite({ login, role: 'member' });
    zoe.user.delete();
    const heir = world.github.createUser({ login });
    organization.members.set(heir.id, { user: heir, role: 'member' });
    expect(await accept(await signedIn(world, heir, { role: null }), token)).toMatchObject(
      refusal(403, 'somebody else'),
    );
    expect(await roleOf({ user: heir })).toBeNull();
  });

  it('needs somebody of that login who is not in yet', async () => {
    const order = (login: string) => ada.send('POST', '/api/team/invites', { login, role: 'member' });
    expect(await order(`nobody-${founded}`)).toMatchObject(refusal(422, 'knows no person'));
    expect(await order(organization.login)).toMatchObject(refusal(422, 'knows no person'));
    expect(await order(ada.user.login)).toMatchObject(refusal(409, 'member of the workspace already'));
    expect(await waiting()).toEqual([]);
  });

  it('takes the place of an earlier one', async () => {
    const zoe = await guest('zoe');
    const first = await invite({ login: zoe.user.login, role: 'admin' });
    const second = await invite({ login: zoe.user.login, role: 'member' });
    expect(await waiting()).toMatchObject([{ id: second.id, role: 'member' }]);
    expect(await accept(zoe, first.token)).toMatchObject(refusal(410, 'withdrawn'));
    expect((await accept(zoe, second.token)).body).toMatchObject({ workspace: { role: 'member' } });
    expect((await auditOf(world, orgId)).slice(0, 3)).toEqual([
      `invite.created ${zoe.user.login}`,
      `invite.revoked ${zoe.user.login}`,
      `invite.created ${zoe.user.login}`,
    ]);
  });

  it('is one, also where ten are made at once', async () => {
    const zoe = await guest('zoe');
    const made = await Promise.all(Array.from({ length: 10 }, () => invite({ login: zoe.user.login, role: 'member' })));
    const open = await waiting();
    expect([made.length, open.length]).toEqual([10, 1]);
    const rows = await world.database.inTenant(orgId, (tx) => tx.query('select from invite where revoked_at is null'));
    expect(rows).toHaveLength(1);
  });
});

describe('accepting', () => {
  it('works once, also where twenty people try at once', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, (_, n) => guest(`p${n}`)));
    const { token } = await invite();
    expect(counted(await Promise.all(people.map((person) => accept(person, token))))).toEqual({ 200: 1, 410: 19 });
    const members = await world.database.inTenant(orgId, (tx) => tx.query('select from member'));
    expect(members).toHaveLength(2);
    expect((await auditOf(world, orgId)).filter((entry) => entry.startsWith('invite.accepted'))).toHaveLength(1);
  });

  it('works once, also where one person tries twenty times at once', async () => {
    const zoe = await guest('zoe');
    const { token } = await invite();
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(zoe, token)));
    expect(counted(answers)).toEqual({ 200: 1, 409: 19 });
    expect((await auditOf(world, orgId)).filter((entry) => entry.startsWith('member.joined'))).toHaveLength(1);
  });

  it('uses up one of two invites that a person accepts at once', async () => {
    const zoe = await guest('zoe');
    const [one, other] = [await invite(), await invite()];
    const answers = await Promise.all([accept(zoe, one.token), accept(zoe, other.token)]);
    expect([counted(answers), (await waiting()).length]).toEqual([{ 200: 1, 409: 1 }, 1]);
  });

  it('tells who is in already that they are', async () => {
    const zoe = await guest('zoe');
    const { token } = await invite();
    await accept(zoe, token);
    expect(await accept(zoe, token)).toMatchObject(refusal(409, `member of ${organization.login} already`));
    expect(await accept(ada, (await invite()).token)).toMatchObject(refusal(409, 'already'));
    expect(await waiting()).toHaveLength(1);
  });

  it('is for nobody outside the organization, and keeps the invite for when they are in', async () => {
    const outsider = await signedIn(world, world.github.createUser({ login: `out-${founded}` }), { role: null });
    const { token } = await invite({ login: outsider.user.login, role: 'member' });
    expect(await accept(outsider, token)).toMatchObject(refusal(403, 'do not belong to the organization'));
    expect(await roleOf(outsider)).toBeNull();
    organization.members.set(outsider.user.id, { user: outsider.user, role: 'member' });
    // A no is remembered for ten seconds.
    world.clock.advance(11_000);
    expect((await accept(outsider, token)).status).toBe(200);
  });

  it('needs a session, and a page of the service', async () => {
    const { token } = await invite();
    const body = JSON.stringify({ token });
    const headers = { 'content-type': 'application/json' };
    const anonymous = await fetch(`${world.baseUrl}/api/team/invites/accept`, { method: 'POST', headers, body });
    expect(anonymous.status).toBe(401);
    const zoe = await guest('zoe');
    const path = '/api/team/invites/accept';
    expect((await zoe.send('POST', path, { token }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await zoe.send('POST', path, { token }, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(await roleOf(zoe)).toBeNull();
  });

  it.each([[undefined], [null], [7], [['sgi_x']], ['x'.repeat(201)]])('needs a token: %j', async (token) => {
    expect((await accept(await guest('zoe'), token)).status).toBe(400);
  });
});

describe('no invite is', () => {
  const SECRET = testEnvironment({}).sessionSecret;
  const signedWith = (key: Parameters<typeof createHmac>[1], signed: string): string =>
    `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
  const unknown = refusal(404, 'no such invite');
  const swapped = (text: string, at: number): string =>
    text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

  it('one that was changed anywhere', async () => {
    const zoe = await guest('zoe');
    const { token } = await invite();
    for (const at of [4, 12, 26, 30, 37, 50, token.length - 1]) {
      expect([at, await accept(zoe, swapped(token, at))]).toMatchObject([at, unknown]);
    }
    for (const text of ['', 'sgi_', token.slice(0, -1), `${token}A`, `${token} `, token.replace('sgi_', 'sgk_')]) {
      expect([text, await accept(zoe, text)]).toMatchObject([text, unknown]);
    }
    expect((await accept(zoe, token)).status).toBe(200);
  });

  it('one whose signature has other spare bits', async () => {
    const zoe = await guest('zoe');
    const { token } = await invite();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // 43 digits carry 258 bits: the last two of them say nothing.
    const twin = token.slice(0, -1) + (alphabet[alphabet.indexOf(token.at(-1) ?? '') ^ 1] ?? '');
    expect(Buffer.from(twin.split('.')[1] ?? '', 'base64url')).toEqual(
      Buffer.from(token.split('.')[1] ?? '', 'base64url'),
    );
    expect(await accept(zoe, twin)).toMatchObject(unknown);
  });

  it('one signed with a key for something else', async () => {
    const zoe = await guest('zoe');
    const [signed = ''] = (await invite()).token.split('.');
    const cookies = Buffer.from(hkdfSync('sha256', SECRET, '', 'shipgate cookies', 32));
    for (const key of [SECRET, cookies, '', Buffer.alloc(32)]) {
      expect(await accept(zoe, signedWith(key, signed))).toMatchObject(unknown);
    }
    const invites = Buffer.from(hkdfSync('sha256', SECRET, '', 'shipgate invites', 32));
    expect((await accept(zoe, signedWith(invites, signed))).status).toBe(200);
  });

  it('one of another invite’s signature', async () => {
    const zoe = await guest('zoe');
    const [one, other] = [await invite(), await invite()];
    const mixed = `${one.token.split('.')[0]}.${other.token.split('.')[1]}`;
    expect(await accept(zoe, mixed)).toMatchObject(unknown);
  });

  it('one that was signed and never made', async () => {
    const tokens = world.app.get(InviteTokens);
    const expiresAt = new Date(world.clock.now().getTime() + DAY_MS);
    expect(await accept(await guest('zoe'), tokens.sign({ id: randomUUID(), expiresAt }))).toMatchObject(unknown);
  });

  it('looked up before its signature holds', async () => {
    const zoe = await guest('zoe');
    const { token } = await invite();
    const lookup = jest.spyOn(world.database, 'lookup');
    const looksFor = async (presented: string): Promise<boolean> => {
      lookup.mockClear();
      await accept(zoe, presented);
      return lookup.mock.calls.some(([name]) => name === 'find_invite');
    };
    expect([await looksFor(swapped(token, 60)), await looksFor(token)]).toEqual([false, true]);
    lookup.mockRestore();
  });
});

describe('an invite that is over', () => {
  it('by its time lets nobody in, whatever its token says', async () => {
    const { id, token, expiresAt } = await invite();
    world.clock.advance(7 * DAY_MS);
    const zoe = await guest('zoe');
    expect(await accept(zoe, token)).toMatchObject(refusal(410, 'expired'));
    const later = new Date(new Date(expiresAt).getTime() + DAY_MS);
    expect(await accept(zoe, world.app.get(InviteTokens).sign({ id, expiresAt: later }))).toMatchObject(
      refusal(410, 'expired'),
    );
    expect(await waiting(await admin('adi'))).toEqual([]);
    expect(await roleOf(zoe)).toBeNull();
  });

  it('because it was withdrawn lets nobody in', async () => {
    const zoe = await guest('zoe');
    const { id, token } = await invite();
    expect([(await revoke(ada, id)).status, (await revoke(ada, id)).status]).toEqual([204, 404]);
    expect(await accept(zoe, token)).toMatchObject(refusal(410, 'withdrawn'));
    expect(await waiting()).toEqual([]);
    expect((await auditOf(world, orgId)).at(-1)).toBe('invite.revoked whoever holds the link');
  });

  it('because it was accepted cannot be withdrawn or used again', async () => {
    const { id, token } = await invite();
    await accept(await guest('zoe'), token);
    expect((await revoke(ada, id)).status).toBe(404);
    expect(await accept(await guest('tom'), token)).toMatchObject(refusal(410, 'accepted already'));
  });

  it('with the office of who made it lets nobody in', async () => {
    const bob = await admin('bob');
    const zoe = await guest('zoe');
    const { token } = await invite({ role: 'admin' }, bob);
    expect((await ada.send('PATCH', `/api/team/members/${bob.user.id}`, { role: 'member' })).status).toBe(200);
    expect(await waiting()).toEqual([]);
    expect(await accept(zoe, token)).toMatchObject(refusal(410, 'withdrawn'));
    await ada.send('DELETE', `/api/team/members/${bob.user.id}`);
    expect(await accept(bob, token)).toMatchObject(refusal(410, 'withdrawn'));
    expect([await roleOf(zoe), await roleOf(bob)]).toEqual([null, null]);
  });

  it.each(['not-a-uuid', '1', randomUUID()])('or that never was cannot be withdrawn: %s', async (id) => {
    expect((await revoke(ada, id)).status).toBe(404);
  });

  it('cannot be made so by another workspace', async () => {
    const elsewhere = world.github.createOrganization({ login: `abroad-${founded}` });
    await world.install(elsewhere);
    const eve = await admin('eve', elsewhere);
    const { id, token } = await invite();
    expect(await waiting(eve)).toEqual([]);
    expect((await revoke(eve, id)).status).toBe(404);
    expect((await accept(await guest('zoe'), token)).status).toBe(200);
  });
});

describe('while the code host', () => {
  it('does not answer, nobody is let in or looked up, and nothing is used up', async () => {
    const zoe = await guest('zoe');
    const { token } = await invite();
    world.github.faults.next({ kind: '5xx', times: 10_000 });
    const answers = [
      await accept(zoe, token),
      await ada.send('POST', '/api/team/invites', { login: zoe.user.login, role: 'member' }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject(refusal(503, 'try again'));
      expect(answer.headers.get('retry-after')).toBe('30');
    }
    expect(await roleOf(zoe)).toBeNull();
    world.github.faults.clear();
    expect((await accept(zoe, token)).status).toBe(200);
  });

  it('has no installation that may speak, neither', async () => {
    const zoe = await guest('zoe');
    const { token } = await invite();
    const [installation] = world.github.world.installations.of(organization);
    installation?.suspend();
    await world.settle();
    expect(await accept(zoe, token)).toMatchObject(refusal(409, 'have an owner install it'));
    expect(await ada.send('POST', '/api/team/invites', { login: zoe.user.login, role: 'member' })).toMatchObject(
      refusal(409, 'have an owner install it'),
    );
    expect(await roleOf(zoe)).toBeNull();
  });
});
