import type { Viewer } from '../../database/database.js';
import type { Observation } from '../../domain/facts/facts.js';
import { endedEligibility, type Reviewer, reviewerEligibility } from '../../domain/review/eligibility.js';
import { FreshFacts } from '../../domain/review/fresh-facts.js';
import {
  countRequiredApprovals,
  describeApprovalEffects,
  toReviewPolicy,
  reviewState,
} from '../../domain/review/review-policy.js';
import type { PendingReviewDto, ReleaseReviewDetailDto } from './reviews.dto.js';
import type { ReviewedRelease } from './reviews.queries.js';

/** The viewer and the GitHub account of a user who requests reviews. */
export interface ReviewContext {
  readonly viewer: Viewer;
  readonly reviewer: Reviewer;
}

/** The time and the facts for a review. */
export interface ReviewInputs {
  readonly reviewer: Reviewer;
  /** The observed facts about the user's eligibility in the release's repository. */
  readonly facts: readonly Observation[];
  readonly now: Date;
  /** When GitHub was read for it; null if only stored facts are used. */
  readonly requestedAt: Date | null;
}

/** Builds the review of a release for one user. Shipped releases have one too. */
export function buildReview(
  release: ReviewedRelease,
  { reviewer, facts, now, requestedAt }: ReviewInputs,
): Readonly<ReleaseReviewDetailDto> {
  const { pull, authorIds } = release;
  const observed = pull?.observation ?? null;
  const current = new FreshFacts(observed ? [...facts, observed] : facts, now, requestedAt);
  const rules = current.read('policy', '');
  const policy = rules?.status === 'valid' ? rules.policy : null;
  const authors = authorIds !== null && areAuthorsKnown(release, now, requestedAt) ? new Set(authorIds) : null;
  return {
    milestoneId: release.id,
    org: release.org,
    repo: release.repo,
    version: release.version,
    evidencePrNumber: pull?.number ?? null,
    evidencePrUrl: pull?.url ?? null,
    eligibility: release.ending
      ? endedEligibility(release.version, release.ending, reviewer)
      : reviewerEligibility({ reviewer, pullNumber: pull?.number ?? null, authors }, current),
    policy: policy && toReviewPolicy(policy),
    policyStatus: policy ? 'available' : 'unknown',
    approvalEffects: describeApprovalEffects(release.version, policy),
    reviewState: reviewState(observed, now, requestedAt),
  };
}

/**
 * Whether the authors of the candidate are known. They come from the verdict and are valid as long as it. For a live read, the
 * branch heads must also have been read since.
 */
function areAuthorsKnown({ validUntil, branches }: ReviewedRelease, now: Date, requestedAt: Date | null): boolean {
  if (Number(validUntil) <= now.getTime()) return false;
  const seenAt = branches?.seenAt ?? null;
  return requestedAt === null || (seenAt !== null && seenAt >= requestedAt);
}

/** Whether it belongs in the list of pending reviews. */
export const isListed = ({ isPending }: ReviewedRelease, { reviewState }: ReleaseReviewDetailDto): boolean =>
  isPending && (reviewState === 'open' || reviewState === 'unknown');

/** Builds the same for a list of pending reviews. */
export function buildPendingReview(release: ReviewedRelease, inputs: ReviewInputs): PendingReviewDto {
  const review = buildReview(release, inputs);
  return {
    ...review,
    repoId: release.repositoryId,
    approvals: { required: review.policy && countRequiredApprovals(review.policy), given: release.approvalsGiven },
    lostTests: null,
    waitingSince: release.waitingSince,
    milestoneUrl: release.milestoneUrl,
    updatedAt: release.updatedAt,
  };
}
