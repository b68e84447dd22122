import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestWorkspaceDatabase } from '../../../test/support/test-workspace-database.js';
import type { ListedRelease, WorkspaceRows } from '../../../test/support/workspace-rows.js';
import { NO_USER_ID, type TenantTransaction } from '../../database/database.js';
import { ReleaseSummariesQueries } from '../releases/lists/release-summaries.queries.js';
import type { ProjectDto } from './projects.dto.js';
import { ProjectsQueries, type ProjectFilter } from './projects.queries.js';
import { ProjectsRepository } from './projects.repository.js';

const NOW = new Date('2026-05-04T12:00:00Z');
const READER = 4711;
const freezes = new ReleaseSummariesQueries({ githubUrl: 'https://github.com' });
const summaries = new ProjectsQueries();
const projects = new ProjectsRepository();

let listed: TestWorkspaceDatabase;
let rows: WorkspaceRows;

beforeAll(async () => {
  listed = await TestWorkspaceDatabase.open();
  rows = await listed.workspace('Acme');
  await rows.write(
    `insert into member (org_id, person, role, joined_at, confirmed_at) values ($1, $2, 'member', now(), now())`,
    [rows.orgId, READER],
  );
});
beforeEach(async () => {
  await rows.write('delete from project');
  await rows.write(`delete from observation`);
  await rows.write(`delete from deployment_freeze`);
});
afterAll(() => listed.close());

async function project(name: string, { description = null as string | null, at = NOW } = {}): Promise<string> {
  const id = randomUUID();
  await listed.database.inTenant(rows.orgId, (tx) =>
    projects.create(tx, id, { name, description, targetDate: null }, at),
  );
  return id;
}
const link = (projectId: string, repositoryId: string, releaseId: string | null): Promise<boolean> =>
  listed.database.inTenant(rows.orgId, (tx) => projects.upsertLink(tx, { projectId, repositoryId, releaseId }));
const asUser = <T>(userId: number, work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
  listed.database.asViewer({ orgId: rows.orgId, userId }, work);
const show = (ids: readonly string[], userId = READER, now = NOW): Promise<readonly ProjectDto[]> =>
  asUser(userId, async (tx) => summaries.list(tx, ids, { freezes: await freezes.listActiveFreezes(tx, now), now }));
const only = async (id: string, userId = READER, now = NOW): Promise<ProjectDto> => {
  const [visible] = await show([id], userId, now);
  if (!visible) throw new Error('there is no such project');
  return visible;
};
const find = (filter: Partial<ProjectFilter>, userId = READER): Promise<readonly string[]> =>
  asUser(userId, async (tx) => (await summaries.find(tx, { org: null, search: null, ...filter }, null)).ids);

/** Creates a project with one new release of a new repository. */
async function withRelease(release: Omit<ListedRelease, 'repositoryId' | 'version'>): Promise<{
  readonly projectId: string;
  readonly repositoryId: string;
}> {
  const name = randomUUID();
  const [projectId, repositoryId] = [await project(name), await rows.repository(name)];
  await link(projectId, repositoryId, await rows.release({ repositoryId, version: 'v1.0.0', ...release }));
  return { projectId, repositoryId };
}

const READY = { stage: 'DEPLOYMENT', openUntil: 'infinity', validUntil: '2026-05-04T12:00:01Z' };

describe('the outcome of a release in a project', () => {
  it.each([
    ['ready_to_deploy', READY],
    ['in_progress', { ...READY, openUntil: null }],
    ['in_progress', { stage: 'TESTING' }],
    ['needs_approval', { stage: 'EVIDENCING' }],
    ['blocked', { ...READY, blocked: true }],
    [null, { stage: 'DEPLOYED', shippedAt: '2026-05-01T00:00:00Z' }],
    [null, { ...READY, cancelledAt: '2026-05-01T00:00:00Z' }],
  ] as const)('is %s of %p', async (outcome, release) => {
    const { repos, outcome: together, counts } = await only((await withRelease(release)).projectId);
    expect(repos).toMatchObject([{ release: { version: 'v1.0.0', stage: release.stage, outcome } }]);
    expect([together, counts.all]).toEqual([outcome, outcome === null ? 0 : 1]);
    if (outcome !== null) expect(counts[outcome]).toBe(1);
  });

  it.each([
    ['when its facts expire', READY, '2026-05-04T12:00:01.000Z'],
    ['when its gate closes first', { ...READY, openUntil: '2026-05-04T12:00:00.500Z' }, '2026-05-04T12:00:00.500Z'],
    ['at no known time without a valid verdict', { ...READY, validUntil: '-infinity' }, null],
    ['never when it is shipped', { ...READY, stage: 'DEPLOYED', shippedAt: '2026-05-01T00:00:00Z' }, null],
    ['never when it is cancelled', { ...READY, cancelledAt: '2026-05-01T00:00:00Z' }, null],
  ] as const)('may change %s', async (_, release, until) => {
    const { repos } = await only((await withRelease(release)).projectId);
    expect(repos[0]?.release?.validUntil?.toISOString() ?? null).toBe(until);
  });

  it.each([
    ['one second before its facts expire', '2026-05-04T12:00:00Z', 'ready_to_deploy'],
    ['at the time when they expire', '2026-05-04T12:00:01Z', 'in_progress'],
    ['one second later', '2026-05-04T12:00:02Z', 'in_progress'],
  ])('depends, %s, on whether its facts are fresh', async (_, at, outcome) => {
    const { projectId } = await withRelease(READY);
    expect((await only(projectId, READER, new Date(at))).outcome).toBe(outcome);
  });

  it.each([
    ['the last moment of the day before', '2026-12-19T23:59:59.999Z', 'in_progress'],
    ['the first of the first day', '2026-12-20T00:00:00.000Z', 'blocked'],
    ['the last of the last day', '2026-12-31T23:59:59.999Z', 'blocked'],
    ['the first of the day after', '2027-01-01T00:00:00.000Z', 'in_progress'],
  ])('follows the days of a freeze in UTC, at %s', async (_, at, outcome) => {
    const day = { from: '2026-12-20', to: '2026-12-31', reason: 'year end' };
    const byPolicy = await withRelease({ stage: 'TESTING' });
    await rows.policy(byPolicy.repositoryId, [day]);
    expect((await only(byPolicy.projectId, READER, new Date(at))).outcome).toBe(outcome);
    const byAdmin = await withRelease({ stage: 'TESTING' });
    expect((await only(byAdmin.projectId, READER, new Date(at))).outcome).toBe('in_progress');
    await rows.write(
      `insert into deployment_freeze (org_id, id, from_day, to_day, reason, made_by, made_at)
       values ($1, $2, $3, $4, $5, 1, '2026-01-01')`,
      [rows.orgId, randomUUID(), day.from, day.to, day.reason],
    );
    expect((await only(byAdmin.projectId, READER, new Date(at))).outcome).toBe(outcome);
  });

  it('is the worst outcome of all releases for the project', async () => {
    const id = await project('all');
    const releases = { a: READY, b: { stage: 'EVIDENCING' }, c: { stage: 'PLANNING' }, d: READY };
    for (const [name, release] of Object.entries(releases)) {
      const repositoryId = await rows.repository(name);
      await link(id, repositoryId, await rows.release({ repositoryId, version: 'v2.0.0', ...release }));
    }
    await link(id, await rows.repository('without'), null);
    const visible = await only(id);
    expect(visible.repos.map(({ repo, release }) => [repo, release?.outcome ?? null])).toEqual([
      ['a', 'ready_to_deploy'],
      ['b', 'needs_approval'],
      ['c', 'in_progress'],
      ['d', 'ready_to_deploy'],
      ['without', null],
    ]);
    expect(visible.outcome).toBe('needs_approval');
    expect(visible.counts).toEqual({ all: 4, blocked: 0, needs_approval: 1, ready_to_deploy: 2, in_progress: 1 });
  });
});

describe('a repository that changes', () => {
  it('remains in the project after it was removed', async () => {
    const { projectId, repositoryId } = await withRelease({ ...READY, blocked: true });
    await rows.write('update repository set removed_at = $2 where id = $1', [repositoryId, NOW]);
    expect(await only(projectId)).toMatchObject({ repos: [{ repoId: repositoryId }], outcome: 'blocked' });
  });

  it('has no release in the project while the milestone of the release is deleted', async () => {
    const { projectId, repositoryId } = await withRelease({ ...READY, deletedAt: '2026-05-01T00:00:00Z' });
    expect(await only(projectId)).toMatchObject({
      repos: [{ repoId: repositoryId, release: null }],
      outcome: null,
      counts: { all: 0 },
    });
    expect(await find({ search: 'v1.0.0' })).toEqual([]);
    await rows.write('update release set deleted_at = null where repository_id = $1', [repositoryId]);
    expect(await only(projectId)).toMatchObject({ repos: [{ release: { version: 'v1.0.0' } }], counts: { all: 1 } });
  });
});

describe('a repository that the user cannot read', () => {
  it('is not in a project, an outcome, a count or a search', async () => {
    const id = await project('mixed');
    const open = await rows.repository('open-part');
    const secret = await rows.repository('secret-part', { isPrivate: true, githubId: 99_000 });
    await link(id, open, await rows.release({ repositoryId: open, version: 'v3.0.0', ...READY }));
    await link(id, secret, await rows.release({ repositoryId: secret, version: 'v4.0.0', blocked: true }));
    await rows.write(`insert into repository_access (org_id, person, repository_github_id) values ($1, $2, 99000)`, [
      rows.orgId,
      READER,
    ]);
    expect(await only(id)).toMatchObject({ outcome: 'blocked', counts: { all: 2, blocked: 1 } });
    const hidden = await only(id, NO_USER_ID);
    expect(hidden).toMatchObject({ outcome: 'ready_to_deploy', counts: { all: 1, blocked: 0 } });
    expect(hidden.repos.map(({ repo }) => repo)).toEqual(['open-part']);
    for (const search of ['secret', 'acme/secret-part', 'v4']) {
      expect([search, await find({ search }), await find({ search }, NO_USER_ID)]).toEqual([search, [id], []]);
    }
  });
});

describe('a search', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['CHECKOUT', ['Checkout']],
    ['café', ['Checkout']],
    ['CAFE\u0301', ['Checkout']],
    ['50%', ['Rebate']],
    ['%', ['Rebate']],
    ['_', ['Rebate']],
    ['\\', ['Rebate']],
    ["'", ['Rebate']],
    ['"', ['Rebate']],
    ['שלום', ['שלום']],
    ['🚀', ['Checkout']],
    ['🚀'.repeat(200), []],
    ['shop-front', ['Checkout']],
    ['acme/SHOP', ['Checkout']],
    ['acme', []],
    ['V7.7', ['Checkout']],
    ['nothing', []],
  ];

  it('finds a project by its name, its description and its repositories and releases', async () => {
    const created = new Map([
      [await project('Checkout', { description: 'For the Café 🚀' }), 'Checkout'],
      [await project('Rebate', { description: `50%_\\'"` }), 'Rebate'],
      [await project('שלום'), 'שלום'],
    ]);
    const repositoryId = await rows.repository('Shop-Front');
    const [checkout = ''] = created.keys();
    await link(checkout, repositoryId, await rows.release({ repositoryId, version: 'v7.7.0' }));
    for (const [search, names] of cases) {
      expect([search, (await find({ search })).map((id) => created.get(id))]).toEqual([search, names]);
    }
  });

  it('can be limited to an organization, ignoring case', async () => {
    const id = await project('only');
    expect(await find({ org: 'ACME' })).toEqual([id]);
    expect(await find({ org: 'acme', search: 'only' })).toEqual([id]);
    expect(await find({ org: 'elsewhere' })).toEqual([]);
  });
});

describe('releases with stale facts', () => {
  const aged = (projectIds: readonly string[]): Promise<readonly string[]> =>
    asUser(READER, async (tx) => {
      const surroundings = { freezes: await freezes.listActiveFreezes(tx, NOW), now: NOW };
      return (await summaries.listDated(tx, projectIds, surroundings)).staleReleaseIds;
    });

  it('are only active ones, with the oldest verdict first', async () => {
    const id = await project('aged');
    const repositoryOf = new Map<string, string>();
    const add = async (release: Omit<ListedRelease, 'repositoryId' | 'version'>): Promise<string> => {
      const repositoryId = await rows.repository(randomUUID());
      const releaseId = await rows.release({ repositoryId, version: 'v1.0.0', ...release });
      await link(id, repositoryId, releaseId);
      repositoryOf.set(releaseId, repositoryId);
      return releaseId;
    };
    await add({ validUntil: '2026-05-04T12:00:01Z' });
    await add({ shippedAt: '2026-05-01T00:00:00Z' });
    await add({ cancelledAt: '2026-05-01T00:00:00Z' });
    await add({ deletedAt: '2026-05-01T00:00:00Z' });
    const later = await add({ validUntil: '2026-05-04T12:00:00Z', evaluatedAt: '2026-05-04T11:00:00Z' });
    const earlier = await add({ evaluatedAt: '2026-05-04T10:00:00Z' });
    const never = await add({ evaluatedAt: null });
    expect(await aged([id])).toEqual([never, earlier, later]);
    expect(await aged([])).toEqual([]);
    // Another project contains two of them too, and one of its own.
    const other = await project('aged too');
    for (const releaseId of [later, never]) await link(other, repositoryOf.get(releaseId) ?? '', releaseId);
    const repositoryId = await rows.repository(randomUUID());
    const own = await rows.release({ repositoryId, version: 'v1.0.0', evaluatedAt: '2026-05-04T10:30:00Z' });
    await link(other, repositoryId, own);
    expect(await aged([id, other])).toEqual([never, earlier, own, later]);
    expect(await aged([other])).toEqual([never, own, later]);
  });

  it('are at most one page', async () => {
    const id = await project('many');
    for (let created = 0; created < 51; created += 1) {
      const repositoryId = await rows.repository(`many-${created}`);
      await link(id, repositoryId, await rows.release({ repositoryId, version: 'v1.0.0' }));
    }
    expect(await aged([id])).toHaveLength(50);
  });
});
