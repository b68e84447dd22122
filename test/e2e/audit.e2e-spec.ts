import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import { AuditRepository, type NewAuditEntry } from '../../src/features/audit/audit.repository.js';
import { FixedClock } from '../support/fixed-clock.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

const ENTRIES = 60;

interface Entry {
  readonly id: string;
  readonly action: string;
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

describe('a filter of the audit log', () => {
  let found: (query: string) => Promise<readonly string[]>;

  beforeAll(async () => {
    const organization = env.github.createOrganization({ login: 'umbrella' });
    const orgId = await env.install(organization);
    const vera = await signIn(env, env.github.createUser({ login: 'vera' }), { role: 'admin', organization });
    const given: readonly [at: string, login: string | null, Omit<NewAuditEntry, 'actor' | 'repositoryIds'>][] = [
      ['2026-03-01T23:59:59Z', 'Ada', { action: 'freeze.made', subject: 'Spring', data: { reason: 'release 4711' } }],
      ['2026-03-02T00:00:00Z', null, { action: 'member.removed', subject: 'eve', data: { userId: 4711 } }],
      ['2026-03-02T23:59:59Z', 'bob', { action: 'freeze.lifted', subject: 'Spring', data: { nested: ['100%_Sure'] } }],
      ['2026-03-03T00:00:00Z', 'ada', { action: 'member.joined', subject: 'bob', data: { role: 'member' } }],
    ];
    for (const [at, login, of] of given) {
      const clock = new FixedClock(new Date(at));
      await env.database.inTenant(orgId, (tx) =>
        new AuditRepository(clock).append(tx, {
          ...of,
          actor: login === null ? { type: 'service' } : { type: 'person', id: 7, login },
          repositoryIds: [],
        }),
      );
    }
    found = async (query) => {
      const whole = (await vera.get(`/api/audit?${query}`)).body;
      const page = (await vera.get(`/api/audit?${query}&page=1`)).body;
      const entries = entriesOf(whole);
      expect([query, page['entries']]).toEqual([query, entries]);
      expect([query, page['pagination']]).toMatchObject([query, { total: entries.length }]);
      const file = await fetch(`${env.baseUrl}/api/audit/export?format=json&${query}`, {
        headers: { cookie: vera.cookie },
      });
      expect([query, await file.json()]).toEqual([query, whole]);
      return entries.map(({ action, subject }) => `${action} ${subject}`);
    };
  });

  const [started, removed, lifted, joined] = [
    'freeze.made Spring',
    'member.removed eve',
    'freeze.lifted Spring',
    'member.joined bob',
  ] as const;

  it.each<[string, readonly string[]]>([
    ['action=freeze.made', [started]],
    ['action=freeze.made&action=member.joined', [joined, started]],
    ['action=waiver.requested', []],
    ['actor=ADA', [joined, started]],
    ['actor=ad', []],
    ['actor=service', [removed]],
    ['from=2026-03-02&to=2026-03-02', [lifted, removed]],
    ['from=2026-03-03', [joined]],
    ['to=2026-03-01', [started]],
    ['search=spring', [lifted, started]],
    ['search=BOB', [joined, lifted]],
    ['search=4711', [removed, started]],
    ['search=100%25_s', [lifted]],
    ['search=reason', []],
    ['search=%25', [lifted]],
    ['action=freeze.made&action=freeze.lifted&actor=bob&from=2026-03-02&search=spring', [lifted]],
  ])('returns for %s only what matches all of it, whole, in pages and as a file', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });
});

describe('GET /api/audit/head', () => {
  it('returns the number and the hash of the last entry', async () => {
    const { body } = await admin.get('/api/audit/head');
    expect(body).toEqual({ sequence: ENTRIES, hash: newest[0]?.hash });
  });
});

describe('GET /api/audit/export', () => {
  const download = (query: string, by = admin): Promise<Response> =>
    fetch(`${env.baseUrl}/api/audit/export?${query}`, { headers: { cookie: by.cookie } });

  it('returns the list as a JSON file', async () => {
    const response = await download('format=json');
    const day = env.clock.now().toISOString().slice(0, 10);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="shipgate-audit-acme-${day}.json"`);
    expect(await response.json()).toEqual((await admin.get('/api/audit')).body);
  });

  it('returns a CSV file with a row for each entry, in which no text is computed', async () => {
    const response = await download('format=csv');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = (await response.text()).trim().split('\r\n');
    expect(lines[0]).toBe('Sequence,Time (UTC),Actor type,Actor,Actor id,Action,Subject,Data,Id,Previous hash,Hash');
    expect(lines.slice(1).map((line) => line.split(',').at(-1))).toEqual(newest.map(({ hash }) => hash));
    expect(lines.at(-1)).toContain(',person,ada,7,member.joined,person 1,');
  });

  it.each(['', 'format=', 'format=xlsx', 'format=csv&page=1'])('cannot be requested with "%s"', async (query) => {
    expect((await download(query)).status).toBe(400);
  });

  it('is limited to admins of the workspace', async () => {
    expect((await fetch(`${env.baseUrl}/api/audit/export?format=csv`)).status).toBe(401);
    for (const by of [member, outsider]) expect((await download('format=csv', by)).status).toBe(403);
    expect(await (await download('format=csv', neighbour)).text()).toContain('theirs 1');
  });
});

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

  it.each([
    'action=',
    'action=member.gone',
    'action=member.joined&action=member.gone',
    'action[]=member.joined',
    'actor=',
    'actor=a%20b',
    'actor=ada&actor=eve',
    'from=2026-02-29',
    'from=2026-05-05&to=2026-05-04',
    'to=',
    'search=',
    'search=%00',
    'sequence=1',
  ])('rejects ?%s, in pages, whole and as a file', async (query) => {
    for (const path of [`/api/audit?${query}`, `/api/audit?page=1&${query}`, `/api/audit/export?format=csv&${query}`]) {
      const { status, body } = await admin.get(path);
      expect([path, status, Object.keys(body)]).toEqual([path, 400, ['error']]);
    }
  });

  it.each(['/api/audit', '/api/audit?page=1', '/api/audit?search=e'])(
    'is limited to admins of the workspace: %s',
    async (path) => {
      expect((await fetch(`${env.baseUrl}${path}`)).status).toBe(401);
      expect((await member.get(path)).status).toBe(403);
      expect((await outsider.get(path)).status).toBe(403);
      expect(entriesOf((await neighbour.get(path)).body).map(({ subject }) => subject)).toEqual(['theirs 1']);
    },
  );

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
