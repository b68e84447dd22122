import { randomUUID } from 'node:crypto';
import { repositoryEligibility } from '../../src/domain/review/eligibility.js';
import { FreshFacts } from '../../src/domain/review/fresh-facts.js';
import { Clock } from '../../src/config/clock.js';
import { DependentReleasesRepository } from '../../src/features/releases/facts/dependent-releases.repository.js';
import {
  type FoundReviews,
  PendingReviewsQueries,
  type ReviewScope,
  type ReviewSelection,
} from '../../src/features/reviews/pending-reviews.queries.js';
import { buildPendingReview } from '../../src/features/reviews/review.js';
import type { PendingReviewDto } from '../../src/features/reviews/reviews.dto.js';
import { ReviewsQueries } from '../../src/features/reviews/reviews.queries.js';
import { policyWith, reviewersRule, valid } from './given-facts.js';
import { TestWorkspaceDatabase } from './test-workspace-database.js';
import type { ListedRelease, WorkspaceRows } from './workspace-rows.js';

export const NOW = new Date('2026-05-04T12:00:00Z');
export const MINUTE = 60_000;
export const PAGE = { page: 1, pageSize: 50 };

/** The viewer and a colleague. */
const ME = { userId: 77, login: 'mara' };
export const REVIEWER_ID = ME.userId;
export const OTHER = 78;

const RULES = { teams: ['leads'], excludeReleaseAuthors: false };

export interface GivenReview extends Partial<ListedRelease> {
  readonly repositoryId: string;
  /** The observation of its pull request and its age. Null means an empty observation, undefined means none. */
  readonly pull?: { readonly value: unknown; readonly age: number } | null;
  readonly authors?: readonly number[] | null;
}

interface GivenEligibility {
  readonly rules?: Partial<typeof RULES>;
  readonly level?: string | null;
  readonly inTeam?: boolean;
  readonly age?: number;
}

/** A workspace whose pending reviews one user lists, at one time. */
export class PendingReviewRows {
  readonly #pending = new PendingReviewsQueries();
  readonly #reviewed = new ReviewsQueries();
  readonly #facts = new ReviewsQueries();
  #pulls = 0;

  private constructor(
    private readonly listed: TestWorkspaceDatabase,
    readonly rows: WorkspaceRows,
  ) {}

  static async open(): Promise<PendingReviewRows> {
    const listed = await TestWorkspaceDatabase.open();
    return new PendingReviewRows(listed, await listed.workspace('Acme'));
  }

  get superuserUrl(): string {
    return this.listed.urls.superuserUrl;
  }

  /** The id of the last created review. */
  get pullNumber(): number {
    return this.#pulls;
  }

  close(): Promise<void> {
    return this.listed.close();
  }

  /** Deletes all releases. */
  async empty(): Promise<void> {
    await this.rows.write('delete from evidence_pull_request');
    await this.rows.write('delete from release');
  }

  async repository({ rules = {}, level = 'write', inTeam = true, age = 0 }: GivenEligibility): Promise<string> {
    const id = await this.rows.repository(`r${randomUUID()}`);
    const policy = valid(policyWith({ evidencing: reviewersRule({ ...RULES, ...rules }) }));
    await this.#observe(id, 'policy', '', policy, 0);
    if (level !== null) await this.#observe(id, 'permission', ME.login, { userId: ME.userId, level }, age);
    await this.#observe(id, 'team', 'leads', { exists: true, userIds: inTeam ? [OTHER, ME.userId] : [OTHER] }, 0);
    return id;
  }

  async review(given: GivenReview): Promise<string> {
    const { repositoryId, pull: seen, authors = null, ...release } = given;
    this.#pulls += 1;
    const number = this.#pulls;
    const id = await this.rows.release({ version: `v1.${number}.0`, stage: 'EVIDENCING', repositoryId, ...release });
    await this.rows.write(
      `with authored as (update release set author_ids = $5 where id = $2),
         opened as (
           insert into evidence_pull_request (org_id, id, release_id, repository_id, number, url, branch, base_ref, head_sha,
             commit_shas, files, candidate_sha, evidence_set_digest, opened_at, updated_at)
           select $1, $2, $2, $3, $4::integer, 'https://github.com/acme/x/pull/' || $4::integer, 'b', 'main', 'h', '{}',
             '[]', 'c', 's', $6::timestamptz, $6::timestamptz where $7)
       insert into observation (org_id, repository_id, kind, key, value, observed_at)
       select $1, $3, 'pull', $4::text, $8::jsonb, $9::timestamptz where $9::timestamptz is not null`,
      [
        this.rows.orgId,
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
    await this.save(id);
    return id;
  }

  /** Updates the stored eligibility, as the service does after each change of a pull request or an observation. */
  save(id: string): Promise<void> {
    return this.rows.within((tx) => new DependentReleasesRepository(new Clock()).updatePullState(tx, [id]));
  }

  async find(
    scope: ReviewScope,
    page = PAGE,
    now = NOW,
    { eligibility = null, search = null }: Partial<ReviewSelection> = {},
  ): Promise<FoundReviews & { readonly visible: readonly PendingReviewDto[] }> {
    return this.listed.database.inTenant(this.rows.orgId, async (tx) => {
      const known = await this.#facts.listSharedReviewerFacts(tx, ME, now);
      const eligibilities = new Map(
        [...known].map(([id, facts]) => [id, repositoryEligibility(ME, new FreshFacts(facts, now))]),
      );
      const found = await this.#pending.find(
        tx,
        { scope, eligibility, search, userId: ME.userId, eligibilities, now },
        page,
      );
      const releases = await this.#reviewed.listReleases(tx, found.ids);
      const facts = await this.#facts.listReviewerFacts(
        tx,
        ME,
        releases.map(({ repositoryId }) => repositoryId),
      );
      const visible = releases.map((release) =>
        buildPendingReview(release, {
          reviewer: ME,
          facts: facts.get(release.repositoryId) ?? [],
          now,
          requestedAt: null,
        }),
      );
      return { ...found, visible };
    });
  }

  async #observe(repositoryId: string, kind: string, key: string, value: unknown, age: number): Promise<void> {
    await this.rows.write(
      'insert into observation (org_id, repository_id, kind, key, value, observed_at) values ($1, $2, $3, $4, $5, $6)',
      [this.rows.orgId, repositoryId, kind, key, JSON.stringify(value), ago(age)],
    );
  }
}

const ago = (milliseconds: number): Date => new Date(NOW.getTime() - milliseconds);
