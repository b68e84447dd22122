import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import { AuditRepository, type NewAuditEntry } from '../../src/features/audit/audit.repository.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

const ENTRIES = 60;

interface Entry {
  readonly id: string;
  readonly subject: string;
  readonly hash: string;
}

let env: TestEnvironment;
let admin: UserSession;
let member: UserSession;
let neighbour: UserSession;
let outsider: UserSession;
let newest: readonly Entry[];

beforeAll(async () => {
  env = await TestEnvironment.start();
  const orgId = await env.install();
  const other = env.github.createOrganization({ login: 'globex' });
  const otherId = await env.install(other);
  await append(orgId, ENTRIES);
  await append(otherId, 1, 'theirs');
  admin = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
  member = await signIn(env, env.github.createUser({ login: 'grace' }));
  outsider = await signIn(env, env.github.createUser({ login: 'lin' }), { role: null });
  const organization = other;
  neighbour = await signIn(env, env.github.createUser({ login: 'eve' }), { role: 'admin', organization });
  newest = entriesOf((await admin.get('/api/audit')).body);
});
afterAll(() => env.stop());

const append = (orgId: OrgId, count: number, subject = 'person'): Promise<void> =>
  env.database.inTenant(orgId, async (tx) => {
    for (let n = 1; n <= count; n += 1) await env.app.get(AuditRepository).append(tx, entry(`${subject} ${n}`, n));
  });

const entry = (subject: string, n: number): NewAuditEntry => ({
  actor: n % 2 === 0 ? { type: 'service' } : { type: 'person', id: 7, login: 'ada' },
  action: 'member.joined',
  subject,
  data: { role: 'member', n },
  repositoryIds: [],
});

const entriesOf = (body: object): readonly Entry[] => (body as { entries: readonly Entry[] }).entries;

describe('GET /api/audit', () => {
  it('returns every action to an admin, newest first', async () => {
    const { status, headers, body } = await admin.get('/api/audit');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(Object.keys(body)).toEqual(['workspace', 'entries']);
    expect(newest.map(({ subject }) => subject)).toEqual(
      Array.from({ length: ENTRIES }, (_, n) => `person ${ENTRIES - n}`),
    );
    expect(newest.at(-1)).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      actor: { type: 'person', id: 7, login: 'ada' },
      action: 'member.joined',
      subject: 'person 1',
      data: { role: 'member', n: 1 },
      sequence: 1,
      previousHash: '0'.repeat(64),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(newest[0]).toMatchObject({ actor: { type: 'service' } });
  });

  it('returns pages that add up to the whole list', async () => {
    const paged: Entry[] = [];
    for (let page = 1; page <= 3; page += 1) {
      const { status, body } = await admin.get(`/api/audit?page=${page}`);
      expect([status, body['pagination']]).toEqual([200, { page, pageSize: 25, total: ENTRIES, pages: 3 }]);
      paged.push(...entriesOf(body));
    }
    expect(paged).toEqual(newest);
    expect((await admin.get('/api/audit?pageSize=10')).body).toEqual({
      workspace: await env.orgId(),
      entries: newest.slice(0, 10),
      pagination: { page: 1, pageSize: 10, total: ENTRIES, pages: 6 },
    });
  });

  it('returns an empty page after the last one, with the right totals', async () => {
    expect((await admin.get('/api/audit?page=100000&pageSize=50')).body).toEqual({
      workspace: await env.orgId(),
      entries: [],
      pagination: { page: 100_000, pageSize: 50, total: ENTRIES, pages: 2 },
    });
  });

  it.each(['page=0', 'page=1.5', 'page=1e3', 'page=100001', 'page=', 'page=1&page=1', 'pageSize=20', 'limit=10'])(
    'rejects ?%s',
    async (query) => {
      const { status, body } = await admin.get(`/api/audit?${query}`);
      expect([status, Object.keys(body)]).toEqual([400, ['error']]);
    },
  );

  it.each(['', '?page=1'])('is limited to admins of the workspace: %j', async (query) => {
    const path = `/api/audit${query}`;
    expect((await fetch(`${env.baseUrl}${path}`)).status).toBe(401);
    expect((await member.get(path)).status).toBe(403);
    expect((await outsider.get(path)).status).toBe(403);
    expect(entriesOf((await neighbour.get(path)).body).map(({ subject }) => subject)).toEqual(['theirs 1']);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('finds no %s', async (method) => {
    expect((await admin.send(method, '/api/audit')).status).toBe(404);
    expect((await admin.send(method, `/api/audit/${newest[0]!.id}`)).status).toBe(404);
  });

  it('returns a list longer than any batch, and leaves entries added meanwhile to the next request', async () => {
    const user = env.github.createUser({ login: 'margaret' });
    const organization = env.github.createOrganization({ login: 'initech' });
    const orgId = await env.install(organization);
    await append(orgId, 1_200);
    const margaret = await signIn(env, user, { role: 'admin', organization });
    const [{ body }] = await Promise.all([margaret.get('/api/audit'), append(orgId, 1, 'late')]);
    const numbers = entriesOf(body)
      .map(({ subject }) => subject)
      .filter((subject) => subject.startsWith('person'))
      .map((subject) => Number(subject.slice('person '.length)));
    expect(numbers).toEqual(Array.from({ length: 1_200 }, (_, n) => 1_200 - n));
    expect(entriesOf((await margaret.get('/api/audit')).body)).toHaveLength(1_201);
    expect(env.violations).toEqual([]);
  });
});
