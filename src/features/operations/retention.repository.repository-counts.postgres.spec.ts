import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { TestWorkspaceDatabase } from '../../../test/support/test-workspace-database.js';
import type { WorkspaceRows } from '../../../test/support/workspace-rows.js';
import { STAGES } from '../../domain/facts/condition.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import { RetentionRepository } from './retention.repository.js';

let listed: TestWorkspaceDatabase;
let rows: WorkspaceRows;
let repository: RetentionRepository;
let repositories: readonly string[];

beforeAll(async () => {
  listed = await TestWorkspaceDatabase.open();
  rows = await listed.workspace('Acme');
  repository = new RetentionRepository(listed.database, new WorkspacesQueries(listed.database));
  repositories = [await rows.repository('one'), await rows.repository('two')];
});
afterAll(() => listed.close());

const COUNTED = `
  select repository_id, count(*) filter (where active and list_status = 'b')::integer as blocked,
    count(*) filter (where active and list_status = 'a')::integer as awaiting,
    count(*) filter (where active and list_status = 'p')::integer as passing,
    count(evidence_at)::integer as evidenced, 0 as recorded
  from (select *, shipped_at is null and cancelled_at is null and deleted_at is null as active from release) as release
  group by repository_id
  union all
  select repository_id, 0, 0, 0, 0, count(*)::integer from deployment_record group by repository_id`;

/** Returns the counts of each repository that has any: the sums of the count table, or the numbers of the rows themselves. */
const sums = (of: 'repository_count_change' | typeof COUNTED): Promise<readonly object[]> =>
  listed.database.inTenant(rows.orgId, (tx) =>
    tx.query(
      `select * from (
         select repository_id, sum(blocked)::integer as blocked, sum(awaiting)::integer as awaiting,
           sum(passing)::integer as passing, sum(evidenced)::integer as evidenced, sum(recorded)::integer as recorded
         from (${of === 'repository_count_change' ? 'select * from repository_count_change' : of}) as each group by repository_id) as summed
       where (blocked, awaiting, passing, evidenced, recorded) <> (0, 0, 0, 0, 0) order by repository_id`,
    ),
  );

const countRows = async (): Promise<number> => {
  const [row] = await listed.database.inTenant(rows.orgId, (tx) =>
    tx.query<{ readonly rows: number }>('select count(*)::integer as rows from repository_count_change'),
  );
  return row?.rows ?? 0;
};

const AT = '2026-05-04T12:00:00Z';
const stage = fc.constantFrom(...STAGES);
const time = fc.constantFrom(null, AT);
const index = fc.nat();
const anyStep = fc.oneof(
  fc.record({ does: fc.constant('add' as const), index, stage, blocked: fc.boolean(), shippedAt: time }),
  fc.record({
    does: fc.constant('change' as const),
    index,
    stage,
    blocked: fc.boolean(),
    shippedAt: time,
    cancelledAt: time,
    deletedAt: time,
    evidenceAt: time,
  }),
  fc.record({ does: fc.constantFrom('remove' as const, 'record' as const, 'fold' as const), index }),
);
type Step = typeof anyStep extends fc.Arbitrary<infer Of> ? Of : never;

let versions = 0;

async function runStep(step: Step): Promise<void> {
  const repositoryId = repositories[step.index % repositories.length] ?? '';
  switch (step.does) {
    case 'add':
      await rows.release({ ...step, repositoryId, version: `v1.${(versions += 1)}.0` });
      return;
    case 'change':
      await rows.write(
        `update release set stage = $2, blocked = $3, shipped_at = $4, cancelled_at = $5, deleted_at = $6, evidence_at = $7
         where id = (select id from release order by id offset $1 % greatest((select count(*) from release), 1) limit 1)`,
        [step.index, step.stage, step.blocked, step.shippedAt, step.cancelledAt, step.deletedAt, step.evidenceAt],
      );
      return;
    case 'remove':
      await rows.write(
        `delete from release
         where id = (select id from release order by id offset $1 % greatest((select count(*) from release), 1) limit 1)`,
        [step.index],
      );
      return;
    case 'record':
      await rows.write(
        `insert into deployment_record (org_id, id, repository_id, version, kind, commit_sha, environment, deployed_at,
           approvers, recorded_at)
         values ($1, gen_random_uuid(), $2, 'v1.0.0', 'release', repeat('a', 40), 'production', $3, '[]', $3)`,
        [rows.orgId, repositoryId, AT],
      );
      return;
    case 'fold':
      await repository.compactCounts();
  }
}

describe('the counts of repositories', () => {
  it('equal the number of rows after any writes and compactions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 25 }), async (steps) => {
        for (const step of steps) await runStep(step);
        expect(await sums('repository_count_change')).toEqual(await sums(COUNTED));
      }),
      { numRuns: 25 },
    );
    expect(await sums(COUNTED)).not.toEqual([]);
  });

  it('contain nothing of a transaction that was rolled back', async () => {
    const before = await sums('repository_count_change');
    const undone = rows.within(async (tx) => {
      await tx.query('update release set blocked = not blocked');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await sums('repository_count_change')).toEqual(before);
  });

  it('get no row for a change that does not affect a count', async () => {
    await rows.release({ repositoryId: repositories[0] ?? '', version: 'v2.0.0' });
    const before = await countRows();
    await rows.write(`update release set title = 'Renamed', open_until = $1, valid_until = $1`, [AT]);
    expect(await countRows()).toBe(before);
  });

  it('do not delay a change of a release because of a change of another one or a compaction', async () => {
    const [repositoryId = ''] = repositories;
    const [first, second, third] = [
      await rows.release({ repositoryId, version: 'v3.0.0' }),
      await rows.release({ repositoryId, version: 'v3.1.0' }),
      await rows.release({ repositoryId, version: 'v3.2.0' }),
    ];
    const block = (id: string): Promise<void> =>
      rows.within(async (tx) => {
        await tx.query(`set local lock_timeout = '1s'`);
        await tx.query('update release set blocked = true where id = $1', [id]);
      });
    await rows.within(async (tx) => {
      await tx.query('update release set blocked = true where id = $1', [first]);
      await block(second);
      await repository.compactCounts();
      await block(third);
    });
    expect(await sums('repository_count_change')).toEqual(await sums(COUNTED));
  });

  it('are one row for each repository after a compaction', async () => {
    await rows.write('update release set blocked = not blocked');
    const before = await sums('repository_count_change');
    expect(await countRows()).toBeGreaterThan(repositories.length);
    await repository.compactCounts();
    expect(await countRows()).toBe(repositories.length);
    expect(await sums('repository_count_change')).toEqual(before);
  });

  it('lose and duplicate nothing if they are compacted twice at once', async () => {
    await rows.write('update release set blocked = not blocked');
    await Promise.all([repository.compactCounts(), repository.compactCounts(), repository.compactCounts()]);
    expect(await sums('repository_count_change')).toEqual(await sums(COUNTED));
  });
});
