import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HistoryQueries } from '../../src/features/history/history.queries.js';
import { givenRecord } from '../support/history-rows.js';
import type { WorkspaceRows } from '../support/workspace-rows.js';
import type { UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PrivateRepositoryScenario } from './scenarios/private-repository-scenario.js';

interface Body {
  readonly history: readonly { readonly id: string; readonly repo: string; readonly deployedAt: string }[];
  readonly repositories: readonly string[];
  readonly environments: readonly string[];
  readonly pagination?: Readonly<Record<string, number>>;
}

let env: TestEnvironment;
let rows: WorkspaceRows;
/** Can read `hushed` too. */
let reader: UserSession;
let outsider: UserSession;
let elsewhere: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  const scenario = await PrivateRepositoryScenario.in(env);
  ({ rows, reader, outsider, elsewhere } = scenario);
  const many = await rows.repository('Many');
  for (let at = 0; at < 60; at += 1) {
    // Two deployments at each time.
    const deployedAt = `2026-01-01T00:${String(Math.floor(at / 2)).padStart(2, '0')}:00Z`;
    await givenRecord(rows, { repositoryId: many, version: `v1.${at}.0`, deployedAt });
  }
  const edges = await rows.repository('edges');
  for (const deployedAt of EDGES) await givenRecord(rows, { repositoryId: edges, deployedAt });
  await givenRecord(rows, { repositoryId: scenario.privateRepo, deployedAt: '2026-02-01T12:00:00Z' });
  // A repository without deployments.
  await rows.repository('idle');
});
afterAll(() => env.stop());

/** Times before and after midnight in UTC, in the nights in which daylight saving time changes, and on a leap day. */
const EDGES = [
  '2026-03-27T23:59:59.999Z',
  '2026-03-28T00:00:00.000Z',
  '2026-03-28T23:59:59.999Z',
  '2026-03-29T00:00:00.000Z',
  '2026-03-29T01:30:00.000Z',
  '2026-03-29T23:59:59.999Z',
  '2026-03-30T00:00:00.000Z',
  '2026-10-25T00:30:00.000Z',
  '2026-10-25T23:59:59.999Z',
  '2028-02-29T12:00:00.000Z',
];

const read = async (query = '', by = reader): Promise<Body> => {
  const { status, body } = await by.get(`/api/history${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body as unknown as Body;
};
const timesOf = ({ history }: Body): readonly string[] => history.map(({ deployedAt }) => deployedAt);
const repositoriesOf = ({ history }: Body): readonly string[] => [...new Set(history.map(({ repo }) => repo))];

describe('the history', () => {
  it.each(['', '?repository=acme/many', '?from=2026-01-01&to=2026-01-01', '?repository=acme/edges&from=2026-03-28'])(
    'is returned whole, and in pages with the same order: "%s"',
    async (query) => {
      const whole = await read(query);
      const ids = whole.history.map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(5);
      expect(new Set(ids).size).toBe(ids.length);
      expect(timesOf(whole)).toEqual(timesOf(whole).toSorted().toReversed());
      for (const pageSize of [10, 25, 50]) {
        const pages = Math.ceil(ids.length / pageSize);
        const paged: string[] = [];
        for (let page = 1; page <= pages; page += 1) {
          const body = await read(`${query === '' ? '?' : `${query}&`}page=${page}&pageSize=${pageSize}`);
          expect(body.pagination).toEqual({ page, pageSize, total: ids.length, pages });
          expect(body.repositories).toEqual(whole.repositories);
          paged.push(...body.history.map(({ id }) => id));
        }
        expect(paged).toEqual(ids);
        const beyond = await read(`${query === '' ? '?' : `${query}&`}page=${pages + 1}&pageSize=${pageSize}`);
        expect([beyond.history, beyond.pagination?.['total']]).toEqual([[], ids.length]);
      }
    },
  );

  it('breaks ties by the id', async () => {
    const { history } = await read('?repository=acme/many');
    const received = history.map(({ deployedAt, id }) => ({ deployedAt, id }));
    expect(received).toEqual(
      received.toSorted((a, b) => b.deployedAt.localeCompare(a.deployedAt) || (a.id < b.id ? -1 : 1)),
    );
  });

  it('does not change its order when an earlier deployment is recorded', async () => {
    const query = '?repository=acme/many&page=1&pageSize=10';
    const before = await read(query);
    const [{ id: repositoryId } = { id: '' }] = await env.asSuperuser<{ id: string }>(
      `select id from repository where name = 'Many'`,
    );
    await givenRecord(rows, { repositoryId, deployedAt: '2025-12-31T23:00:00Z' });
    expect((await read(query)).history).toEqual(before.history);
  });

  it('is limited to one repository, in any letter case, or contains all', async () => {
    for (const name of ['acme/Many', 'ACME/many', 'acme/MANY']) {
      expect(repositoriesOf(await read(`?repository=${name}`))).toEqual(['Many']);
    }
    expect(repositoriesOf(await read()).toSorted()).toEqual(['Many', 'edges', 'hushed']);
  });

  it('names every repository that it contains, whatever the filter is', async () => {
    const all = ['acme/edges', 'acme/hushed', 'acme/Many'];
    for (const query of ['', '?page=9', '?repository=acme/edges', '?from=2030-01-01', '?repository=acme/idle&page=1']) {
      expect([query, (await read(query)).repositories]).toEqual([query, all]);
    }
  });

  it('has one filter option for a repository that was recreated under its name', async () => {
    const again = await rows.repository('edges');
    const record = await givenRecord(rows, { repositoryId: again, deployedAt: '2029-01-01T00:00:00Z' });
    await env.asSuperuser(`update repository set removed_at = now() where id = '${again}'`);
    const { history, repositories } = await read('?repository=acme/edges');
    expect([history.length, history[0]?.id]).toEqual([EDGES.length + 1, record]);
    expect((await read('?repository=acme/edges&page=2&pageSize=10')).history).toHaveLength(1);
    expect(repositories.filter((name) => name === 'acme/edges')).toHaveLength(1);
    await env.asSuperuser(`delete from deployment_record where id = '${record}'`);
    await env.asSuperuser(`delete from repository where id = '${again}'`);
  });
});

describe('days', () => {
  const within = (from: string, to: string): readonly string[] =>
    EDGES.filter((at) => at >= `${from}T00:00:00.000Z` && at <= `${to}T23:59:59.999Z`)
      .toSorted()
      .toReversed();

  it.each([
    ['2026-03-28', '2026-03-28', 2],
    ['2026-03-29', '2026-03-29', 3],
    ['2026-03-28', '2026-03-29', 5],
    ['2026-03-27', '2026-03-30', 7],
    ['2026-10-25', '2026-10-25', 2],
    ['2028-02-29', '2028-02-29', 1],
    ['2026-03-31', '2026-10-24', 0],
    ['1000-01-01', '9999-12-31', 10],
  ])('from %s to %s are both included, in UTC: %d', async (from, to, count) => {
    const expected = within(from, to);
    expect(expected).toHaveLength(count);
    const query = `?repository=acme/edges&from=${from}&to=${to}`;
    expect(timesOf(await read(query))).toEqual(expected);
    const page = await read(`${query}&page=1`);
    expect([timesOf(page), page.pagination?.['total']]).toEqual([expected, count]);
  });

  it('can be open at either end', async () => {
    expect(timesOf(await read('?repository=acme/edges&from=2026-10-25'))).toEqual(within('2026-10-25', '9999-12-31'));
    expect(timesOf(await read('?repository=acme/edges&to=2026-03-28'))).toEqual(within('1000-01-01', '2026-03-28'));
  });

  it('are in UTC, whatever the time zone of the connection is', async () => {
    const records = env.app.get(HistoryQueries);
    const found = await env.database.inTenant(rows.orgId, async (tx) => {
      await tx.query(`set local timezone to 'Pacific/Kiritimati'`);
      const { ids } = await records.findOfAny(tx, { from: '2026-03-29', to: '2026-03-29' }, null);
      return records.list(tx, ids);
    });
    expect(found.map(({ deployedAt }) => deployedAt.toISOString())).toEqual(within('2026-03-29', '2026-03-29'));
  });
});

describe('the history by kind, environment and search', () => {
  interface Found {
    readonly repo: string;
    readonly version: string | null;
    readonly kind: string;
    readonly environment: string;
  }
  const found = async (query: string, by = reader): Promise<readonly string[]> => {
    const whole = await read(query, by);
    const page = await read(`${query}&page=1&pageSize=50`, by);
    expect([query, page.history, page.pagination?.['total']]).toEqual([query, whole.history, whole.history.length]);
    return (whole.history as unknown as readonly Found[])
      .map(({ repo, version, kind, environment }) => [repo, version, kind, environment].join(','))
      .toSorted();
  };
  const written: string[] = [];

  beforeAll(async () => {
    const shop = await rows.repository('Shop-API');
    const stage = await rows.repository('stage');
    const privateRepo = (await env.asSuperuser<{ id: string }>(`select id from repository where name = 'hushed'`))[0]!
      .id;
    const record = async (of: Parameters<typeof givenRecord>[1]): Promise<void> =>
      void written.push(await givenRecord(rows, of));
    await record({ repositoryId: shop, version: 'v9.0.0', deployedAt: '2027-01-01T00:00:00Z' });
    await record({ repositoryId: shop, version: null, kind: 'ungoverned', deployedAt: '2027-01-02T00:00:00Z' });
    await record({
      repositoryId: stage,
      version: 'v9.0.0-RC.1',
      kind: 'hotfix',
      environment: 'Live',
      deployedAt: '2027-01-03T00:00:00Z',
    });
    await record({
      repositoryId: privateRepo,
      version: 'v9.1.0',
      kind: 'ungoverned',
      environment: 'bunker',
      deployedAt: '2027-01-04T00:00:00Z',
    });
  });
  afterAll(() =>
    env.asSuperuser(`delete from deployment_record where id in (${written.map((id) => `'${id}'`).join()})`),
  );

  it.each([
    ['kind=ungoverned', ['Shop-API,,ungoverned,production', 'hushed,v9.1.0,ungoverned,bunker']],
    ['kind=rollback', []],
    ['kind=ungoverned&repository=acme/shop-api', ['Shop-API,,ungoverned,production']],
    ['kind=ungoverned&from=2027-01-03', ['hushed,v9.1.0,ungoverned,bunker']],
    ['environment=LIVE', ['stage,v9.0.0-RC.1,hotfix,Live']],
    ['environment=liv', []],
    ['environment=bunker&kind=release', []],
    [
      'search=v9.',
      ['Shop-API,v9.0.0,release,production', 'hushed,v9.1.0,ungoverned,bunker', 'stage,v9.0.0-RC.1,hotfix,Live'],
    ],
    ['search=0-rc', ['stage,v9.0.0-RC.1,hotfix,Live']],
    ['search=SHOP', ['Shop-API,,ungoverned,production', 'Shop-API,v9.0.0,release,production']],
    ['search=acme/sh', ['Shop-API,,ungoverned,production', 'Shop-API,v9.0.0,release,production']],
    ['search=acme', []],
    ['search=shop%20V9', ['Shop-API,v9.0.0,release,production']],
    ['search=acme/shop%20v9', ['Shop-API,v9.0.0,release,production']],
    ['search=shop%20rc', []],
    ['search=%20', []],
    ['search=v9._', []],
    ['search=%25', []],
    ['search=shop&kind=ungoverned&environment=production', ['Shop-API,,ungoverned,production']],
    ['search=shop&repository=acme/stage', []],
  ])('has for %s only what matches all of it, whole and in pages', async (query, expected) => {
    expect(await found(`?${query}`)).toEqual(expected);
  });

  it('offers each environment once, as a choice of the filter', async () => {
    const { environments } = await read('?page=1&search=shop');
    expect(environments.filter((name) => /^(?:bunker|live|production)$/i.test(name))).toEqual([
      'bunker',
      'Live',
      'production',
    ]);
    // Only the hidden repository was deployed there.
    expect((await read('?page=1', outsider)).environments).not.toContain('bunker');
    expect((await read('', outsider)).environments).toContain('production');
  });

  it('does not show a private repository to users who cannot read it, nor another workspace', async () => {
    expect(await found('?kind=ungoverned', outsider)).toEqual(['Shop-API,,ungoverned,production']);
    for (const query of ['?search=hushed', '?search=acme/hushed', '?environment=bunker', '?search=v9.1'])
      expect([query, await found(query, outsider)]).toEqual([query, []]);
    for (const query of ['?search=shop', '?kind=release', '?environment=production'])
      expect([query, await found(query, elsewhere)]).toEqual([query, []]);
  });
});

describe('the history of a private repository', () => {
  it('is neither listed, counted nor offered to users who cannot read it', async () => {
    for (const query of [
      '',
      '?page=1&pageSize=50',
      '?repository=acme/hushed',
      '?from=2026-02-01&to=2026-02-01&page=1',
    ]) {
      const [visible, hidden] = [await read(query), await read(query, outsider)];
      expect([query, visible.repositories.includes('acme/hushed')]).toEqual([query, true]);
      expect([query, JSON.stringify(hidden).includes('hushed')]).toEqual([query, false]);
      expect([query, (visible.pagination?.['total'] ?? 0) - (hidden.pagination?.['total'] ?? 0)]).toEqual([
        query,
        visible.pagination ? 1 : 0,
      ]);
    }
    expect((await read('?repository=acme/hushed', outsider)).history).toEqual([]);
    expect((await read('?repository=acme/hushed')).history).toHaveLength(1);
  });

  it('is hidden from other workspaces', async () => {
    expect(await read('', elsewhere)).toEqual({ repositories: [], environments: [], history: [] });
    expect(await read('?repository=acme/many&page=1', elsewhere)).toEqual({
      repositories: [],
      environments: [],
      history: [],
      pagination: { page: 1, pageSize: 25, total: 0, pages: 1 },
    });
  });
});

describe('a parameter of the history', () => {
  it.each([
    'from=2026-02-29',
    'to=2026-13-01',
    'from=2026-05-05&to=2026-05-04',
    'from=',
    'to=',
    'from=yesterday',
    'from=-infinity',
    'from=2026-05-04T00:00:00Z',
    'from=2026-05-04&from=2026-05-04',
    'from[]=2026-05-04',
    'repository=',
    'repository=many',
    'repository=acme/',
    'repository=acme/many/x',
    'repository=acme/%25',
    "repository=acme/'",
    'repository=acme/m%20any',
    'repository=acme/%00',
    'repository=%F0%9F%98%80/many',
    'repository=acme/many&repository=acme/edges',
    `repository=acme/${'x'.repeat(101)}`,
    'sort=asc',
    'kind=',
    'kind=again',
    'kind=Release',
    'kind=release&kind=hotfix',
    'environment=',
    'environment=%00',
    'environment=a%0Ab',
    `environment=${'x'.repeat(256)}`,
    'search=',
    'search=%00',
    'search=a&search=b',
    `search=${'x'.repeat(201)}`,
    'page=0',
    'page=1.5',
    'page=100001',
    'page=',
    'pageSize=20',
  ])('cannot be %s, in either form', async (query) => {
    for (const shape of query.includes('page') ? [''] : ['', '&page=1']) {
      expect(await reader.get(`/api/history?${query}${shape}`)).toMatchObject({
        status: 400,
        body: { error: expect.any(String) },
      });
    }
  });

  it.each(['acme/m_ny', 'acme/.any', 'acme/nothing', 'nobody/many', 'acme/..'])(
    'matches literally: %s',
    async (repository) => {
      expect((await read(`?repository=${repository}`)).history).toEqual([]);
      expect((await read(`?repository=${repository}&page=1`)).pagination?.['total']).toBe(0);
    },
  );
});
