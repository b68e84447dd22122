import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TestWorkspaceDatabase } from '../../../../test/support/test-workspace-database.js';
import type { WorkspaceRows } from '../../../../test/support/workspace-rows.js';
import { STAGES, type Stage } from '../../../domain/facts/condition.js';
import { type Outcome, OUTCOMES, releaseOutcome, type ReleaseOrder } from '../../../domain/release/outcome.js';
import { type ReleaseFilter, ReleaseSearchQueries } from './release-search.queries.js';
import { ReleaseSummariesQueries } from './release-summaries.queries.js';

const NOW = new Date('2026-05-04T12:00:00Z');
const summaries = new ReleaseSummariesQueries({ githubUrl: 'https://github.com' });
const active = new ReleaseSearchQueries(summaries);

let listed: TestWorkspaceDatabase;
let rows: WorkspaceRows;

beforeAll(async () => {
  listed = await TestWorkspaceDatabase.open();
  rows = await listed.workspace('Acme');
});
afterAll(() => listed.close());

type Found = Awaited<ReturnType<typeof find>>;

const find = (
  { search = null, outcome = null, order = 'updated' }: Readonly<Partial<ReleaseFilter>> = {},
  now = NOW,
): ReturnType<typeof active.findActive> =>
  listed.database.inTenant(rows.orgId, async (tx) =>
    active.findActive(tx, { search, outcome, order }, null, {
      freezes: await summaries.listActiveFreezes(tx, now),
      now,
    }),
  );

/**
 * Reads all pages of 7 releases, and one after the last. Together they must be equal to the whole list. Only what is frozen takes more than
 * one statement.
 */
async function expectPages(
  found: Found,
  {
    search = null,
    outcome = null,
    order = 'updated',
    frozen = false,
  }: Readonly<Partial<ReleaseFilter>> & { frozen?: boolean } = {},
): Promise<void> {
  for (let page = 1; page <= Math.ceil(found.releases.length / 7) + 1; page += 1) {
    const ids = found.releases.slice((page - 1) * 7, page * 7);
    await listed.database.inTenant(rows.orgId, async (tx) => {
      const statements = jest.spyOn(tx, 'queryPrepared');
      const read = await active.readActivePage(tx, { search, outcome, order }, { page, pageSize: 7 }, NOW);
      expect(statements.mock.calls.length > 1).toBe(frozen);
      expect(read.releases.map(({ summary }) => summary)).toEqual(await summaries.list(tx, ids, NOW));
      expect(read.releases.map(({ summary }) => summary.milestoneId)).toEqual(ids);
      expect(read.counts).toEqual(found.counts);
    });
  }
}

const TIMES = ['-infinity', '2026-05-04T11:59:59Z', '2026-05-04T12:00:00Z', '2026-05-04T12:00:01Z', 'infinity'];
const asNumber = (time: string): number =>
  ({ '-infinity': Number.NEGATIVE_INFINITY, infinity: Number.POSITIVE_INFINITY })[time] ?? Date.parse(time);

describe('the outcome in SQL', () => {
  it('equals the outcome in the domain, in all combinations', async () => {
    const [open, frozen] = [await rows.repository('open'), await rows.repository('frozen')];
    await rows.policy(open, [{ from: '2026-05-05', to: '2026-05-05', reason: 'tomorrow' }]);
    await rows.policy(frozen, [{ from: '2026-05-01', to: '2026-05-04', reason: 'launch' }]);
    const expected = new Map<string, Outcome>();
    let version = 0;
    const add = async (repositoryId: string, stage: Stage, blocked: boolean, times: readonly (string | null)[]) => {
      const [openUntil = null, validUntil = '-infinity'] = times;
      const given = { repositoryId, version: `v1.${(version += 1)}.0`, stage, blocked, openUntil };
      const id = await rows.release({ ...given, validUntil: validUntil ?? '-infinity' });
      const readyUntil = openUntil === null ? null : Math.min(asNumber(openUntil), asNumber(validUntil ?? '-infinity'));
      const outcome = releaseOutcome({ stage, blocked, frozen: repositoryId === frozen, readyUntil, now: NOW });
      expected.set(id, outcome);
    };
    for (const repositoryId of [open, frozen])
      for (const stage of STAGES)
        for (const blocked of [false, true])
          for (const openUntil of [null, ...TIMES])
            for (const validUntil of TIMES) await add(repositoryId, stage, blocked, [openUntil, validUntil]);

    const all = await find();
    expect(new Set(all.releases)).toEqual(new Set(expected.keys()));
    for (const outcome of OUTCOMES) {
      const expectedIds = [...expected].filter(([, of]) => of === outcome).map(([id]) => id);
      expect(expectedIds.length).toBeGreaterThan(0);
      const found = await find({ outcome });
      expect(new Set(found.releases)).toEqual(new Set(expectedIds));
      expect(found.counts).toEqual(all.counts);
      expect(all.counts[outcome]).toBe(expectedIds.length);
      await expectPages(found, { outcome, frozen: true });
    }
    await expectPages(all, { frozen: true });
    const { all: total, ...each } = all.counts;
    expect(Object.values(each).reduce((sum, count) => sum + count, 0)).toBe(total);

    await rows.write(`delete from observation where repository_id = '${frozen}'`);
    const unfrozen = await find();
    expect(unfrozen.counts.blocked).toBeLessThan(all.counts.blocked);
    await expectPages(unfrozen);
    for (const outcome of OUTCOMES) await expectPages(await find({ outcome }), { outcome });
    await rows.write('delete from release');
  });

  it('does not list a release as ready when its facts expired one second ago', async () => {
    const repositoryId = await rows.repository('ageing');
    const until = '2026-05-04T12:20:00Z';
    await rows.release({ repositoryId, version: 'v1.0.0', openUntil: until, validUntil: until });
    const at = (ms: number): Promise<Found> => find({}, new Date(Date.parse(until) + ms));
    expect((await at(-1)).counts).toMatchObject({ ready_to_deploy: 1, in_progress: 0 });
    expect((await at(0)).counts).toMatchObject({ ready_to_deploy: 0, in_progress: 1 });
    expect((await at(1_000)).counts).toMatchObject({ ready_to_deploy: 0, in_progress: 1 });
    await rows.write('delete from release');
  });

  it('is "blocked" by a freeze of the whole workspace, unless the freeze is waived', async () => {
    const repositoryId = await rows.repository('whole');
    await rows.release({ repositoryId, version: 'v1.0.0', stage: 'PLANNING', validUntil: 'infinity' });
    await rows.release({ repositoryId, version: 'v2.0.0', openUntil: 'infinity', validUntil: 'infinity' });
    const freeze = (from: string, to: string, lifted: string | null): Promise<void> =>
      rows.write(
        `insert into deployment_freeze (org_id, id, from_day, to_day, reason, made_at, made_by, lifted_at, lifted_by)
         values ($1, gen_random_uuid(), $2, $3, 'launch', '2026-05-01', 1, $4::timestamptz, case when $4::timestamptz is not null then 1 end)`,
        [rows.orgId, from, to, lifted],
      );
    await freeze('2026-05-05', '2026-05-06', null);
    await freeze('2026-05-01', '2026-05-06', '2026-05-02T00:00:00Z');
    const unfrozen = await find();
    expect(unfrozen.counts).toMatchObject({ blocked: 0, in_progress: 1, ready_to_deploy: 1 });
    await expectPages(unfrozen);
    await freeze('2026-05-04', '2026-05-04', null);
    expect((await find()).counts).toMatchObject({ blocked: 1, in_progress: 0, ready_to_deploy: 1 });
    const blocked = await find({ outcome: 'blocked' });
    expect(blocked.releases).toHaveLength(1);
    await expectPages(blocked, { outcome: 'blocked', frozen: true });
    await rows.write('delete from release');
    await rows.write('delete from deployment_freeze');
  });

  it.each(['shippedAt', 'cancelledAt', 'deletedAt'])('does not count a release with %s', async (time) => {
    const repositoryId = await rows.repository(`gone-${time}`);
    await rows.release({ repositoryId, version: 'v1.0.0', [time]: NOW.toISOString() });
    const none = await find();
    expect(none.counts.all).toBe(0);
    await expectPages(none);
    await rows.write('delete from release');
  });
});

describe('the search', () => {
  const names = ['Payments', 'pay_ments', 'pay%', 'a.b', "o'brien"];
  const found = async (search: string): Promise<readonly string[]> => {
    const matching = await find({ search });
    expect(matching.counts.all).toBe(matching.releases.length);
    await expectPages(matching, { search });
    const read = await listed.database.inTenant(rows.orgId, (tx) =>
      tx.query<{ name: string }>(
        `select r.name || ' ' || l.version as name from release l join repository r on r.id = l.repository_id
         where l.id = any($1::uuid[]) order by 1`,
        [matching.releases],
      ),
    );
    return read.map(({ name }) => name);
  };

  beforeAll(async () => {
    for (const [index, name] of names.entries()) {
      await rows.release({ repositoryId: await rows.repository(name), version: `v1.${index}.0-RC.1` });
    }
  });

  it.each<[string, readonly number[]]>([
    ['payments', [0]],
    ['PAYMENTS', [0]],
    ['pay', [0, 1, 2]],
    ['%', [2]],
    ['_', [1]],
    ['y_m', [1]],
    ['\\', []],
    ["'", [4]],
    ['"', []],
    ['"; drop table release; --', []],
    ['a.b', [3]],
    ['axb', []],
    ['rc.1', [0, 1, 2, 3, 4]],
    ['V1.2', [2]],
    ['acme', []],
    ['acme/', [0, 1, 2, 3, 4]],
    ['ACME/PAY', [0, 1, 2]],
    ['acme/payments/', []],
    ['/payments', [0]],
    ['payments v1.0', [0]],
    ['PAY V1', [0, 1, 2]],
    ['pay  v1.2', [2]],
    ['pay ', [0, 1, 2]],
    ['pay v1.2 ', [2]],
    ['acme/pay v1.1', [1]],
    ['payments v1.1', []],
    ['payments v1.0 rc', []],
    ['v1.0 payments', []],
    [' pay', []],
    [' ', []],
    ['שלום', []],
    ['\u202Epay', []],
    ['🚀', []],
    ['x'.repeat(200), []],
  ])('finds the expected releases for %j: %j', async (search, indexes) => {
    const expectedIds = indexes.map((index) => `${names[index]} v1.${index}.0-RC.1`).toSorted();
    expect((await found(search)).toSorted()).toEqual(expectedIds);
  });
});

describe('the order', () => {
  it('has blocked and overdue releases first, or that of the due days, the names or the changes', async () => {
    await rows.write('delete from release');
    const [second, first] = [await rows.repository('Zeta'), await rows.repository('alpha')];
    const add = (name: string, repositoryId: string, version: string, more: object): Promise<string> =>
      rows.release({ repositoryId, version, ...more }).then((id) => names.set(id, name) && id);
    const names = new Map<string, string>();
    await add('idle', second, 'v1.9.0', { updatedAt: '2026-05-04T11:00:00Z' });
    await add('late', second, 'v1.10.0', { dueOn: '2026-05-03', updatedAt: '2026-05-04T10:00:00Z' });
    await add('soon', first, 'v2.0.0', { dueOn: '2026-05-06', updatedAt: '2026-05-04T09:00:00Z' });
    await add('blocked', first, 'v1.0.0', { blocked: true, updatedAt: '2026-05-04T08:00:00Z' });
    await add('blocked and late', second, 'v1.0.0', { blocked: true, dueOn: '2026-05-01' });
    const list = async (order: ReleaseOrder, search: string | null = null) => {
      const found = await find({ order, search });
      await expectPages(found, { order, search });
      return found.releases.map((id) => names.get(id));
    };
    expect(await list('urgency')).toEqual(['blocked and late', 'blocked', 'late', 'soon', 'idle']);
    expect(await list('urgency', 'zeta')).toEqual(['blocked and late', 'late', 'idle']);
    expect(await list('due')).toEqual(['blocked and late', 'late', 'soon', 'idle', 'blocked']);
    expect(await list('repository')).toEqual(['soon', 'blocked', 'late', 'idle', 'blocked and late']);
    expect(await list('updated')).toEqual(['idle', 'late', 'soon', 'blocked', 'blocked and late']);
    await rows.write('delete from release');
  });
});

describe('the due day', () => {
  it('is overdue after its end, and names the freeze of the workspace in which it lies', async () => {
    const repositoryId = await rows.repository('due');
    for (const [from, to, reason, lifted] of [
      ['2026-05-10', '2026-05-12', 'fair', null],
      ['2026-05-20', '2026-05-21', 'lifted', '2026-05-02'],
    ])
      await rows.write(
        `insert into deployment_freeze (org_id, id, from_day, to_day, reason, made_at, made_by, lifted_at, lifted_by)
         values ($1, gen_random_uuid(), $2, $3, $4, '2026-05-01', 1, $5::timestamptz, case when $5::timestamptz is not null then 1 end)`,
        [rows.orgId, from, to, reason, lifted],
      );
    const fair = { from: '2026-05-10', to: '2026-05-12', reason: 'fair' };
    const cases: readonly (readonly [dueOn: string | null, more: object, isOverdue: boolean, dueFreeze: unknown])[] = [
      [null, {}, false, null],
      ['2026-05-03T23:59:59Z', {}, true, null],
      ['2026-05-03', { shippedAt: '2026-05-02' }, false, null],
      ['2026-05-03', { cancelledAt: '2026-05-02' }, false, null],
      ['2026-05-04', {}, false, null],
      ['2026-05-09T23:59:59Z', {}, false, null],
      ['2026-05-10', {}, false, fair],
      ['2026-05-12T23:59:59Z', {}, false, fair],
      ['2026-05-12', { cancelledAt: '2026-05-02' }, false, null],
      ['2026-05-13', {}, false, null],
      ['2026-05-20', {}, false, null],
    ];
    for (const [at, [dueOn, more, isOverdue, dueFreeze]] of cases.entries()) {
      const id = await rows.release({ repositoryId, version: `v1.${at}.0`, dueOn, ...more });
      const [summary] = await listed.database.inTenant(rows.orgId, (tx) => summaries.list(tx, [id], NOW));
      expect([dueOn, summary?.isOverdue, summary?.dueFreeze]).toEqual([dueOn, isOverdue, dueFreeze]);
    }
    await expectPages(await find());
    await rows.write('delete from release');
    await rows.write('delete from deployment_freeze');
  });
});
