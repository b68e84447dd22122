import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { detectKeyKind } from '../../src/domain/keys/key-secret.js';
import type { Organization } from '../github-sim/state/organization.js';
import { type JsonAnswer, signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

const PATH = '/api/settings/mcp-keys';
const DAY = 86_400_000;

let env: TestEnvironment;
let other: Organization;

beforeAll(async () => {
  env = await TestEnvironment.start();
  other = env.github.createOrganization({ login: 'other' });
  await env.install();
  await env.install(other);
});
afterAll(() => env.stop());

interface KeyJson {
  readonly id: string;
  readonly name: string;
  readonly key: string;
}

let userCount = 0;
const user = (membership: Parameters<typeof signIn>[2] = {}): Promise<UserSession> =>
  signIn(env, env.github.createUser({ login: `person-${(userCount += 1)}` }), membership);
const make = (owner: UserSession, changes: object = {}): Promise<JsonAnswer> =>
  owner.send('POST', PATH, { name: 'editor', scope: 'read', ...changes });
const create = async (owner: UserSession, changes: object = {}): Promise<KeyJson> => {
  const { status, body } = await make(owner, changes);
  expect([status, body]).toEqual([201, expect.anything()]);
  return body as unknown as KeyJson;
};
const keysOf = async (owner: UserSession): Promise<readonly KeyJson[]> =>
  (await owner.get(PATH)).body['keys'] as readonly KeyJson[];
const idsOf = async (owner: UserSession): Promise<readonly string[]> => (await keysOf(owner)).map(({ id }) => id);
const auditOf = (id: string): Promise<readonly object[]> =>
  env.asSuperuser(
    `select action, actor, subject, data from audit_entry where data->>'keyId' = '${id}' order by sequence`,
  );

describe('creating a personal key', () => {
  it('returns the specified fields, with the secret once', async () => {
    const owner = await user();
    const { status, headers, body } = await make(owner, { name: ' editor ' });
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { key, ...visible } = body as unknown as KeyJson;
    expect(visible).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'editor',
      prefix: key.slice(0, 10),
      createdAt: expect.any(String),
      expiresAt: new Date(Date.parse(String(body['createdAt'])) + 30 * DAY).toISOString(),
      lastUsedAt: null,
      scope: 'read',
    });
    expect(detectKeyKind(key)).toBe('sgp');
    expect(await keysOf(owner)).toEqual([visible]);
    const everything = await env.asSuperuser<{ row: string }>(
      `select to_jsonb(k)::text as row from personal_key k union all select to_jsonb(a)::text from audit_entry a`,
    );
    expect(everything.length).toBeGreaterThan(1);
    for (const { row } of everything) expect(row).not.toContain(key.slice(10));
    expect(env.lines.join('\n')).not.toContain(key.slice(10));
  });

  it('is recorded in the audit log', async () => {
    const owner = await user();
    const { id, key } = await create(owner, { scope: 'write' });
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
  ])('rejects a key %s', async (_, changes) => {
    const owner = await user();
    expect(await make(owner, changes)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    expect(await keysOf(owner)).toEqual([]);
  });

  it('requires a membership and a page of the service', async () => {
    const outsider = await user({ role: null });
    expect((await make(outsider)).status).toBe(403);
    const owner = await user();
    const elsewhere = { origin: 'https://elsewhere.example' };
    expect((await owner.send('POST', PATH, { name: 'editor', scope: 'read' }, elsewhere)).status).toBe(403);
    expect(await keysOf(owner)).toEqual([]);
    expect((await fetch(env.baseUrl + PATH, { method: 'POST' })).status).toBe(401);
  });
});

describe('a user', () => {
  it('has at most ten active keys, however many are requested at once', async () => {
    const owner = await user();
    const answers = await Promise.all(Array.from({ length: 20 }, () => make(owner)));
    const statuses = answers.map(({ status }) => status).toSorted((one, another) => one - another);
    expect(statuses).toEqual([...Array<number>(10).fill(201), ...Array<number>(10).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      error: 'You have the maximum of 10 live keys in your workspaces. Revoke a key first.',
    });
    expect(await keysOf(owner)).toHaveLength(10);
  });

  it('has at most ten in all workspaces together, counted at once, and another user has their own ten', async () => {
    const here = await user();
    const there = await signIn(env, here.user, { organization: other });
    const answers = await Promise.all([here, there].flatMap((side) => Array.from({ length: 8 }, () => make(side))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect([...(await idsOf(here)), ...(await idsOf(there))]).toHaveLength(10);
    await create(await user());
  });

  it.each<[string, (owner: UserSession) => Promise<unknown>]>([
    ['was revoked', async (owner) => owner.send('DELETE', `${PATH}/${(await idsOf(owner))[3]}`)],
    [
      'has expired',
      (owner) =>
        env.asSuperuser(
          `update personal_key set expires_at = '${env.clock.now().toISOString()}'
           where id = (select id from personal_key where person = ${owner.user.id} limit 1)`,
        ),
    ],
  ])('can create another when one %s', async (_, end) => {
    const owner = await user();
    for (let key = 0; key < 10; key += 1) await create(owner);
    expect((await make(owner)).status).toBe(409);
    await end(owner);
    await create(owner);
    expect((await make(owner)).status).toBe(409);
  });

  it('cannot create one while their membership ends', async () => {
    const owner = await user();
    let answer: Promise<JsonAnswer> | undefined;
    await env.database.inTenant(await env.orgId(), async (tx) => {
      await tx.query('delete from member where person = $1', [owner.user.id]);
      answer = make(owner);
      // Long enough to create a key if the request did not wait for the transaction.
      expect(await Promise.race([answer, sleep(300, 'waits')])).toBe('waits');
    });
    expect(await answer).toMatchObject({ status: 403 });
    expect(await env.asSuperuser(`select from personal_key where person = ${owner.user.id}`)).toEqual([]);
  });
});

describe('revoking a personal key', () => {
  it('removes it from the list and is recorded in the audit log', async () => {
    const owner = await user();
    const [first, second] = [await create(owner), await create(owner, { name: 'agent' })];
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

  it('finds no key of another user, even for an admin, and none of another workspace', async () => {
    const owner = await user();
    const { id } = await create(owner);
    const strangers = [
      await user({ role: 'admin' }),
      await user({ role: 'admin', organization: other }),
      await signIn(env, owner.user, { organization: other }),
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
  it('stay in the list after they expire', async () => {
    const owner = await user();
    const { id } = await create(owner);
    await env.asSuperuser(`update personal_key set expires_at = now() - interval '1 day' where id = '${id}'`);
    expect(await idsOf(owner)).toEqual([id]);
  });
});
