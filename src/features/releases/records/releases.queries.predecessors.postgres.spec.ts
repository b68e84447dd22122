import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { givenRecord } from '../../../../test/support/history-rows.js';
import { TestWorkspaceDatabase } from '../../../../test/support/test-workspace-database.js';
import type { WorkspaceRows } from '../../../../test/support/workspace-rows.js';
import { NO_USER_ID, type TenantTransaction } from '../../../database/database.js';
import { ReleasesQueries, type ShippedRelease } from './releases.queries.js';
import { ReleasesRepository } from './releases.repository.js';

let predecessors: ReleasesQueries;
const releases = new ReleasesRepository();

let listed: TestWorkspaceDatabase;
let rows: WorkspaceRows;
let repositoryId: string;

beforeAll(async () => {
  listed = await TestWorkspaceDatabase.open();
});
beforeEach(async () => {
  predecessors = new ReleasesQueries(listed.database);
  rows = await listed.workspace('Acme');
  repositoryId = await rows.repository('payments');
});
afterAll(() => listed.close());

interface GivenRelease {
  readonly version: string;
  readonly isShipped?: boolean;
  readonly of?: string;
}

/** Creates a release that, once shipped, covers one line and scores one point for each letter of its version. */
async function release({ version, isShipped = true, of = repositoryId }: GivenRelease): Promise<string> {
  // All of them were reported long after they were deployed.
  const id = await rows.release({ repositoryId: of, version, shippedAt: isShipped ? '2026-06-01T00:00:00Z' : null });
  if (isShipped) {
    await rows.write(
      `update release set shipped = jsonb_build_object('candidateSha', version, 'linePercent', length(version)),
         shipped_scorecard = jsonb_build_object('score', length(version)) where id = $1`,
      [id],
    );
  }
  return id;
}

async function shipped(version: string, deployedAt: string, kind: 'release' | 'hotfix' = 'release'): Promise<string> {
  const id = await release({ version });
  await givenRecord(rows, { repositoryId, releaseId: id, deployedAt, kind });
  return id;
}

async function before(id: string, isShipped: boolean, of = repositoryId): Promise<ShippedRelease | null> {
  const known = await listed.database.inTenant(rows.orgId, (tx) =>
    predecessors.listPredecessors(tx, [{ id, repositoryId: of, isShipped }]),
  );
  return known.get(id) ?? null;
}

describe('the predecessor of a release', () => {
  it('is the release that was deployed last before its first deployment, whenever the deployments were reported', async () => {
    const first = await shipped('v1', '2026-01-01T00:00:00Z');
    const second = await shipped('v1.2', '2026-01-02T00:00:00Z');
    const between = await shipped('v1.1.5', '2026-01-01T12:00:00Z');
    const hotfix = await shipped('v1.1.5-fix', '2026-01-03T00:00:00Z', 'hotfix');
    const next = await release({ version: 'v2', isShipped: false });
    expect(await before(next, false)).toEqual({ id: hotfix, version: 'v1.1.5-fix', linePercent: 10, score: 10 });
    expect((await before(hotfix, true))?.id).toBe(second);
    expect((await before(second, true))?.id).toBe(between);
    expect((await before(between, true))?.id).toBe(first);
    expect(await before(first, true)).toBeNull();

    await givenRecord(rows, { repositoryId, releaseId: second, deployedAt: '2026-01-04T00:00:00Z' });
    expect((await before(second, true))?.id).toBe(between);
    expect((await before(next, false))?.id).toBe(second);
  });

  it('is the last of the scores before it, of which each release has one and at most nine are listed', async () => {
    const scores = async (id: string, isShipped: boolean) =>
      (
        await listed.database.inTenant(rows.orgId, (tx) =>
          predecessors.listEarlierScores(tx, [{ id, repositoryId, isShipped }]),
        )
      ).get(id);
    const next = await release({ version: 'v2', isShipped: false });
    expect(await scores(next, false)).toEqual([]);
    const first = await shipped('v1', '2026-01-01T00:00:00Z');
    const second = await shipped('v1.2', '2026-01-02T00:00:00Z');
    await rows.write(`update release set shipped_scorecard = '{"score": null}' where id = $1`, [first]);
    await givenRecord(rows, { repositoryId, releaseId: second, deployedAt: '2026-01-04T00:00:00Z' });
    const third = await shipped('v1.2.3', '2026-01-03T00:00:00Z');
    expect(await scores(first, true)).toEqual([]);
    expect(await scores(third, true)).toEqual([null, 4]);
    expect(await scores(next, false)).toEqual([null, 6, 4]);
    for (const day of [11, 12, 13, 14, 15, 16, 17, 18]) await shipped(`v${day}.12345`, `2026-01-${day}T00:00:00Z`);
    expect(await scores(next, false)).toEqual([4, ...Array.from({ length: 8 }, () => 9)]);
  });

  it('depends only on deployments as a release, and is never the release itself', async () => {
    const first = await shipped('v1', '2026-01-01T00:00:00Z');
    const second = await shipped('v2', '2026-01-03T00:00:00Z');
    await givenRecord(rows, { repositoryId, releaseId: second, kind: 'rollback', deployedAt: '2025-12-31T00:00:00Z' });
    expect((await before(second, true))?.id).toBe(first);
    // Read just before it was shipped.
    expect((await before(second, false))?.id).toBe(first);
  });

  it('is never a rollback, an ungoverned deployment or a release of another repository', async () => {
    const first = await shipped('v1', '2026-01-01T00:00:00Z');
    const second = await shipped('v2', '2026-01-02T00:00:00Z');
    await givenRecord(rows, {
      repositoryId,
      releaseId: first,
      kind: 'rollback',
      deployedAt: '2026-01-03T00:00:00Z',
    });
    await givenRecord(rows, { repositoryId, kind: 'ungoverned', deployedAt: '2026-01-04T00:00:00Z' });
    const other = await rows.repository('ledger');
    const elsewhere = await release({ version: 'v9', of: other });
    await givenRecord(rows, { repositoryId: other, releaseId: elsewhere, deployedAt: '2026-01-05T00:00:00Z' });
    const next = await release({ version: 'v3', isShipped: false });
    expect((await before(next, false))?.id).toBe(second);
    expect(await before(elsewhere, true, other)).toBeNull();
  });

  it('is null for a shipped release without a recorded deployment', async () => {
    await shipped('v1', '2026-01-01T00:00:00Z');
    expect(await before(await release({ version: 'v2' }), true)).toBeNull();
  });

  it('is the same for the verdict', async () => {
    await shipped('v1', '2026-01-01T00:00:00Z');
    const second = await shipped('v1.2', '2026-01-02T00:00:00Z');
    const next = await release({ version: 'v2', isShipped: false });
    const linePercent = (id: string): Promise<number | null | undefined> =>
      listed.database.inTenant(
        rows.orgId,
        async (tx) => (await releases.find(tx, id))?.record.predecessor?.linePercent,
      );
    expect([await linePercent(second), await linePercent(next)]).toEqual([2, 4]);
  });

  it('is listed for many releases at once, and only for viewers who can read the repository', async () => {
    const hidden = await rows.repository('secrets', { isPrivate: true });
    const gone = await release({ version: 'v1', of: hidden });
    await givenRecord(rows, { repositoryId: hidden, releaseId: gone, deployedAt: '2026-01-01T00:00:00Z' });
    const first = await shipped('v1', '2026-01-01T00:00:00Z');
    const [open, secret] = [
      { id: await release({ version: 'v2', isShipped: false }), repositoryId, isShipped: false },
      { id: await release({ version: 'v2', isShipped: false, of: hidden }), repositoryId: hidden, isShipped: false },
    ];
    const all = async (tx: TenantTransaction): Promise<readonly (readonly [string, string])[]> =>
      [...(await predecessors.listPredecessors(tx, [open, secret]))].map(([id, { id: last }]) => [id, last]);
    expect(await listed.database.inTenant(rows.orgId, all)).toEqual([
      [open.id, first],
      [secret.id, gone],
    ]);
    expect(await listed.database.asViewer({ orgId: rows.orgId, userId: NO_USER_ID }, all)).toEqual([[open.id, first]]);
    expect(await listed.database.inTenant(rows.orgId, (tx) => predecessors.listPredecessors(tx, []))).toEqual(
      new Map(),
    );
  });
});
