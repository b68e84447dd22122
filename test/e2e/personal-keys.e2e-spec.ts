import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { detectKeyKind } from '../../src/domain/keys/key-secret.js';
import type { Organization } from '../github-sim/state/organization.js';
import { type JsonAnswer, signIn, type UserSession } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';

const PATH = '/api/settings/mcp-keys';
const DAY = 86_400_000;

let world: TestEnvironment;
let other: Organization;

beforeAll(async () => {
  world = await TestEnvironment.start();
  other = world.github.createOrganization({ login: 'other' });
  await world.install();
  await world.install(other);
});
afterAll(() => world.stop());

interface ShownKey {
  readonly id: string;
  readonly name: string;
  readonly key: string;
}

let people = 0;
const person = (standing: Parameters<typeof signIn>[2] = {}): Promise<UserSession> =>
  signIn(world, world.github.createUser({ login: `person-${(people += 1)}` }), standing);
const make = (owner: UserSession, changes: object = {}): Promise<JsonAnswer> =>
  owner.send('POST', PATH, { name: 'editor', scope: 'read', ...changes });
const made = async (owner: UserSession, changes: object = {}): Promise<ShownKey> => {
  const { status, body } = await make(owner, changes);
  expect([status, body]).toEqual([201, expect.anything()]);
  return body as unknown as ShownKey;
};
const keysOf = async (owner: UserSession): Promise<readonly ShownKey[]> =>
  (await owner.get(PATH)).body['keys'] as readonly ShownKey[];
const idsOf = async (owner: UserSession): Promise<readonly string[]> => (await keysOf(owner)).map(({ id }) => id);
const auditOf = (id: string): Promise<readonly object[]> =>
  world.asSuperuser(
    `select action, actor, subject, data from audit_entry where data->>'keyId' = '${id}' order by sequence`,
  );

describe('making a personal key', () => {
  it('answers what the specification lists, with the secret this once', async () => {
    const owner = await person();
    const { status, headers, body } = await make(owner, { name: ' editor ' });
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { key, ...shown } = body as unknown as ShownKey;
    expect(shown).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'editor',
      prefix: key.slice(0, 10),
      createdAt: expect.any(String),
      expiresAt: new Date(Date.parse(String(body['createdAt'])) + 30 * DAY).toISOString(),
      lastUsedAt: null,
      scope: 'read',
    });
    expect(detectKeyKind(key)).toBe('sgp');
    expect(await keysOf(owner)).toEqual([shown]);
    const everything = await world.asSuperuser<{ row: string }>(
      `select to_jsonb(k)::text as row from personal_key k union all select to_jsonb(a)::text from audit_entry a`,
    );
    expect(everything.length).toBeGreaterThan(1);
    for (const { row } of everything) expect(row).not.toContain(key.slice(10));
    expect(world.lines.join('\n')).not.toContain(key.slice(10));
  });

  it('is told in the audit log', async () => {
    const owner = await person();
    const { id, key } = await made(owner, { scope: 'write' });
    expect(await auditOf(id)).toEqual([
      {
        action: 'personal_key.created',
        actor: { type: 'person', id: owner.user.id, login: owner.user.login },
        subject: 'editor',
        data: { keyId: id, prefix: key.slice(0, 10), scope: 'write', expiresAt: expect.any(String) },
      },
    ]);
  });

  it.each<[string, object]>([
    ['without a name', { name: undefined }],
    ['with white space for a name', { name: ' ' }],
    ['with a name of 101 characters', { name: 'x'.repeat(101) }],
    ['with a control character in its name', { name: 'a\u0007' }],
    ['with a list for a name', { name: ['editor'] }],
    ['without a scope', { scope: undefined }],
    ['with a scope of CI', { scope: 'gate:read' }],
    ['with two scopes', { scope: ['read', 'write'] }],
    ['with an end of its own', { expiresAt: '2099-01-01T00:00:00Z' }],
  ])('refuses one %s', async (_, changes) => {
    const owner = await person();
    expect(await make(owner, changes)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    expect(await keysOf(owner)).toEqual([]);
  });

  it('needs a membership and a page of the service', async () => {
    const nobody = await person({ role: null });
    expect((await make(nobody)).status).toBe(403);
    const owner = await person();
    const elsewhere = { origin: 'https://elsewhere.example' };
    expect((await owner.send('POST', PATH, { name: 'editor', scope: 'read' }, elsewhere)).status).toBe(403);
    expect(await keysOf(owner)).toEqual([]);
    expect((await fetch(world.baseUrl + PATH, { method: 'POST' })).status).toBe(401);
  });
});

describe('a person', () => {
  it('has ten live keys at most, however many are asked for at once', async () => {
    const owner = await person();
    const answers = await Promise.all(Array.from({ length: 20 }, () => make(owner)));
    const statuses = answers.map(({ status }) => status).toSorted((one, another) => one - another);
    expect(statuses).toEqual([...Array<number>(10).fill(201), ...Array<number>(10).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      error: 'You have the maximum of 10 live keys in your workspaces. Revoke a key first.',
    });
    expect(await keysOf(owner)).toHaveLength(10);
  });

  it('has ten in all workspaces together, and so they are counted at once, and somebody else has their own ten', async () => {
    const here = await person();
    const there = await signIn(world, here.user, { organization: other });
    const answers = await Promise.all([here, there].flatMap((side) => Array.from({ length: 8 }, () => make(side))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect([...(await idsOf(here)), ...(await idsOf(there))]).toHaveLength(10);
    await made(await person());
  });

  it.each<[string, (owner: UserSession) => Promise<unknown>]>([
    ['was revoked', async (owner) => owner.send('DELETE', `${PATH}/${(await idsOf(owner))[3]}`)],
    [
      'has expired',
      (owner) =>
        world.asSuperuser(
          `update personal_key set expires_at = '${world.clock.now().toISOString()}'
           where id = (select id from personal_key where person = ${owner.user.id} limit 1)`,
        ),
    ],
  ])('may have another one where one %s', async (_, end) => {
    const owner = await person();
    for (let key = 0; key < 10; key += 1) await made(owner);
    expect((await make(owner)).status).toBe(409);
    await end(owner);
    await made(owner);
    expect((await make(owner)).status).toBe(409);
  });

  it('makes none while their membership ends', async () => {
    const owner = await person();
    let answer: Promise<JsonAnswer> | undefined;
    await world.database.inTenant(await world.orgId(), async (tx) => {
      await tx.query('delete from member where person = $1', [owner.user.id]);
      answer = make(owner);
      // Time enough to make a key for a membership that is still to be seen from outside.
      expect(await Promise.race([answer, sleep(300, 'waits')])).toBe('waits');
    });
    expect(await answer).toMatchObject({ status: 403 });
    expect(await world.asSuperuser(`select from personal_key where person = ${owner.user.id}`)).toEqual([]);
  });
});

describe('revoking a personal key', () => {
  it('takes it from the list for good, and is told in the audit log', async () => {
    const owner = await person();
    const [first, second] = [await made(owner), await made(owner, { name: 'agent' })];
    expect(await idsOf(owner)).toEqual([second.id, first.id]);
    expect((await owner.send('DELETE', `${PATH}/${second.id}`)).status).toBe(204);
    expect(await idsOf(owner)).toEqual([first.id]);
    expect((await owner.send('DELETE', `${PATH}/${second.id}`)).status).toBe(404);
    expect((await auditOf(second.id)).slice(1)).toEqual([
      {
        action: 'personal_key.revoked',
        actor: { type: 'person', id: owner.user.id, login: owner.user.login },
        subject: 'agent',
        data: { keyId: second.id },
      },
    ]);
  });

  it('finds no key of somebody else, not even for an admin, nor one of another workspace', async () => {
    const owner = await person();
    const { id } = await made(owner);
    const strangers = [
      await person({ role: 'admin' }),
      await person({ role: 'admin', organization: other }),
      await signIn(world, owner.user, { organization: other }),
    ];
    for (const stranger of strangers) {
      expect(await idsOf(stranger)).toEqual([]);
      for (const wrong of [id, randomUUID(), 'no-id']) {
        expect(await stranger.send('DELETE', `${PATH}/${wrong}`)).toMatchObject({
          status: 404,
          body: { error: 'You have no such key in this workspace.' },
        });
      }
    }
    expect(await idsOf(owner)).toEqual([id]);
    expect(await auditOf(id)).toHaveLength(1);
  });
});

describe('the personal keys of a member', () => {
  it('stay listed when they have expired', async () => {
    const owner = await person();
    const { id } = await made(owner);
    await world.asSuperuser(`update personal_key set expires_at = now() - interval '1 day' where id = '${id}'`);
    expect(await idsOf(owner)).toEqual([id]);
  });
});
