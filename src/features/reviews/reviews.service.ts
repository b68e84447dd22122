import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import type { Observation } from '../../domain/facts/facts.js';
import {
  type EligibilityStatus,
  repositoryEligibility,
  type RepositoryEligibility,
  type Reviewer,
} from '../../domain/review/eligibility.js';
import { FreshFacts } from '../../domain/review/fresh-facts.js';
import { releaseNotFound } from '../../http/errors/domain-error.js';
import type { PageRequest } from '../../http/pagination/pagination.dto.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { QualityService } from '../quality/quality.service.js';
import { LiveReviewsService } from './live-reviews.service.js';
import { PendingReviewsQueries, type ReviewSelection, toListing } from './pending-reviews.queries.js';
import { isListed, buildPendingReview, type ReviewContext, type ReviewInputs, buildReview } from './review.js';
import type { PendingReviewDto, ReleaseReviewDetailDto } from './reviews.dto.js';
import { type ReviewedRelease, ReviewsQueries, type ReviewerFacts } from './reviews.queries.js';

/** A page of pending reviews, with counts of all that the user can see in the workspace. */
export interface PendingPage {
  readonly reviews: readonly PendingReviewDto[];
  /** The number of selected reviews. */
  readonly total: number;
  readonly workspaceTotal: number;
  /** How many reviews of the workspace have an unknown eligibility. */
  readonly unknown: number;
}

const BATCH = 250;
const OWN = { scope: 'mine', eligibility: null, search: null } as const;

/** Reads the reviews of releases whose evidence pull request waits for approvals; lists begin with the last changed one. */
@Injectable()
export class ReviewsService {
  constructor(
    private readonly database: Database,
    private readonly pending: PendingReviewsQueries,
    private readonly reviews: ReviewsQueries,
    private readonly jobs: JobsService,
    private readonly live: LiveReviewsService,
    private readonly quality: QualityService,
    private readonly clock: Clock,
  ) {}

  /** Returns a page by stored facts. Stale facts are refreshed in the background. */
  async listPage(
    { viewer, reviewer }: ReviewContext,
    selection: ReviewSelection,
    page: PageRequest,
  ): Promise<PendingPage> {
    const now = this.clock.now();
    const listing = toListing(selection);
    const { toBeRead, ...visible } = await this.database.readOnlyAsViewer(viewer, async (tx) => {
      const { facts, eligibilities, ids, ...found } = await this.find(tx, { reviewer, now }, selection, page);
      const releases = await this.reviews.listReleases(tx, ids);
      // A stored fact that does not count any more shows whether the missing one is stale or was never read.
      const incomplete = releases.filter(({ repositoryId }) => eligibilities.get(repositoryId)?.lacks !== null);
      const all = await this.reviews.listReviewerFacts(tx, reviewer, listRepositoryIds(incomplete));
      const reviews = buildPendingReviews(releases, ({ repositoryId: id }) => ({
        reviewer,
        now,
        requestedAt: null,
        facts: all.get(id) ?? facts.get(id) ?? [],
      }));
      // A pull request may have changed while the page was read. No page may show a review with another eligibility.
      return {
        reviews: listing === 'all' ? reviews : reviews.filter(({ eligibility }) => eligibility.status === listing),
        ...found,
      };
    });
    if (toBeRead.length > 0) {
      await this.database.inTenant(viewer.orgId, (tx) =>
        this.jobs.enqueue(tx, 'refresh-review-eligibility', {
          orgId: tx.orgId,
          userId: reviewer.userId,
          releaseIds: toBeRead,
        }),
      );
    }
    return { ...visible, reviews: await this.withLostTests(viewer, visible.reviews) };
  }

  /** Counts the reviews that the user can give, and those of which it is not known, by stored facts. Refreshes nothing. */
  async countOwn({ viewer, reviewer }: ReviewContext): Promise<Pick<PendingPage, 'total' | 'unknown'>> {
    const now = this.clock.now();
    return this.database.readOnlyAsViewer(viewer, (tx) =>
      this.find(tx, { reviewer, now }, OWN, { page: 1, pageSize: 10 }),
    );
  }

  /** Finds a page, with the stored facts by which the eligibility of the reviewer is known. */
  private async find(
    tx: TenantTransaction,
    { reviewer, now }: { readonly reviewer: Reviewer; readonly now: Date },
    selection: ReviewSelection,
    page: PageRequest,
  ) {
    const facts = await this.reviews.listSharedReviewerFacts(tx, reviewer, now);
    const eligibilities = computeEligibilities(reviewer, facts, now);
    const found = await this.pending.find(tx, { ...selection, userId: reviewer.userId, eligibilities, now }, page);
    return { ...found, facts, eligibilities };
  }

  private async withLostTests(
    viewer: Viewer,
    reviews: readonly PendingReviewDto[],
  ): Promise<readonly PendingReviewDto[]> {
    const groups = await this.quality.listReleases(
      viewer,
      reviews.map(({ milestoneId }) => milestoneId),
    );
    const lost = new Map(groups.map(({ milestoneId, change }) => [milestoneId, change?.tests?.lostTests.count]));
    return reviews.map((review: Readonly<PendingReviewDto>) => ({
      ...review,
      lostTests: lost.get(review.milestoneId) ?? null,
    }));
  }

  /** Returns all of them by the facts that GitHub returns now. A fact that it does not return in time is unknown. */
  async listAll(
    context: ReviewContext,
    { eligibility, search }: Omit<ReviewSelection, 'scope'>,
  ): Promise<AsyncIterable<readonly PendingReviewDto[]>> {
    const { viewer, reviewer } = context;
    const ids = await this.database.readOnlyAsViewer(viewer, (tx) => this.pending.listAll(tx, search));
    const requestedAt = await this.live.refresh(viewer.orgId, reviewer, ids, 'list');
    return this.listBatches(context, { ids, eligibility }, requestedAt);
  }

  private async *listBatches(
    { viewer, reviewer }: ReviewContext,
    { ids, eligibility }: { readonly ids: readonly string[]; readonly eligibility: EligibilityStatus | null },
    requestedAt: Date,
  ): AsyncGenerator<readonly PendingReviewDto[]> {
    for (let from = 0; from < ids.length; from += BATCH) {
      // One transaction per batch: a slow client must not hold a connection.
      yield await this.database.readOnlyAsViewer(viewer, async (tx) => {
        const inputs = { reviewer, now: this.clock.now(), requestedAt };
        const releases = await this.reviews.listReleasesWithBranches(tx, ids.slice(from, from + BATCH));
        const facts = await this.reviews.listReviewerFacts(tx, reviewer, listRepositoryIds(releases));
        const reviews = buildPendingReviews(releases, ({ repositoryId }) => ({
          ...inputs,
          facts: facts.get(repositoryId) ?? [],
        }));
        return eligibility === null ? reviews : reviews.filter((review) => review.eligibility.status === eligibility);
      });
    }
  }

  /** Reads the review of one release by the facts that GitHub returns now. Throws `not_found` if the viewer cannot read the release. A fact that GitHub does not return in time is unknown. */
  async readRelease({ viewer, reviewer }: ReviewContext, releaseId: string): Promise<ReleaseReviewDetailDto> {
    const visible = isUuid(releaseId)
      ? await this.database.asViewer(viewer, (tx) => this.reviews.listReleases(tx, [releaseId]))
      : [];
    if (visible.length === 0) throw releaseNotFound();
    const requestedAt = await this.live.refresh(viewer.orgId, reviewer, [releaseId], 'release');
    return this.database.asViewer(viewer, async (tx) => {
      const [release] = await this.reviews.listReleasesWithBranches(tx, [releaseId]);
      if (!release) throw releaseNotFound();
      const facts = await this.reviews.listReviewerFacts(tx, reviewer, [release.repositoryId]);
      const known = facts.get(release.repositoryId) ?? [];
      return buildReview(release, { reviewer, facts: known, now: this.clock.now(), requestedAt });
    });
  }
}

const listRepositoryIds = (releases: readonly ReviewedRelease[]): readonly string[] => [
  ...new Set(releases.map(({ repositoryId }) => repositoryId)),
];

/** Computes the eligibility of the user per repository, once for repositories that share their facts. */
function computeEligibilities(
  reviewer: Reviewer,
  facts: ReviewerFacts,
  now: Date,
): ReadonlyMap<string, RepositoryEligibility> {
  const computed = new Map<readonly Observation[], RepositoryEligibility>();
  return new Map(
    Array.from(facts, ([id, known]) => {
      const eligibility = computed.get(known) ?? repositoryEligibility(reviewer, new FreshFacts(known, now));
      computed.set(known, eligibility);
      return [id, eligibility];
    }),
  );
}

/** Builds the reviews that still wait for approvals. */
const buildPendingReviews = (
  releases: readonly ReviewedRelease[],
  toInputs: (release: ReviewedRelease) => ReviewInputs,
): readonly PendingReviewDto[] =>
  releases.flatMap((release) => {
    const review = buildPendingReview(release, toInputs(release));
    return isListed(release, review) ? [review] : [];
  });
