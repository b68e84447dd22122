import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import type { RepositoryDto } from '../../src/features/repositories/list/repositories.dto.js';
import { WorkflowTemplatesService } from '../../src/features/repositories/workflow-files/workflow-templates.service.js';
import { WorkspaceRows } from '../support/workspace-rows.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

type Summary = Omit<RepositoryDto, 'lastSyncedAt'> & { readonly lastSyncedAt: string | null };
interface Page {
  readonly groups: readonly { readonly org: string; readonly repos: readonly Summary[] }[];
  readonly counts: Readonly<Record<string, number>>;
  readonly pagination: Readonly<Record<string, number>>;
}

const AT = '2026-03-01T12:00:00.000Z';
const NAMES = ['alpha', 'Beta', 'gamma'];

let env: TestEnvironment;
let orgId: OrgId;
let rows: WorkspaceRows;
let reader: UserSession;
let outsider: UserSession;
const idOf = new Map<string, string>();

beforeAll(async () => {
  env = await TestEnvironment.start();
  for (const name of NAMES) env.github.createRepository(env.organization, { name, private: false });
  const privateRepo = env.github.createRepository(env.organization, { name: 'hushed' });
  orgId = await env.install();
  reader = await signIn(env, env.github.createUser({ login: 'rhea' }));
  outsider = await signIn(env, env.github.createUser({ login: 'otto' }));
  await env.asSuperuser(
    `insert into repository_access (org_id, person, repository_github_id)
     values ('${orgId}', ${reader.user.id}, ${privateRepo.id})`,
  );
  rows = new WorkspaceRows(env.database, orgId, 1_000_000);
  for (const { id, name } of await whole('')) idOf.set(name, id);
});
afterAll(() => env.stop());
afterEach(() => expect(env.violations).toEqual([]));

async function whole(query: string, by = reader): Promise<readonly Summary[]> {
  const { status, body } = await by.get(`/api/repos${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body as unknown as readonly Summary[];
}
async function paged(query: string, by = reader): Promise<Page> {
  const { status, body } = await by.get(`/api/repos?${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body as unknown as Page;
}
const summary = async (name: string): Promise<Summary> => {
  const [only] = await whole(`?search=${name}`);
  if (!only) throw new Error(`there is no ${name}`);
  return only;
};
const namesOf = (summaries: readonly Summary[]): readonly string[] => summaries.map(({ name }) => name);

describe('the repositories', () => {
  it('are sorted by name in any letter case, private ones only for users who can read them', async () => {
    expect(namesOf(await whole(''))).toEqual(['alpha', 'Beta', 'gamma', 'hushed']);
    expect(namesOf(await whole('', outsider))).toEqual(NAMES);
    expect((await paged('page=1', outsider)).pagination).toMatchObject({ total: 3 });
    expect(await whole('?search=hush', outsider)).toEqual([]);
    expect((await paged('search=hush&page=1', outsider)).groups).toEqual([]);
  });

  it('are returned in pages of groups, which count repositories', async () => {
    const { groups, counts, pagination } = await paged('pageSize=10');
    expect(groups).toEqual([{ org: 'acme', repos: await whole('') }]);
    expect(pagination).toEqual({ page: 1, pageSize: 10, total: 4, pages: 1 });
    expect(await paged('page=2&pageSize=10')).toEqual({
      groups: [],
      counts,
      pagination: { page: 2, pageSize: 10, total: 4, pages: 1 },
    });
  });

  it.each([
    ['ALPHA', ['alpha']],
    ['am', ['gamma']],
    ['acme', ['alpha', 'Beta', 'gamma', 'hushed']],
    ['me/b', ['Beta']],
    ['acme/hushed', ['hushed']],
    ['%25', []],
    ['_', []],
    ['%5C', []],
    ['%27', []],
    ['😀'.repeat(200), []],
    ['שלום', []],
  ])('are searched for %s', async (search, names) => {
    expect(namesOf(await whole(`?search=${search}`))).toEqual(names);
    const { groups, pagination } = await paged(`search=${search}&page=1`);
    expect([namesOf(groups[0]?.repos ?? []), pagination['total']]).toEqual([names, names.length]);
  });

  it.each([
    'setupState=',
    'setupState=complete',
    'setupState=COMPLETE&setupState=LEGACY',
    'attention=',
    'attention=yes',
    `search=${'x'.repeat(201)}`,
    'search=',
    'search=a&search=b',
    'page=0',
    'pageSize=20',
    'outcome=all',
  ])('are not returned for %s', async (query) => {
    expect(await reader.get(`/api/repos?${query}`)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    });
  });
});

describe('a repository', () => {
  it('has no details at first', async () => {
    const targetRevision = env.app.get(WorkflowTemplatesService).revision;
    expect(await summary('alpha')).toEqual({
      id: expect.any(String),
      org: 'acme',
      name: 'alpha',
      fullName: 'acme/alpha',
      private: false,
      defaultBranch: 'main',
      url: `${env.github.url}/acme/alpha`,
      managed: false,
      setupState: 'NOT_STARTED',
      setup: { prNumber: null, prUrl: null, tokenNeeded: false },
      protection: { status: 'unknown', detail: null, tokenNeeded: false },
      integrity: { status: 'unwatched', files: [], issueUrl: null, since: null },
      workflow: { status: null, installedRevision: null, targetRevision, prNumber: null, prUrl: null },
      lastSyncedAt: expect.any(String),
    });
  });

  it('has the state of its set-up, its protection and its workflow files', async () => {
    const [id, revision] = [idOf.get('Beta'), env.app.get(WorkflowTemplatesService).revision];
    await rows.write('update repository set managed_at = $2 where id = $1', [id, AT]);
    expect(await summary('Beta')).toMatchObject({ managed: true, setupState: 'LEGACY' });
    await rows.write(
      `insert into repository_setup (org_id, repository_id, attempt, step, requested_by, begun_at, took_place, changed_at)
       values ($1, $2, $3, 'complete', 1, $4, true, $4)`,
      [orgId, id, randomUUID(), AT],
    );
    await rows.write(
      `insert into repository_protection (org_id, repository_id, attempt, status, detail, changed_at)
       values ($1, $2, $3, 'drifted', 'Somebody allowed force pushes.', $4)`,
      [orgId, id, randomUUID(), AT],
    );
    await rows.write(
      `insert into workflow_installation (org_id, repository_id, installed_revision, custom_ci, installed_at)
       values ($1, $2, $3, false, $4)`,
      [orgId, id, revision, AT],
    );
    expect(await summary('Beta')).toMatchObject({
      setupState: 'COMPLETE',
      setup: { prNumber: null, prUrl: null },
      protection: { status: 'drifted', detail: 'Somebody allowed force pushes.' },
      integrity: { status: 'intact', files: [] },
      workflow: { status: 'UP_TO_DATE', installedRevision: revision },
    });
    await rows.write(`update workflow_installation set installed_revision = 'before'`);
    expect((await summary('Beta')).workflow).toMatchObject({ status: 'UPDATE_AVAILABLE', installedRevision: 'before' });
    await rows.write(
      `insert into workflow_update (org_id, repository_id, pull_number, pull_url, branch, revision, opened_at)
       values ($1, $2, 7, 'https://github.com/acme/Beta/pull/7', 'shipgate-workflow-update-x', $3, $4)`,
      [orgId, id, revision, AT],
    );
    expect((await summary('Beta')).workflow).toMatchObject({
      status: 'PR_OPEN',
      prNumber: 7,
      prUrl: 'https://github.com/acme/Beta/pull/7',
    });
  });

  it('names the pull request of its bootstrap until that is closed without a merge', async () => {
    const [id, prUrl] = [idOf.get('Beta'), 'https://github.com/acme/Beta/pull/3'];
    await rows.write('update repository_setup set pull_number = 3, pull_url = $2 where repository_id = $1', [
      id,
      prUrl,
    ]);
    for (const step of ['pr_open', 'merged', 'complete']) {
      await rows.write('update repository_setup set step = $2 where repository_id = $1', [id, step]);
      expect((await summary('Beta')).setup).toEqual({ prNumber: 3, prUrl, tokenNeeded: false });
    }
    await rows.write(`update repository_setup set step = 'closed' where repository_id = $1`, [id]);
    expect((await summary('Beta')).setup).toEqual({ prNumber: null, prUrl: null, tokenNeeded: false });
    await rows.write(`update repository_setup set step = 'complete' where repository_id = $1`, [id]);
  });

  it('is returned by its id as it is in the list', async () => {
    for (const listed of await whole('')) {
      expect(await reader.get(`/api/repos/${listed.id}`)).toMatchObject({ status: 200, body: listed });
    }
  });

  it('is not returned by its id to users who cannot read it, in another workspace, or by an invalid id', async () => {
    const privateId = idOf.get('hushed')!;
    const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(elsewhere);
    const eve = await signIn(env, env.github.createUser({ login: 'eve' }), { role: 'admin', organization: elsewhere });
    const refused = await outsider.get(`/api/repos/${randomUUID()}`);
    expect(refused).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    expect(await outsider.get(`/api/repos/${privateId}`)).toMatchObject({ status: 404, body: refused.body });
    expect(await eve.get(`/api/repos/${idOf.get('alpha')!}`)).toMatchObject({ status: 404, body: refused.body });
    expect(await reader.get('/api/repos/alpha')).toMatchObject({ status: 404, body: refused.body });
  });

  it('names its changed files and the tampering issue', async () => {
    const id = idOf.get('gamma');
    const path = '.github/workflows/shipgate-enforce.yml';
    for (const branch of ['main', 'release/v1.0.0']) {
      await rows.write(
        `insert into watched_branch (org_id, repository_id, branch, trunk, head_sha, paths, intact_heads, looked_at)
         values ($1, $2, $3, true, $4, $5, '{}', $6)`,
        [orgId, id, branch, 'a'.repeat(40), [path], AT],
      );
      await rows.write(
        `insert into tampered_file (org_id, repository_id, branch, path, since) values ($1, $2, $3, $4, $5)`,
        [orgId, id, branch, path, AT],
      );
    }
    await rows.write(
      `insert into tampering_issue (org_id, repository_id, path, number, url, told)
       values ($1, $2, $3, 9, 'https://github.com/acme/gamma/issues/9', 'x')`,
      [orgId, id, path],
    );
    expect((await summary('gamma')).integrity).toEqual({
      status: 'tampered',
      files: [
        { path, branch: 'main' },
        { path, branch: 'release/v1.0.0' },
      ],
      issueUrl: 'https://github.com/acme/gamma/issues/9',
      since: AT,
    });
  });

  it('remains in the list after its removal, and is marked as removed', async () => {
    await rows.write('update repository set removed_at = $2 where id = $1', [idOf.get('gamma'), AT]);
    expect(await summary('gamma')).toMatchObject({ setupState: 'REMOVED' });
    await rows.write('update repository set removed_at = null where id = $1', [idOf.get('gamma')]);
  });
});

describe('a filter of the repositories', () => {
  /** Gives each repository another state. */
  beforeAll(async () => {
    await rows.write('delete from repository_setup');
    await rows.write('update repository set managed_at = null');
    await rows.write('update repository set managed_at = $2 where id = $1', [idOf.get('Beta'), AT]);
    await rows.write('update repository set removed_at = $2 where id = $1', [idOf.get('gamma'), AT]);
    await rows.write(
      `insert into repository_setup (org_id, repository_id, attempt, step, requested_by, begun_at, took_place, changed_at)
       values ($1, $2, $3, 'pr_open', 1, $4, true, $4)`,
      [orgId, idOf.get('hushed'), randomUUID(), AT],
    );
  });
  afterAll(async () => {
    await rows.write('update repository set removed_at = null');
    await rows.write('delete from repository_setup');
  });

  it.each([
    ['NOT_STARTED', ['alpha']],
    ['LEGACY', ['Beta']],
    ['REMOVED', ['gamma']],
    ['PR_OPEN', ['hushed']],
    ['COMPLETE', []],
    ['SUSPENDED', []],
  ])('returns those in the state %s, on pages and in the whole list', async (state, names) => {
    expect(namesOf(await whole(`?setupState=${state}`))).toEqual(names);
    const { groups, pagination } = await paged(`setupState=${state}&page=1`);
    expect([namesOf(groups[0]?.repos ?? []), pagination['total']]).toEqual([names, names.length]);
    expect((await whole(`?setupState=${state}`)).every(({ setupState }) => setupState === state)).toBe(true);
  });

  it('applies together with the search', async () => {
    expect(namesOf(await whole('?setupState=LEGACY&search=be'))).toEqual(['Beta']);
    expect(namesOf(await whole('?setupState=LEGACY&search=alpha'))).toEqual([]);
  });

  it('does not change the counts of the states, which follow the search', async () => {
    const counts = { NOT_STARTED: 1, LEGACY: 1, REMOVED: 1, PR_OPEN: 1, COMPLETE: 0, MERGED: 0, SUSPENDED: 0 };
    expect((await paged('page=1')).counts).toMatchObject(counts);
    expect((await paged('page=2&setupState=LEGACY')).counts).toMatchObject(counts);
    expect((await paged('page=1&attention=true')).counts).toMatchObject(counts);
    expect((await paged('page=1&search=alpha')).counts).toMatchObject({ NOT_STARTED: 1, LEGACY: 0, REMOVED: 0 });
  });

  it('neither counts nor returns private repositories that the user cannot read', async () => {
    expect((await paged('page=1', outsider)).counts).toMatchObject({ PR_OPEN: 0, NOT_STARTED: 1 });
    expect(await whole('?setupState=PR_OPEN', outsider)).toEqual([]);
  });

  it('returns those that have a warning', async () => {
    const { body } = await reader.get('/api/config/repo-warnings');
    const warned = new Set((body['warnings'] as readonly { readonly repo: string }[]).map(({ repo }) => repo));
    expect(warned.size).toBeGreaterThan(0);
    expect(new Set(namesOf(await whole('?attention=true')))).toEqual(warned);
    const { groups, pagination } = await paged('page=1&attention=true');
    expect([namesOf(groups[0]?.repos ?? []).length, pagination['total']]).toEqual([warned.size, warned.size]);
    expect(namesOf(await whole('?attention=false'))).toHaveLength(4);
  });
});

describe('a page of repositories', () => {
  const requested = (): number => env.exchanges.length;

  it('refreshes nothing that is fresh', async () => {
    await env.waitUntilIdle();
    const before = requested();
    await paged('page=1');
    await env.waitUntilIdle();
    expect(requested()).toBe(before);
  });

  it('enqueues one sync of the workspace when its data is older than the lifetime of facts', async () => {
    await env.waitUntilIdle();
    env.clock.advance(14 * 60_000);
    await paged('page=1');
    await env.waitUntilIdle();
    const young = requested();
    await rows.write(`update repository_sync set synced_at = $1`, [
      new Date(env.clock.now().getTime() - 20 * 60_000 - 1_000),
    ]);
    await paged('page=1');
    await env.waitUntilIdle();
    const old = requested();
    expect(old).toBeGreaterThan(young);
    await rows.write(`update repository_sync set synced_at = null`);
    await paged('page=1');
    await reader.get(`/api/repos/${idOf.get('alpha')!}`);
    await env.waitUntilIdle();
    expect(requested()).toBe(old);
    env.clock.advance(6 * 60_000);
    await rows.write(`update repository_sync set synced_at = null`);
    await reader.get(`/api/repos/${idOf.get('alpha')!}`);
    await env.waitUntilIdle();
    expect(requested()).toBeGreaterThan(old);
  });
});
