import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ELIGIBILITY_STATUSES } from '../../domain/review/eligibility.js';
import { pull } from '../../../test/support/given-facts.js';
import { MINUTE, NOW, OTHER, PAGE, PendingReviewRows, REVIEWER_ID } from '../../../test/support/pending-review-rows.js';
import type { ReviewScope, ReviewSelection } from './pending-reviews.queries.js';
import type { PendingReviewDto } from './reviews.dto.js';

let reviews: PendingReviewRows;

beforeAll(async () => {
  reviews = await PendingReviewRows.open();
});
afterAll(() => reviews.close());

const open = pull();

/** Finds the reviews of all pages. */
async function findAll(scope: ReviewScope, selection: Partial<ReviewSelection> = {}): Promise<PendingReviewDto[]> {
  const all: PendingReviewDto[] = [];
  for (let page = 1; ; page += 1) {
    const { visible, total } = await reviews.find(scope, { page, pageSize: 50 }, NOW, selection);
    all.push(...visible);
    if (visible.length === 0) {
      expect(all).toHaveLength(total);
      return all;
    }
  }
}

/** Creates a release by an author whose login now belongs to another account. */
async function renamed(repositoryId: string): Promise<string> {
  await reviews.rows.write(
    `update observation set value = value || '{"userId": 1}' where repository_id = $1 and kind = 'permission'`,
    [repositoryId],
  );
  return repositoryId;
}

describe('the eligibility in SQL', () => {
  it('equals the eligibility in the domain, in all combinations', async () => {
    const repositories = [
      await reviews.repository({}),
      await reviews.repository({ rules: { excludeReleaseAuthors: true } }),
      await reviews.repository({ rules: { excludeReleaseAuthors: true }, inTeam: false }),
      await reviews.repository({ level: 'read' }),
      await reviews.repository({ age: 5 * MINUTE }),
      await renamed(await reviews.repository({ rules: { excludeReleaseAuthors: true } })),
      await reviews.rows.repository('never-read'),
    ];
    const seen = [
      null,
      ...[0, 5 * MINUTE - 1, 5 * MINUTE, 20 * MINUTE].map((age) => ({ value: open, age })),
      ...[20 * MINUTE].map((age) => ({ value: pull({ state: 'closed' }), age })),
      ...[20 * MINUTE].map((age) => ({ value: null, age })),
    ];
    const authors = [null, [OTHER], [OTHER, REVIEWER_ID]];
    const validUntil = ['2026-05-04T12:00:00Z', '2026-05-04T12:00:01Z'];
    for (const repositoryId of repositories)
      for (const one of seen)
        for (const who of authors)
          for (const until of validUntil)
            await reviews.review({ repositoryId, pull: one, authors: who, validUntil: until });

    const { workspaceTotal, unknown } = await reviews.find('workspace');
    const all = await findAll('workspace');
    const expected = (status: string) => all.filter(({ eligibility }) => eligibility.status === status);
    expect(all).toHaveLength(repositories.length * seen.length * authors.length * validUntil.length);
    expect([workspaceTotal, unknown]).toEqual([all.length, expected('unknown').length]);
    const mine = await findAll('mine');
    expect(mine.map(({ milestoneId }) => milestoneId)).toEqual(
      expected('eligible').map(({ milestoneId }) => milestoneId),
    );
    expect(mine.length).toBeGreaterThan(0);
    expect(expected('ineligible').length).toBeGreaterThan(0);
    for (const eligibility of ELIGIBILITY_STATUSES) {
      expect([eligibility, await findAll('workspace', { eligibility })]).toEqual([eligibility, expected(eligibility)]);
      const own = eligibility === 'eligible' ? expected(eligibility) : [];
      expect([eligibility, await findAll('mine', { eligibility })]).toEqual([eligibility, own]);
    }
    await reviews.empty();
  }, 30_000);

  it('selects releases for a refresh if GitHub may have more facts, and authors only after a pause', async () => {
    const excluding = { excludeReleaseAuthors: true };
    const withoutRules = async (id: string): Promise<string> => {
      await reviews.rows.write(
        `update observation set value = '{"status": "missing"}' where repository_id = $1 and kind = 'policy'`,
        [id],
      );
      return id;
    };
    /** Repositories, and when the release is read again if the pull request counts and the authors are unknown. */
    const repositories: readonly (readonly [string, 'always' | 'later' | 'never'])[] = [
      [await reviews.repository({}), 'never'],
      [await reviews.repository({ rules: excluding }), 'later'],
      [await reviews.repository({ rules: excluding, level: 'read' }), 'never'],
      [await reviews.repository({ inTeam: false }), 'never'],
      [await reviews.repository({ level: null }), 'always'],
      [await reviews.repository({ rules: excluding, age: 5 * MINUTE }), 'always'],
      [await renamed(await reviews.repository({})), 'never'],
      [await renamed(await reviews.repository({ rules: excluding })), 'later'],
      [await withoutRules(await reviews.repository({ rules: excluding })), 'never'],
      [await reviews.rows.repository('never-read-by-anybody'), 'always'],
    ];
    const [longAgo, justNow] = ['2026-05-04T11:58:59Z', '2026-05-04T11:59:30Z'];
    const expected: string[] = [];
    for (const [repositoryId, requested] of repositories) {
      const known = { repositoryId, authors: [OTHER], validUntil: 'infinity', evaluatedAt: longAgo };
      const counts = { value: open, age: 0 };
      const unseen = await reviews.review({ ...known, pull: { value: open, age: 5 * MINUTE } });
      const received = await reviews.review({ ...known, pull: counts });
      const unattributed = await reviews.review({ ...known, pull: counts, authors: null });
      const asBefore = await reviews.review({ ...known, pull: counts, authors: null, evaluatedAt: justNow });
      expected.push(unseen, ...(requested === 'always' ? [received, unattributed, asBefore] : []));
      if (requested === 'later') expected.push(unattributed);
    }
    const { toBeRead } = await reviews.find('workspace');
    expect(toBeRead).toHaveLength(expected.length);
    expect(new Set(toBeRead)).toEqual(new Set(expected));
    await reviews.empty();
  });

  it('uses only valid and fresh rules, also for one of two repositories with the same rules', async () => {
    const withPolicy = async (change: string, value: unknown): Promise<void> => {
      const repositoryId = await reviews.repository({});
      await reviews.rows.write(`update observation set ${change} where repository_id = $1 and kind = 'policy'`, [
        repositoryId,
        value,
      ]);
      await reviews.review({ repositoryId, pull: { value: open, age: 0 } });
    };
    await withPolicy('value = $2', JSON.stringify({ status: 'missing', defaultBranch: 'main' }));
    await withPolicy('observed_at = $2', new Date(NOW.getTime() - 20 * MINUTE));
    expect(await reviews.find('mine')).toMatchObject({ total: 0, workspaceTotal: 2, unknown: 2 });
    await withPolicy('observed_at = $2', new Date(NOW.getTime() - 20 * MINUTE + 1));
    await withPolicy('observed_at = $2', NOW);
    const { visible, ...counts } = await reviews.find('mine');
    expect(counts).toMatchObject({ total: 2, workspaceTotal: 4, unknown: 2 });
    expect(visible.map(({ eligibility }) => eligibility.status)).toEqual(['eligible', 'eligible']);
    await reviews.empty();
  });

  it('recognizes authors of releases with more authors than the index contains', async () => {
    const repositoryId = await reviews.repository({ rules: { excludeReleaseAuthors: true } });
    const of = { repositoryId, pull: { value: open, age: 0 }, validUntil: '2026-05-04T12:00:01Z' };
    const others = Array.from({ length: 32 }, (_, n) => 1_000 + n);
    const byOthers = [
      await reviews.review({ ...of, authors: [] }),
      await reviews.review({ ...of, authors: others }),
      await reviews.review({ ...of, authors: [...others, OTHER] }),
    ];
    await reviews.review({ ...of, authors: [...others.slice(1), REVIEWER_ID] });
    await reviews.review({ ...of, authors: [...others, REVIEWER_ID] });
    const { ids, ...counts } = await reviews.find('mine');
    expect(new Set(ids)).toEqual(new Set(byOthers));
    expect(counts).toMatchObject({ total: 3, workspaceTotal: 5, unknown: 0 });
    await reviews.empty();
  });

  it('makes no user eligible by a fact that expired one second ago', async () => {
    const repositoryId = await reviews.repository({});
    await reviews.review({ repositoryId, pull: { value: open, age: 0 } });
    const at = (later: number) => reviews.find('mine', PAGE, new Date(NOW.getTime() + later));
    expect(await at(5 * MINUTE - 1)).toMatchObject({ total: 1, workspaceTotal: 1, unknown: 0 });
    expect(await at(5 * MINUTE + 1_000)).toMatchObject({ ids: [], total: 0, workspaceTotal: 1, unknown: 1 });
    await reviews.empty();
  });
});
