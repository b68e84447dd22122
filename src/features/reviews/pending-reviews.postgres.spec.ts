import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { ObservePullsWithReleases1790300009000 } from '../../../migrations/1790300009000-observe-pulls-with-releases.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { policyWith, pull, reviewersRule, valid } from '../../../test/support/given-facts.js';
import { type ListedRelease, ListedRows } from '../../../test/support/listed-releases.js';
import { Database } from '../../database/database.js';
import { toOrgId } from '../../database/ids.js';
import { withClient } from '../../database/session.js';
import { CurrentFacts } from '../../domain/review/current-facts.js';
import { repositoryStanding } from '../../domain/review/reviewer-eligibility.js';
import { ObservedPulls } from '../releases/observed-pulls.recorder.js';
import { type FoundReviews, PendingReviewsReader } from './pending-reviews.reader.js';
import type { PendingReview } from './release-review.js';
import { ReviewFactsReader } from './review-facts.reader.js';
import type { ReviewScope } from './review-scope.js';
import { pendingReviewOf } from './review-view.js';
import { ReviewedReleases } from './reviewed-releases.reader.js';

const NOW = new Date('2026-05-04T12:00:00Z');
const MINUTE = 60_000;
const ORG = toOrgId(randomUUID());
const ME = { userId: 77, login: 'mara' };
const OTHER = 78;

const pending = new PendingReviewsReader();
const reviewed = new ReviewedReleases();
const reviewFacts = new ReviewFactsReader();

let test: TestDatabase;
let database: Database;
let rows: ListedRows;

beforeAll(async () => {
  test = await createTestDatabase();
  database = await Database.open({ url: test.appUrl });
  rows = await ListedRows.of(database, ORG, 'Acme', 1);
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

const ago = (milliseconds: number): Date => new Date(NOW.getTime() - milliseconds);

const observe = (repositoryId: string, kind: string, key: string, value: unknown, age: number): Promise<void> =>
  rows.write(
    'insert into observation (org_id, repository_id, kind, key, value, observed_at) values ($1, $2, $3, $4, $5, $6)',
    [ORG, repositoryId, kind, key, JSON.stringify(value), ago(age)],
  );

let pulls = 0;

interface GivenReview extends Partial<ListedRelease> {
  readonly repositoryId: string;
  /** What was observed of its pull request, and how long ago; null is nothing, and undefined that there is none. */
  readonly pull?: { readonly value: unknown; readonly age: number } | null;
  readonly authors?: readonly number[] | null;
}

async function givenReview(given: GivenReview): Promise<string> {
  const { repositoryId, pull: seen, authors = null, ...release } = given;
  pulls += 1;
  const number = pulls;
  const id = await rows.release({ version: `v1.${number}.0`, stage: 'EVIDENCING', repositoryId, ...release });
  await rows.write(
    `with authored as (update release set author_ids = $5 where id = $2),
       opened as (
         insert into evidence_pull (org_id, id, release_id, repository_id, number, url, branch, base_ref, head_sha,
           commit_shas, files, candidate_sha, set_digest, opened_at, updated_at)
         select $1, $2, $2, $3, $4::integer, 'https://github.com/acme/x/pull/' || $4::integer, 'b', 'main', 'h', '{}',
           '[]', 'c', 's', $6::timestamptz, $6::timestamptz where $7)
     insert into observation (org_id, repository_id, kind, key, value, observed_at)
     select $1, $3, 'pull', $4::text, $8::jsonb, $9::timestamptz where $9::timestamptz is not null`,
    [
      ORG,
      id,
      repositoryId,
      number,
      authors,
      NOW,
      seen !== undefined,
      JSON.stringify(seen?.value),
      seen && ago(seen.age),
    ],
  );
  await keep(id);
  return id;
}

/** What the service does whenever a pull request or an observation is written down. */
const keep = (id: string): Promise<void> => database.inTenant(ORG, (tx) => new ObservedPulls().keep(tx, [id]));

const PAGE = { page: 1, pageSize: 50 };

async function find(scope: ReviewScope, page = PAGE, now = NOW): Promise<FoundReviews & { shown: PendingReview[] }> {
  return database.inTenant(ORG, async (tx) => {
    const known = await reviewFacts.listStandings(tx, ME, now);
    const standings = new Map(
      [...known].map(([id, facts]) => [id, repositoryStanding(ME, new CurrentFacts(facts, now))]),
    );
    const found = await pending.find(tx, { scope, person: ME.userId, standings, now }, page);
    const releases = await reviewed.list(tx, found.ids);
    const facts = await reviewFacts.list(
      tx,
      ME,
      releases.map(({ repositoryId }) => repositoryId),
    );
    const shown = releases.map((release) =>
      pendingReviewOf(release, { reviewer: ME, facts: facts.get(release.repositoryId) ?? [], now, askedAt: null }),
    );
    return { ...found, shown };
  });
}

/** All of them, page by page. */
async function findAll(scope: ReviewScope): Promise<PendingReview[]> {
  const all: PendingReview[] = [];
  for (let page = 1; ; page += 1) {
    const { shown, total } = await find(scope, { page, pageSize: 50 });
    all.push(...shown);
    if (shown.length === 0) {
      expect(all).toHaveLength(total);
      return all;
    }
  }
}

const empty = (): Promise<void> =>
  rows.write('delete from evidence_pull').then(() => rows.write('delete from release'));

const open = pull();
const RULES = { teams: ['leads'], excludeReleaseAuthors: false };

interface GivenStanding {
  readonly rules?: Partial<typeof RULES>;
  readonly level?: string | null;
  readonly inTeam?: boolean;
  readonly age?: number;
}

async function givenRepository({
  rules = {},
  level = 'write',
  inTeam = true,
  age = 0,
}: GivenStanding): Promise<string> {
  const id = await rows.repository(`r${randomUUID()}`);
  const policy = valid(policyWith({ evidencing: reviewersRule({ ...RULES, ...rules }) }));
  await observe(id, 'policy', '', policy, 0);
  if (level !== null) await observe(id, 'permission', ME.login, { userId: ME.userId, level }, age);
  await observe(id, 'team', 'leads', { exists: true, userIds: inTeam ? [OTHER, ME.userId] : [OTHER] }, 0);
  return id;
}

describe('the eligibility in SQL', () => {
  it('is the one of the domain, in all circumstances', async () => {
    const repositories = [
      await givenRepository({}),
      await givenRepository({ rules: { excludeReleaseAuthors: true } }),
      await givenRepository({ rules: { excludeReleaseAuthors: true }, inTeam: false }),
      await givenRepository({ level: 'read' }),
      await givenRepository({ age: 5 * MINUTE }),
      await rows.repository('never-read'),
    ];
    const seen = [
      null,
      ...[0, 5 * MINUTE - 1, 5 * MINUTE, 20 * MINUTE].map((age) => ({ value: open, age })),
      ...[20 * MINUTE].map((age) => ({ value: pull({ state: 'closed' }), age })),
      ...[20 * MINUTE].map((age) => ({ value: null, age })),
    ];
    // More of them than an index holds.
    const crowd = Array.from({ length: 33 }, (_, n) => 1_000 + n);
    const authors = [null, [], [OTHER], [OTHER, ME.userId], crowd, [...crowd, ME.userId]];
    const validUntil = ['2026-05-04T12:00:00Z', '2026-05-04T12:00:01Z'];
    for (const repositoryId of repositories)
      for (const one of seen)
        for (const who of authors)
          for (const until of validUntil)
            await givenReview({ repositoryId, pull: one, authors: who, validUntil: until });

    const { workspaceTotal, unknown } = await find('workspace');
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
    await empty();
  }, 30_000);

  it('makes nobody eligible by a fact that is a second past its lifetime', async () => {
    const repositoryId = await givenRepository({});
    await givenReview({ repositoryId, pull: { value: open, age: 0 } });
    const at = (later: number) => find('mine', PAGE, new Date(NOW.getTime() + later));
    expect(await at(5 * MINUTE - 1)).toMatchObject({ total: 1, workspaceTotal: 1, unknown: 0 });
    expect(await at(5 * MINUTE + 1_000)).toMatchObject({ ids: [], total: 0, workspaceTotal: 1, unknown: 1 });
    await empty();
  });
});

describe('the pending reviews', () => {
  it('are of releases in evidencing that have an unapproved pull request which is not known to be closed', async () => {
    const repositoryId = await givenRepository({});
    const of = { repositoryId, pull: { value: open, age: 0 } };
    const wanted = [
      await givenReview(of),
      await givenReview({ ...of, pull: null }),
      await givenReview({ ...of, pull: { value: pull({ state: 'closed' }), age: 20 * MINUTE } }),
    ];
    await givenReview({ repositoryId });
    await givenReview({ ...of, stage: 'TESTING' });
    await givenReview({ ...of, stage: 'DEPLOYMENT' });
    await givenReview({ ...of, shippedAt: '2026-05-04T11:00:00Z' });
    await givenReview({ ...of, cancelledAt: '2026-05-04T11:00:00Z' });
    await givenReview({ ...of, deletedAt: '2026-05-04T11:00:00Z' });
    await givenReview({ ...of, pull: { value: pull({ state: 'closed' }), age: 20 * MINUTE - 1 } });
    await givenReview({ ...of, pull: { value: null, age: 0 } });
    await givenReview({ ...of, pull: { value: pull({ state: 'merged' }), age: 99 * MINUTE } });
    const approved = await givenReview(of);
    await rows.write('update release set evidence_approved = true where id = $1', [approved]);

    const abandoned = await givenReview(of);
    await rows.write('update evidence_pull set abandoned_at = $2 where release_id = $1', [abandoned, NOW]);
    await keep(abandoned);

    const { ids, ...counts } = await find('workspace');
    expect(new Set(ids)).toEqual(new Set(wanted));
    expect(counts).toMatchObject({ total: 3, workspaceTotal: 3, unknown: 2 });
    await empty();
  });

  it('are found by what was observed of the pull request last', async () => {
    const repositoryId = await givenRepository({});
    const id = await givenReview({ repositoryId, pull: { value: open, age: MINUTE } });
    const key = String(pulls);
    const observed = async (value: unknown, at: Date): Promise<void> => {
      await rows.write(
        `update observation set value = $3, observed_at = $4 where repository_id = $1 and kind = 'pull' and key = $2`,
        [repositoryId, key, JSON.stringify(value), at],
      );
      await database.inTenant(ORG, (tx) =>
        new ObservedPulls().keepThoseOf(tx, repositoryId, [
          { kind: 'pull', key },
          { kind: 'team', key: 'leads' },
        ]),
      );
    };
    expect(await find('mine')).toMatchObject({ ids: [id] });
    await observed(open, new Date(0));
    expect(await find('mine')).toMatchObject({ ids: [], workspaceTotal: 1, unknown: 1 });
    await observed(open, NOW);
    expect(await find('mine')).toMatchObject({ ids: [id], unknown: 0 });
    await observed(null, NOW);
    expect(await find('mine')).toMatchObject({ ids: [], workspaceTotal: 0 });
    await empty();
  });

  it('that there were before they were listed so are found too', async () => {
    const repositoryId = await givenRepository({});
    const eligible = await givenReview({ repositoryId, pull: { value: open, age: 0 } });
    const unseen = await givenReview({ repositoryId, pull: null });
    await givenReview({ repositoryId, pull: { value: null, age: 0 } });
    await givenReview({ repositoryId });
    await withClient(test.superuserUrl, async (client) => {
      await client.query('set role shipgate_owner');
      const migration = new ObservePullsWithReleases1790300009000();
      await migration.down(client as unknown as QueryRunner);
      await migration.up(client as unknown as QueryRunner);
    });
    expect(await find('mine')).toMatchObject({ ids: [eligible], workspaceTotal: 2, unknown: 1 });
    expect(new Set((await find('workspace')).ids)).toEqual(new Set([eligible, unseen]));
    await empty();
  });

  it('come a page at a time, those that changed last first, and are counted whatever the page and the scope', async () => {
    const [mine, others] = [await givenRepository({}), await givenRepository({ level: 'read' })];
    const of = (repositoryId: string, second: number) =>
      givenReview({
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
        const { ids, total, workspaceTotal, unknown } = await find('mine', { page, pageSize });
        expect([total, workspaceTotal, unknown]).toEqual([27, 32, 0]);
        expect(ids.length).toBe(page <= last ? Math.min(pageSize, 27 - found.length) : 0);
        found.push(...ids);
      }
      expect(found).toEqual(expected);
      expect((await find('workspace', { page: 1, pageSize })).total).toBe(32);
    }
    await empty();
    expect(await find('mine')).toMatchObject({ ids: [], total: 0, workspaceTotal: 0, unknown: 0, toBeRead: [] });
  });

  it('are read anew where the host may tell more, and those last that it was just asked about', async () => {
    const excluding = await givenRepository({ rules: { excludeReleaseAuthors: true } });
    const old = await givenRepository({ age: 5 * MINUTE });
    const fresh = { value: open, age: 0 };
    const neverSeen = await givenReview({ repositoryId: excluding, pull: null, authors: [], validUntil: 'infinity' });
    const outdated = await givenReview({ repositoryId: excluding, pull: { value: open, age: 6 * MINUTE } });
    const ofOldPermission = await givenReview({ repositoryId: old, pull: fresh });
    const undecided = await givenReview({ repositoryId: excluding, pull: fresh, evaluatedAt: '2026-05-04T11:58:59Z' });
    // Thought over just now, so that the host tells no more.
    await givenReview({ repositoryId: excluding, pull: fresh, evaluatedAt: '2026-05-04T11:59:30Z' });
    await givenReview({ repositoryId: excluding, pull: fresh, authors: [], validUntil: 'infinity' });
    const { toBeRead, unknown } = await find('mine');
    expect(unknown).toBe(5);
    expect(toBeRead.slice(0, 2)).toEqual([neverSeen, outdated]);
    expect(new Set(toBeRead.slice(2))).toEqual(new Set([ofOldPermission, undecided]));
    await empty();
  });
});
