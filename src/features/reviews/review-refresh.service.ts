import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { FactKey } from '../../domain/facts/facts.js';
import { type Eligibility, listReviewFacts, type Reviewer } from '../../domain/review/eligibility.js';
import { FreshFacts } from '../../domain/review/fresh-facts.js';
import { EventsRepository } from '../../events/events.repository.js';
import type { GitHubError } from '../../github/transport/github-error.js';
import { UsersRepository } from '../accounts/users/users.repository.js';
import { ReleaseRefreshService } from '../releases/evaluation/release-refresh.service.js';
import { buildReview } from './review.js';
import { ReviewsQueries } from './reviews.queries.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';

/** The stored review of a release, and the facts that are missing to decide the user's eligibility. */
interface StoredReview {
  readonly repositoryId: string;
  readonly status: Eligibility['status'];
  readonly lacking: readonly FactKey[];
}

/** The second pass reads teams that only the rules from the first pass name. */
const PASSES = 2;

/** Refreshes in the background the facts that decide whether a user may review. */
@Injectable()
export class ReviewRefreshService {
  constructor(
    private readonly database: Database,
    private readonly reviews: ReviewsQueries,
    private readonly users: UsersRepository,
    private readonly refresh: ReleaseRefreshService,
    private readonly events: EventsRepository,
    private readonly clock: Clock,
  ) {}

  /** Reads one release after the other, and stops when GitHub is unavailable. The next request for the page starts it again. */
  @JobHandler('refresh-review-eligibility')
  async read({ orgId, userId, releaseIds }: JobPayload<'refresh-review-eligibility'>): Promise<void> {
    const login = (await this.users.list([userId])).get(userId)?.login;
    if (login === undefined) return;
    const reviewer = { userId, login };
    for (const releaseId of releaseIds) {
      const before = await this.findStored(orgId, reviewer, releaseId);
      if (!before) continue;
      const failures = await this.readOne(orgId, reviewer, releaseId);
      const after = await this.findStored(orgId, reviewer, releaseId);
      if (after && after.status !== before.status) {
        const { repositoryId } = after;
        await this.database.inTenant(orgId, (tx) =>
          this.events.append(tx, { type: 'review.updated', repositoryId, milestoneId: releaseId }),
        );
      }
      if (failures.some(({ isTransient }) => isTransient)) return;
    }
  }

  private async readOne(orgId: OrgId, reviewer: Reviewer, releaseId: string): Promise<readonly GitHubError[]> {
    const failures: GitHubError[] = [];
    for (let pass = 0; pass < PASSES && failures.length === 0; pass += 1) {
      const stored = await this.findStored(orgId, reviewer, releaseId);
      if (!stored || (pass > 0 && stored.lacking.length === 0)) break;
      const cause = { cause: 'list', actor: 'service' };
      failures.push(...(await this.refresh.refresh(orgId, releaseId, cause, { hints: stored.lacking })).failures);
    }
    return failures;
  }

  /** Returns null if the release no longer waits for approvals. */
  private async findStored(orgId: OrgId, reviewer: Reviewer, releaseId: string): Promise<StoredReview | null> {
    return this.database.inTenant(orgId, async (tx) => {
      const [release] = await this.reviews.listReleases(tx, [releaseId]);
      if (!release?.isPending) return null;
      const { repositoryId, pull } = release;
      const facts = (await this.reviews.listReviewerFacts(tx, reviewer, [repositoryId])).get(repositoryId) ?? [];
      const now = this.clock.now();
      const { status } = buildReview(release, { reviewer, facts, now, requestedAt: null }).eligibility;
      const current = new FreshFacts(pull?.observation ? [...facts, pull.observation] : facts, now);
      const rules = current.read('policy', '');
      const policy = rules?.status === 'valid' ? rules.policy : null;
      const lacking = listReviewFacts(reviewer, pull?.number ?? null, policy).filter((fact) =>
        current.findStaleReason(fact),
      );
      return { repositoryId, status, lacking };
    });
  }
}
