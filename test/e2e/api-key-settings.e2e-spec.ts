import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import type { Organization } from '../github-sim/state/organization.js';
import { type JsonAnswer, signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

const PATH = '/api/settings/api-keys';
const SHAPE = ['id', 'name', 'prefix', 'scopes', 'createdBy', 'createdAt', 'expiresAt', 'lastUsedAt'];

let env: TestEnvironment;
let other: Organization;
let admin: UserSession;
let member: UserSession;
let elsewhere: UserSession;
let orgId: OrgId;

beforeAll(async () => {
  env = await TestEnvironment.start();
  const { github, organization } = env;
  github.createRepository(organization, { name: 'open', private: false });
  github.createRepository(organization, { name: 'vault', private: true });
  other = github.createOrganization({ login: 'other' });
  github.createRepository(other, { name: 'theirs', private: false });
  orgId = await env.install();
  await env.install(other);
  const sign = (login: string, membership: Parameters<typeof signIn>[2]): Promise<UserSession> =>
    signIn(env, github.createUser({ login }), membership);
  admin = await sign('ada', { role: 'admin' });
  member = await sign('max', { role: 'member' });
  elsewhere = await sign('eve', { role: 'admin', organization: other });
});
afterAll(() => env.stop());

interface KeyJson {
  readonly id: string;
  readonly name: string;
  readonly key?: string;
  readonly repos?: readonly string[];
}

const keysOf = async (user: UserSession): Promise<readonly KeyJson[]> =>
  (await user.get(PATH)).body['keys'] as readonly KeyJson[];
const order = (changes: object = {}): object => ({ name: 'Jenkins', scopes: ['gate:read'], ...changes });
const make = async (changes: object = {}, user = admin): Promise<JsonAnswer> => user.send('POST', PATH, order(changes));
const create = async (changes: object = {}): Promise<Required<KeyJson>> => {
  const { status, body } = await make(changes);
  expect([status, body]).toEqual([201, expect.anything()]);
  return body as unknown as Required<KeyJson>;
};
const gateAnswer = async (key: string, repo: string): Promise<readonly [number, string]> => {
  const response = await fetch(`${env.baseUrl}/api/milestones/check?repo=${repo}&version=v1.0.0`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return [response.status, ((await response.json()) as { readonly error: string }).error];
};
const auditOf = async (id: string): Promise<readonly object[]> =>
  env.database.inTenant(orgId, (tx) =>
    tx.query(`select action, actor, subject, data from audit_entry where data->>'keyId' = $1 order by sequence`, [id]),
  );

describe('creating an API key', () => {
  it('returns the secret once, in a response that must not be cached', async () => {
    const { status, headers, body } = await make({ name: ' Jenkins ', scopes: ['gate:read', 'evidence:write'] });
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(Object.keys(body).toSorted()).toEqual([...SHAPE, 'key'].toSorted());
    expect(body).toMatchObject({
      name: 'Jenkins',
      scopes: ['evidence:write', 'gate:read'],
      createdBy: 'ada',
      expiresAt: null,
      lastUsedAt: null,
    });
    const { key, ...visible } = body as { readonly key: string };
    expect(key).toMatch(/^sgk_[0-9A-Za-z]{49}$/);
    expect(await keysOf(admin)).toContainEqual(visible);
    expect(await keysOf(member)).toEqual(await keysOf(admin));
    expect(JSON.stringify(await keysOf(admin))).not.toContain(key.slice(10));
    const everything = await env.asSuperuser<{ row: string }>(
      `select to_jsonb(k)::text as row from api_key k union all select to_jsonb(a)::text from audit_entry a`,
    );
    expect(everything.length).toBeGreaterThan(1);
    for (const { row } of everything) expect(row).not.toContain(key.slice(10));
    expect(env.lines.join('\n')).not.toContain(key.slice(10));
  });

  it('names the command line as the creator of a key of the operator', async () => {
    await env.key();
    const [newest] = await keysOf(member);
    expect(newest).toMatchObject({ createdBy: 'command line' });
  });

  it('creates a secret that scanners find with the expression in the guide', async () => {
    const guide = await readFile('docs/guides/ci.md', 'utf8');
    const expression = new RegExp(/```regex\n(.+)\n```/.exec(guide)?.[1] ?? 'none', 'g');
    const { key } = await create();
    const text = `SHIPGATE_KEY="${key}" # ${key.slice(0, -1)} x${key} ${key}x`;
    expect(text.match(expression)).toEqual([key]);
  });

  it('is recorded in the audit log with the expiry and the user', async () => {
    const { id, key } = await create({ name: 'deploy', expiresAt: '2099-01-01T02:00:00+02:00', repos: ['open'] });
    expect(await auditOf(id)).toEqual([
      {
        action: 'api_key.created',
        actor: { type: 'person', id: admin.user.id, login: 'ada' },
        subject: 'deploy',
        data: {
          keyId: id,
          prefix: key.slice(0, 10),
          scopes: ['gate:read'],
          repositoryIds: [expect.any(String)],
          expiresAt: '2099-01-01T00:00:00.000Z',
        },
      },
    ]);
  });

  it('stores nothing if the audit log cannot be written', async () => {
    const before = await keysOf(admin);
    await env.asSuperuser(
      `alter table audit_entry add constraint full_log check (action <> 'api_key.created') not valid`,
    );
    expect((await make()).status).toBe(500);
    await env.asSuperuser('alter table audit_entry drop constraint full_log');
    expect(await keysOf(admin)).toEqual(before);
  });

  it.each(['open', 'OPEN', 'acme/open', 'Acme/Open'])('restricts it to the repository named %s', async (label) => {
    const { repos, key } = await create({ repos: [label, 'open'] });
    expect(repos).toEqual(['open']);
    expect(await gateAnswer(key, 'open')).toEqual([
      404,
      'The repository has no release of this version. A version is the whole title of a milestone.',
    ]);
    expect(await gateAnswer(key, 'vault')).toEqual([
      404,
      'The workspace has no such repository, or this credential has no access to it.',
    ]);
  });

  it.each(['theirs', 'other/theirs', 'other/open', 'open2', randomUUID()])(
    'rejects the unknown repository %s',
    async (label) => {
      expect(await make({ repos: ['open', label] })).toMatchObject({
        status: 404,
        body: { error: `The workspace has no repository "${label}".` },
      });
    },
  );

  it('shows nothing of a private repository that is hidden from the user', async () => {
    const [hidden] = await env.asSuperuser<{ id: string }>(`select id from repository where name = 'vault'`);
    const wrong = (label: string) => ({ status: 404, body: { error: `The workspace has no repository "${label}".` } });
    for (const label of ['vault', 'acme/vault', hidden!.id]) {
      expect(await make({ repos: [label] })).toMatchObject(wrong(label));
    }
    const reader = await signIn(env, env.github.createUser({ login: 'rita' }), { role: 'admin' });
    await env.database.inTenant(orgId, (tx) =>
      tx.query(
        `insert into repository_access (org_id, person, repository_github_id)
         select org_id, $1, github_id from repository where name = 'vault'`,
        [reader.user.id],
      ),
    );
    const { status, body } = await make({ repos: ['vault', hidden!.id, 'open'] }, reader);
    expect([status, body['repos']]).toEqual([201, ['vault', 'open']]);
    const reposFor = async (user: UserSession): Promise<readonly string[] | undefined> =>
      (await keysOf(user)).find(({ id }) => id === body['id'])?.repos;
    expect(await reposFor(reader)).toEqual(['open', 'vault']);
    expect(await reposFor(admin)).toEqual(['open']);
  });

  it.each<[string, object]>([
    ['without a name', { name: undefined }],
    ['with white space for a name', { name: '  ' }],
    ['with a name of 101 characters', { name: 'x'.repeat(101) }],
    ['with a line break in its name', { name: 'a\nb' }],
    ['with a number for a name', { name: 7 }],
    ['without scopes', { scopes: undefined }],
    ['with no scope', { scopes: [] }],
    ['with a thousand scopes', { scopes: Array.from({ length: 1_000 }, () => 'gate:read') }],
    ['with a scope of people', { scopes: ['read'] }],
    ['with one scope as text', { scopes: 'gate:read' }],
    ['with no repository', { repos: [] }],
    ['with a path for a repository', { repos: ['acme/open/main'] }],
    ['with a number for a repository', { repos: [7] }],
    ['with an end that is past', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['with an end of no offset', { expiresAt: '2099-01-01T00:00:00' }],
    ['with an end of no time', { expiresAt: '2099-01-01' }],
    ['with an end on a day that never comes', { expiresAt: '2099-02-30T00:00:00Z' }],
    ['with an end that is a number', { expiresAt: 4_070_908_800 }],
    ['with a workspace', { org: 'other' }],
    ['with a secret of its own', { key: 'sgk_mine' }],
  ])('rejects a key %s', async (_, changes) => {
    const before = await keysOf(admin);
    expect(await make(changes)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    expect(await keysOf(admin)).toEqual(before);
  });

  it('is limited to admins', async () => {
    const before = await keysOf(admin);
    expect((await make({}, member)).status).toBe(403);
    expect(await keysOf(admin)).toEqual(before);
  });
});

describe('revoking an API key', () => {
  it('ends it at once, removes it from the list and is recorded in the audit log', async () => {
    const { id, key, name } = await create();
    expect((await gateAnswer(key, 'open'))[0]).toBe(404);
    expect(await admin.send('DELETE', `${PATH}/${id.toUpperCase()}`)).toMatchObject({ status: 204 });
    expect((await gateAnswer(key, 'open'))[0]).toBe(401);
    expect((await keysOf(admin)).map((key) => key.id)).not.toContain(id);
    expect((await auditOf(id)).at(-1)).toEqual({
      action: 'api_key.revoked',
      actor: { type: 'person', id: admin.user.id, login: 'ada' },
      subject: name,
      data: { keyId: id },
    });
    expect((await admin.send('DELETE', `${PATH}/${id}`)).status).toBe(404);
    expect(await auditOf(id)).toHaveLength(2);
  });

  it('happens once when several admins do it at the same time', async () => {
    const { id } = await create();
    const answers = await Promise.all(Array.from({ length: 10 }, () => admin.send('DELETE', `${PATH}/${id}`)));
    const statuses = answers.map(({ status }) => status).toSorted((one, another) => one - another);
    expect(statuses).toEqual([204, ...Array<number>(9).fill(404)]);
    expect(await auditOf(id)).toHaveLength(2);
  });

  it('is limited to admins of its workspace, who find no key of another workspace', async () => {
    const { id, key } = await create();
    expect((await member.send('DELETE', `${PATH}/${id}`)).status).toBe(403);
    for (const wrong of [id, randomUUID(), 'no-id', '%00']) {
      expect([wrong, (await elsewhere.send('DELETE', `${PATH}/${wrong}`)).status]).toEqual([
        wrong,
        wrong === '%00' ? 400 : 404,
      ]);
    }
    expect((await gateAnswer(key, 'open'))[0]).toBe(404);
    expect((await keysOf(elsewhere)).map((key) => key.id)).not.toContain(id);
  });
});

describe('the API keys of a workspace', () => {
  it('stay in the list after they expire, newest first', async () => {
    const soon = new Date(env.clock.now().getTime() + 60_000).toISOString();
    const first = await create({ expiresAt: soon });
    const second = await create();
    env.clock.advance(60_001);
    expect((await gateAnswer(first.key, 'open'))[0]).toBe(401);
    expect((await keysOf(member)).slice(0, 2).map(({ id }) => id)).toEqual([second.id, first.id]);
  });

  it('are visible to members', async () => {
    const outsider = await signIn(env, env.github.createUser({ login: 'nobody' }), { role: null });
    expect((await outsider.get(PATH)).status).toBe(403);
    expect((await fetch(env.baseUrl + PATH)).status).toBe(401);
  });
});
