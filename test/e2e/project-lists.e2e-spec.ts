import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import type { ProjectDto } from '../../src/features/projects/projects.dto.js';
import { WorkspaceRows } from '../support/workspace-rows.js';
import { type JsonAnswer, type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

interface Body {
  readonly projects: readonly (Pick<ProjectDto, 'id' | 'name' | 'repos' | 'counts'> & { readonly updatedAt: string })[];
  readonly pagination?: Readonly<Record<string, number>>;
}

const PATH = '/api/projects';
const AT_ONCE = 8;

let env: TestEnvironment;
let orgId: OrgId;
let rows: WorkspaceRows;
let mia: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  orgId = await env.install();
  rows = new WorkspaceRows(env.database, orgId, 1_000_000);
  mia = await signIn(env, env.github.createUser({ login: 'mia' }));
});
afterAll(() => env.stop());
afterEach(() => expect(env.violations).toEqual([]));

async function read(query: string): Promise<Body> {
  const { status, body } = await mia.get(`${PATH}${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body as unknown as Body;
}
const idsOf = ({ projects }: Body): readonly string[] => projects.map(({ id }) => id);
const create = (body: object): Promise<JsonAnswer> => mia.send('POST', PATH, body);
async function make(name: string): Promise<string> {
  const { status, body } = await create({ name });
  expect([name, status]).toEqual([name, 201]);
  return String(body['id']);
}
const atOnce = async (work: (n: number) => Promise<JsonAnswer>): Promise<readonly JsonAnswer[]> =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, n) => work(n)));
const statuses = (answers: readonly JsonAnswer[]): readonly number[] =>
  answers.map(({ status }) => status).toSorted((less, more) => less - more);
const linksOf = async (id: string): Promise<number> => {
  const [row] = await env.asSuperuser<{ links: number }>(
    `select count(*)::integer as links from project_repository where project_id = '${id}'`,
  );
  return row?.links ?? 0;
};

describe('without a project', () => {
  it.each(['', '?org=acme', '?search=x'])('the list is empty: %s', async (query) => {
    expect(await read(query)).toEqual({ projects: [] });
    expect(await read(`${query}${query === '' ? '?' : '&'}page=1`)).toEqual({
      projects: [],
      pagination: { page: 1, pageSize: 25, total: 0, pages: 1 },
    });
  });
});

describe('the projects', () => {
  beforeAll(async () => {
    // Two projects change at each time.
    await env.asSuperuser(
      `insert into project (org_id, id, name, lower_name, created_at, updated_at)
       select '${orgId}', gen_random_uuid(), 'Project ' || n, 'project ' || n, '2026-01-01',
         '2026-01-01'::timestamptz + n / 2 * interval '1 minute'
       from generate_series(1, 60) n`,
    );
    const repositoryId = await rows.repository('listed');
    const releaseId = await rows.release({ repositoryId, version: 'v9.0.0', validUntil: 'infinity' });
    await env.asSuperuser(
      `insert into project_repository (org_id, project_id, repository_id, release_id)
       select org_id, id, '${repositoryId}', '${releaseId}' from project where lower_name like 'project 1%'`,
    );
  });
  afterAll(() => env.asSuperuser('delete from project'));

  it.each([
    ['', 60],
    ['search=PROJECT 1', 11],
    ['search=listed', 11],
    ['search=v9.0', 11],
    ['org=Acme', 60],
    ['org=acme&search=project 6', 2],
    ['org=elsewhere', 0],
    ['search=none', 0],
  ])('are returned whole, and in pages with the same order: %s', async (filter, total) => {
    const whole = idsOf(await read(`?${filter}`));
    expect([whole.length, new Set(whole).size]).toEqual([total, total]);
    for (const pageSize of [10, 25, 50]) {
      const pages = Math.max(1, Math.ceil(total / pageSize));
      const paged: string[] = [];
      for (let page = 1; page <= pages; page += 1) {
        const body = await read(`?${filter}&page=${page}&pageSize=${pageSize}`);
        expect(body.pagination).toEqual({ page, pageSize, total, pages });
        paged.push(...idsOf(body));
      }
      expect(paged).toEqual(whole);
      const beyond = await read(`?${filter}&page=${pages + 1}&pageSize=${pageSize}`);
      expect([beyond.projects, beyond.pagination?.['total']]).toEqual([[], total]);
    }
  });

  it('start with the latest change', async () => {
    const { projects } = await read('');
    const times = projects.map(({ updatedAt }) => updatedAt);
    expect(times).toEqual(times.toSorted().toReversed());
    const last = projects.at(-1)?.id ?? '';
    await mia.send('PATCH', `${PATH}/${last}`, { description: 'moved' });
    expect((await read('?page=1&pageSize=10')).projects[0]?.id).toBe(last);
  });

  it('do not change their order while their releases change', async () => {
    const before = idsOf(await read('?page=2&pageSize=25'));
    await rows.write(`update release set blocked = not blocked, updated_at = now()`);
    expect(idsOf(await read('?page=2&pageSize=25'))).toEqual(before);
    expect((await read('?search=listed')).projects.every(({ counts }) => counts.blocked === 1)).toBe(true);
  });
});

describe('a parameter', () => {
  const ok = ['%25', '_', '%5C', '%27', '%22', '😀'.repeat(200), 'x'.repeat(200), 'שלום', '%E2%80%AEv1', '%20'];
  it.each(ok)('can search for %s', async (search) => {
    expect((await read(`?search=${search}`)).projects).toEqual([]);
    expect((await read(`?search=${search}&page=1`)).projects).toEqual([]);
  });

  it.each([
    `search=${'x'.repeat(201)}`,
    `search=${'😀'.repeat(201)}`,
    'search=',
    'search=a&search=b',
    'search[]=a',
    'search=%00',
    'org=',
    'org=a&org=b',
    'org=acme%2Fshop',
    'outcome=all',
    'page=0',
    'page=1.5',
    'page=1e3',
    'page=100001',
    'page=',
    'pageSize=20',
  ])('cannot be %s', async (query) => {
    expect(await mia.get(`${PATH}?${query}`)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
  });
});

describe('concurrent requests', () => {
  it('give a name to one project', async () => {
    const answers = await atOnce((n) => create({ name: n % 2 === 0 ? 'One' : 'ONE' }));
    expect(statuses(answers)).toEqual([201, ...Array.from({ length: AT_ONCE - 1 }, () => 409)]);
    const [first, second] = [await make('first'), await make('second')];
    const renamed = await Promise.all(
      [first, second].map((id) => mia.send('PATCH', `${PATH}/${id}`, { name: 'the same' })),
    );
    expect(statuses(renamed)).toEqual([200, 409]);
  });

  it('save changes of different fields, all of them', async () => {
    const id = await make('before');
    const changes = [{ name: 'after' }, { description: 'told' }, { targetDate: '2027-01-01' }];
    const answers = await Promise.all(changes.map((body) => mia.send('PATCH', `${PATH}/${id}`, body)));
    expect(statuses(answers)).toEqual([200, 200, 200]);
    expect((await mia.get(`${PATH}/${id}`)).body).toMatchObject(Object.assign({}, ...changes) as object);
  });

  it('delete a project once, and link nothing to a deleted one', async () => {
    const id = await make('short-lived');
    const repositories = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => rows.repository(`short-${n}`)));
    const links = repositories.map((repo) => mia.send('PUT', `${PATH}/${id}/repos/${repo}`));
    const [linked, removed] = [
      Promise.all(links),
      Promise.all([mia.send('DELETE', `${PATH}/${id}`), mia.send('DELETE', `${PATH}/${id}`)]),
    ];
    expect(statuses(await removed)).toEqual([204, 404]);
    for (const { status } of await linked) expect([200, 404]).toContain(status);
    expect(await linksOf(id)).toBe(0);
  });

  it('link two releases of one repository, of which one remains', async () => {
    const [id, repositoryId] = [await make('two minds'), await rows.repository('two-minds')];
    const releases = await Promise.all(
      ['v1.0.0', 'v2.0.0'].map((version) => rows.release({ repositoryId, version, validUntil: 'infinity' })),
    );
    const answers = await atOnce((n) =>
      mia.send('PUT', `${PATH}/${id}/repos/${repositoryId}`, { milestoneId: releases[n % 2] }),
    );
    expect(new Set(statuses(answers))).toEqual(new Set([200]));
    expect(await linksOf(id)).toBe(1);
  });

  it('link at most 100 repositories to a project, including those that the user cannot read', async () => {
    const id = await make('full');
    await env.asSuperuser(
      `with made as (
         insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
         select '${orgId}', gen_random_uuid(), 2000000 + n, 'full-' || n, true, 'main', now(), now()
         from generate_series(1, 99) n returning org_id, id)
       insert into project_repository (org_id, project_id, repository_id) select org_id, '${id}', id from made`,
    );
    const requested = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => rows.repository(`wanted-${n}`)));
    const answers = await atOnce((n) => mia.send('PUT', `${PATH}/${id}/repos/${requested[n] ?? ''}`));
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: AT_ONCE - 1 }, () => 409)]);
    expect([await linksOf(id), (await read('?search=full')).projects[0]?.repos.length]).toEqual([100, 1]);
    const [linked = ''] = answers.flatMap(({ status }, n) => (status === 200 ? (requested[n] ?? []) : []));
    expect((await mia.send('PUT', `${PATH}/${id}/repos/${linked}`)).status).toBe(200);
    expect((await mia.send('DELETE', `${PATH}/${id}/repos/${linked}`)).status).toBe(204);
    expect((await mia.send('PUT', `${PATH}/${id}/repos/${requested[0] ?? ''}`)).status).toBe(200);
  });

  it('create at most 1,000 projects in a workspace', async () => {
    await env.asSuperuser('delete from project');
    await env.asSuperuser(
      `insert into project (org_id, id, name, lower_name, created_at, updated_at)
       select '${orgId}', gen_random_uuid(), 'n' || n, 'n' || n, now(), now() from generate_series(1, 999) n`,
    );
    const answers = await atOnce(() => create({ name: randomUUID() }));
    expect(statuses(answers)).toEqual([201, ...Array.from({ length: AT_ONCE - 1 }, () => 409)]);
    expect(idsOf(await read(''))).toHaveLength(1_000);
  });
});
