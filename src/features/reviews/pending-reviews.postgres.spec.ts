import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pull } from '../../../test/support/given-facts.js';
import { MINUTE, NOW, PAGE, PendingReviewRows } from '../../../test/support/pending-review-rows.js';
import type { EligibilityStatus } from '../../domain/review/eligibility.js';
import { Clock } from '../../config/clock.js';
import { DependentReleasesRepository } from '../releases/facts/dependent-releases.repository.js';

let reviews: PendingReviewRows;

beforeAll(async () => {
  reviews = await PendingReviewRows.open();
});
afterAll(() => reviews.close());

const open = pull();

describe('the pending reviews', () => {
  it('are releases in EVIDENCING with an unapproved pull request that is not known to be closed', async () => {
    const repositoryId = await reviews.repository({});
    const of = { repositoryId, pull: { value: open, age: 0 } };
    const requested = [
      await reviews.review(of),
      await reviews.review({ ...of, pull: null }),
      await reviews.review({ ...of, pull: { value: pull({ state: 'closed' }), age: 20 * MINUTE } }),
    ];
    await reviews.review({ repositoryId });
    await reviews.review({ ...of, stage: 'TESTING' });
    await reviews.review({ ...of, stage: 'DEPLOYMENT' });
    await reviews.review({ ...of, shippedAt: '2026-05-04T11:00:00Z' });
    await reviews.review({ ...of, cancelledAt: '2026-05-04T11:00:00Z' });
    await reviews.review({ ...of, deletedAt: '2026-05-04T11:00:00Z' });
    await reviews.review({ ...of, pull: { value: pull({ state: 'closed' }), age: 20 * MINUTE - 1 } });
    await reviews.review({ ...of, pull: { value: null, age: 0 } });
    await reviews.review({ ...of, pull: { value: pull({ state: 'merged' }), age: 99 * MINUTE } });
    const approved = await reviews.review(of);
    await reviews.rows.write('update release set evidence_approved = true where id = $1', [approved]);

    const abandoned = await reviews.review(of);
    await reviews.rows.write('update evidence_pull_request set abandoned_at = $2 where release_id = $1', [
      abandoned,
      NOW,
    ]);
    await reviews.save(abandoned);

    const { ids, ...counts } = await reviews.find('workspace');
    expect(new Set(ids)).toEqual(new Set(requested));
    expect(counts).toMatchObject({ total: 3, workspaceTotal: 3, unknown: 2 });
    await reviews.empty();
  });

  it('are found by the last observation of the pull request', async () => {
    const repositoryId = await reviews.repository({});
    const id = await reviews.review({ repositoryId, pull: { value: open, age: MINUTE } });
    const key = String(reviews.pullNumber);
    const observed = async (value: unknown, at: Date): Promise<void> => {
      await reviews.rows.write(
        `update observation set value = $3, observed_at = $4 where repository_id = $1 and kind = 'pull' and key = $2`,
        [repositoryId, key, JSON.stringify(value), at],
      );
      await reviews.rows.within((tx) =>
        new DependentReleasesRepository(new Clock()).updatePullStates(tx, repositoryId, [
          { kind: 'pull', key },
          { kind: 'team', key: 'leads' },
        ]),
      );
    };
    expect(await reviews.find('mine')).toMatchObject({ ids: [id] });
    await observed(open, new Date(0));
    expect(await reviews.find('mine')).toMatchObject({ ids: [], workspaceTotal: 1, unknown: 1 });
    await observed(open, NOW);
    expect(await reviews.find('mine')).toMatchObject({ ids: [id], unknown: 0 });
    await observed(null, NOW);
    expect(await reviews.find('mine')).toMatchObject({ ids: [], workspaceTotal: 0 });
    await reviews.empty();
  });

  it('are listed in pages, last changed first, and counted regardless of the page and the scope', async () => {
    const [mine, others] = [await reviews.repository({}), await reviews.repository({ level: 'read' })];
    const of = (repositoryId: string, second: number) =>
      reviews.review({
        repositoryId,
        pull: { value: open, age: 0 },
        updatedAt: `2026-05-04T10:00:${String(second).padStart(2, '0')}Z`,
      });
    const expected: string[] = [];
    for (let n = 0; n < 27; n += 1) expected.unshift(await of(mine, n));
    for (let n = 0; n < 5; n += 1) await of(others, 30 + n);
    for (const pageSize of [10, 25, 50]) {
      const found: string[] = [];
      const last = Math.ceil(expected.length / pageSize);
      for (let page = 1; page <= last + 1; page += 1) {
        const { ids, total, workspaceTotal, unknown } = await reviews.find('mine', { page, pageSize });
        expect([total, workspaceTotal, unknown]).toEqual([27, 32, 0]);
        expect(ids.length).toBe(page <= last ? Math.min(pageSize, 27 - found.length) : 0);
        found.push(...ids);
      }
      expect(found).toEqual(expected);
      expect((await reviews.find('workspace', { page: 1, pageSize })).total).toBe(32);
    }
    await reviews.empty();
    expect(await reviews.find('mine')).toMatchObject({
      ids: [],
      total: 0,
      workspaceTotal: 0,
      unknown: 0,
      toBeRead: [],
    });
  });

  it('are searched by version and repository, and the counts follow the search only', async () => {
    const [shop, till] = [await reviews.repository({}), await reviews.repository({ level: 'read' })];
    await reviews.rows.write(`update repository set name = 'Web-Shop' where id = $1`, [shop]);
    await reviews.rows.write(`update repository set name = 'till' where id = $1`, [till]);
    const known = { value: open, age: 0 };
    const ofShop = await reviews.review({ repositoryId: shop, pull: known, version: 'v1.0.0-RC.1' });
    const unseen = await reviews.review({ repositoryId: shop, pull: null, version: 'v1.4.0' });
    const ofTill = await reviews.review({ repositoryId: till, pull: known, version: 'v1.4.1' });
    const find = (search: string, eligibility: EligibilityStatus | null = null) =>
      reviews.find('workspace', PAGE, NOW, { search, eligibility });
    const idsOf = async (search: string, eligibility?: EligibilityStatus) =>
      new Set((await find(search, eligibility)).ids);
    expect(await idsOf('SHOP')).toEqual(new Set([ofShop, unseen]));
    expect(await idsOf('acme/web')).toEqual(new Set([ofShop, unseen]));
    expect(await idsOf('v1.4')).toEqual(new Set([unseen, ofTill]));
    expect(await idsOf('rc.1', 'eligible')).toEqual(new Set([ofShop]));
    expect(await find('v1.4', 'ineligible')).toMatchObject({ ids: [ofTill], total: 1, workspaceTotal: 2, unknown: 1 });
    expect(await find('v1_4')).toMatchObject({ ids: [], total: 0, workspaceTotal: 0, unknown: 0, toBeRead: [] });
    expect(await reviews.find('mine', PAGE, NOW, { search: 'till' })).toMatchObject({ total: 0, workspaceTotal: 1 });
    await reviews.empty();
  });

  it('are refreshed if GitHub may have more facts, the most recently read ones last', async () => {
    const excluding = await reviews.repository({ rules: { excludeReleaseAuthors: true } });
    const old = await reviews.repository({ age: 5 * MINUTE });
    const fresh = { value: open, age: 0 };
    const neverSeen = await reviews.review({
      repositoryId: excluding,
      pull: null,
      authors: [],
      validUntil: 'infinity',
    });
    const outdated = await reviews.review({ repositoryId: excluding, pull: { value: open, age: 6 * MINUTE } });
    const ofOldPermission = await reviews.review({ repositoryId: old, pull: fresh });
    const undecided = await reviews.review({
      repositoryId: excluding,
      pull: fresh,
      evaluatedAt: '2026-05-04T11:58:59Z',
    });
    // Evaluated just now, so GitHub has no newer facts.
    await reviews.review({ repositoryId: excluding, pull: fresh, evaluatedAt: '2026-05-04T11:59:30Z' });
    await reviews.review({ repositoryId: excluding, pull: fresh, authors: [], validUntil: 'infinity' });
    const { toBeRead, unknown } = await reviews.find('mine');
    expect(unknown).toBe(5);
    expect(toBeRead.slice(0, 2)).toEqual([neverSeen, outdated]);
    expect(new Set(toBeRead.slice(2))).toEqual(new Set([ofOldPermission, undecided]));
    await reviews.empty();
  });
});
