import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import type { Observation } from '../../domain/facts/facts.js';
import { repositoryEligibility, type RepositoryEligibility, type Reviewer } from '../../domain/review/eligibility.js';
import { FreshFacts } from '../../domain/review/fresh-facts.js';
import { releaseNotFound } from '../../http/errors/domain-error.js';
import type { PageRequest } from '../../http/pagination/pagination.dto.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { LiveReviewsService } from './live-reviews.service.js';
import { PendingReviewsQueries, type ReviewScope } from './pending-reviews.queries.js';
import {
  isListed,
  type PendingReview,
  buildPendingReview,
  type ReleaseReview,
  type ReviewContext,
  type ReviewInputs,
  buildReview,
} from './review.js';
import { type ReviewedRelease, ReviewedReleases, ReviewsQueries, type ReviewerFacts } from './reviews.queries.js';

/** A page of pending reviews, with counts of the whole workspace as far as the person may see it. */
export interface PendingPage {
  readonly reviews: readonly PendingReview[];
  /** All that are in the scope. */
  readonly total: number;
  readonly workspaceTotal: number;
  /** Of those, the ones of which it is not known now whether the person may give them. */
  readonly unknown: number;
}

const BATCH = 250;

/** The releases whose evidence pull request waits for approvals, those that changed last first. */
@Injectable()
export class ReviewsService {
  constructor(
    private readonly database: Database,
    private readonly pending: PendingReviewsQueries,
    private readonly releases: ReviewedReleases,
    private readonly facts: ReviewsQueries,
    private readonly jobs: JobsService,
    private readonly live: LiveReviewsService,
    private readonly clock: Clock,
  ) {}

  /** A page by what is stored; what is too old to tell by is read again in the background. */
  async readPage({ viewer, reviewer }: ReviewContext, scope: ReviewScope, page: PageRequest): Promise<PendingPage> {
    const now = this.clock.now();
    const { toBeRead, ...shown } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const facts = await this.facts.listStandings(tx, reviewer, now);
      const standings = standingsOf(reviewer, facts, now);
      const { ids, ...found } = await this.pending.find(tx, { scope, person: reviewer.userId, standings, now }, page);
      const releases = await this.releases.list(tx, ids);
      // Whether a fact that is lacking is too old or was never read is told by those that count no more.
      const lacking = releases.filter(({ repositoryId }) => standings.get(repositoryId)?.lacks !== null);
      const all = await this.facts.list(tx, reviewer, repositoriesOf(lacking));
      const reviews = listedOf(releases, ({ repositoryId: id }) => ({
        reviewer,
        now,
        askedAt: null,
        facts: all.get(id) ?? facts.get(id) ?? [],
      }));
      // What was written of a pull request while the page was found is not of its moment: of `mine` none is shown that is doubted since.
      return {
        reviews: scope === 'mine' ? reviews.filter(({ eligibility }) => eligibility.status === 'eligible') : reviews,
        ...found,
      };
    });
    if (toBeRead.length > 0) {
      await this.database.inTenant(viewer.orgId, (tx) =>
        this.jobs.enqueue(tx, 'refresh-reviews', { orgId: tx.orgId, person: reviewer.userId, releaseIds: toBeRead }),
      );
    }
    return shown;
  }

  /** All of them, by what the host says now; what it does not say in time is unknown. */
  async readAll(asker: ReviewContext): Promise<AsyncIterable<readonly PendingReview[]>> {
    const { viewer, reviewer } = asker;
    const ids = await this.database.readOnlyAsViewer(viewer, (tx) => this.pending.listAll(tx));
    const askedAt = await this.live.refresh(viewer.orgId, reviewer, ids, 'list');
    return this.batches(asker, ids, askedAt);
  }

  private async *batches(
    { viewer, reviewer }: ReviewContext,
    ids: readonly string[],
    askedAt: Date,
  ): AsyncGenerator<readonly PendingReview[]> {
    for (let from = 0; from < ids.length; from += BATCH) {
      // Asked for batch by batch: a reader who takes hours over the whole holds no connection.
      yield await this.database.readOnlyAsViewer(viewer, async (tx) => {
        const moment = { reviewer, now: this.clock.now(), askedAt };
        const releases = await this.releases.listWithBranches(tx, ids.slice(from, from + BATCH));
        const facts = await this.facts.list(tx, reviewer, repositoriesOf(releases));
        return listedOf(releases, ({ repositoryId }) => ({ ...moment, facts: facts.get(repositoryId) ?? [] }));
      });
    }
  }
}

const repositoriesOf = (releases: readonly ReviewedRelease[]): readonly string[] => [
  ...new Set(releases.map(({ repositoryId }) => repositoryId)),
];

/** Where the person stands in each repository; asked once for all that are told alike. */
function standingsOf(reviewer: Reviewer, facts: ReviewerFacts, now: Date): ReadonlyMap<string, RepositoryEligibility> {
  const judged = new Map<readonly Observation[], RepositoryEligibility>();
  return new Map(
    Array.from(facts, ([id, known]) => {
      const standing = judged.get(known) ?? repositoryEligibility(reviewer, new FreshFacts(known, now));
      judged.set(known, standing);
      return [id, standing];
    }),
  );
}

/** Those that still wait for approvals. */
const listedOf = (
  releases: readonly ReviewedRelease[],
  momentOf: (release: ReviewedRelease) => ReviewInputs,
): readonly PendingReview[] =>
  releases.flatMap((release) => {
    const review = buildPendingReview(release, momentOf(release));
    return isListed(release, review) ? [review] : [];
  });

/** Tells a person how the review of one release stands, by what the host says now. */
@Injectable()
export class ReleaseReviews {
  constructor(
    private readonly database: Database,
    private readonly releases: ReviewedReleases,
    private readonly facts: ReviewsQueries,
    private readonly live: LiveReviewsService,
    private readonly clock: Clock,
  ) {}

  /** Refuses with `not_found` a release that the viewer may not read. What the host does not say in time is unknown. */
  async read({ viewer, reviewer }: ReviewContext, releaseId: string): Promise<ReleaseReview> {
    const visible = isUuid(releaseId)
      ? await this.database.asViewer(viewer, (tx) => this.releases.list(tx, [releaseId]))
      : [];
    if (visible.length === 0) throw releaseNotFound();
    const askedAt = await this.live.refresh(viewer.orgId, reviewer, [releaseId], 'release');
    return this.database.asViewer(viewer, async (tx) => {
      const [release] = await this.releases.listWithBranches(tx, [releaseId]);
      if (!release) throw releaseNotFound();
      const facts = await this.facts.list(tx, reviewer, [release.repositoryId]);
      const known = facts.get(release.repositoryId) ?? [];
      return buildReview(release, { reviewer, facts: known, now: this.clock.now(), askedAt });
    });
  }
}
