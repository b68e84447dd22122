import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import { noSuchRelease } from '../../http/errors/release-refusal.js';
import { LiveReviews } from './live-reviews.service.js';
import type { ReleaseReview, ReviewAsker } from './release-review.js';
import { ReviewFactsReader } from './review-facts.reader.js';
import { reviewOf } from './review-view.js';
import { ReviewedReleases } from './reviewed-releases.reader.js';

/** Tells a person how the review of one release stands, by what the host says now. */
@Injectable()
export class ReleaseReviews {
  constructor(
    private readonly database: Database,
    private readonly releases: ReviewedReleases,
    private readonly facts: ReviewFactsReader,
    private readonly live: LiveReviews,
    private readonly clock: Clock,
  ) {}

  /** Refuses with `not_found` a release that the viewer may not read. What the host does not say in time is unknown. */
  async read({ viewer, reviewer }: ReviewAsker, releaseId: string): Promise<ReleaseReview> {
    const visible = isUuid(releaseId)
      ? await this.database.asViewer(viewer, (tx) => this.releases.list(tx, [releaseId]))
      : [];
    if (visible.length === 0) throw noSuchRelease();
    const askedAt = await this.live.ask(viewer.orgId, reviewer, [releaseId], 'release');
    return this.database.asViewer(viewer, async (tx) => {
      const [release] = await this.releases.listWithBranches(tx, [releaseId]);
      if (!release) throw noSuchRelease();
      const facts = await this.facts.list(tx, reviewer, [release.repositoryId]);
      const known = facts.get(release.repositoryId) ?? [];
      return reviewOf(release, { reviewer, facts: known, now: this.clock.now(), askedAt });
    });
  }
}
