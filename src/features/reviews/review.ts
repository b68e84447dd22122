import type { Viewer } from '../../database/database.js';
import type { Observation } from '../../domain/facts/facts.js';
import {
  endedEligibility,
  type Reviewer,
  type ReviewerEligibility,
  reviewerEligibility,
} from '../../domain/review/eligibility.js';
import { FreshFacts } from '../../domain/review/fresh-facts.js';
import {
  type ApprovalEffects,
  countRequiredApprovals,
  describeApprovalEffects,
  type ReviewPolicy,
  toReviewPolicy,
  type ReviewState,
  reviewState,
} from '../../domain/review/review-policy.js';
import type { ReviewedRelease } from './reviews.queries.js';

/** The viewer and the GitHub account of a user who requests reviews. */
export interface ReviewContext {
  readonly viewer: Viewer;
  readonly reviewer: Reviewer;
}

/** The review of a release's evidence, for one user. */
export interface ReleaseReview {
  readonly milestoneId: string;
  readonly org: string;
  /** The name without the owner. */
  readonly repo: string;
  readonly version: string;
  readonly evidencePrNumber: number | null;
  readonly evidencePrUrl: string | null;
  readonly eligibility: ReviewerEligibility;
  /** Null if it is not known. */
  readonly policy: ReviewPolicy | null;
  readonly policyStatus: 'available' | 'unknown';
  readonly approvalEffects: ApprovalEffects;
  readonly reviewState: ReviewState;
}

/** A review that waits for approvals. */
export interface PendingReview extends ReleaseReview {
  readonly repoId: string;
  readonly approvals: {
    /** Null if the policy is not known. */
    readonly required: number | null;
    /** Null if it is not stored. */
    readonly given: number | null;
  };
  readonly waitingSince: Date | null;
  readonly milestoneUrl: string;
  readonly updatedAt: Date;
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
): ReleaseReview {
  const { pull, authorIds } = release;
  const observed = pull?.observation ?? null;
  const current = new FreshFacts(observed ? [...facts, observed] : facts, now, requestedAt);
  const rules = current.read('policy', '');
  const policy = rules?.status === 'valid' ? toReviewPolicy(rules.policy) : null;
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
    policy,
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
export const isListed = ({ isPending }: ReviewedRelease, { reviewState }: ReleaseReview): boolean =>
  isPending && (reviewState === 'open' || reviewState === 'unknown');

/** Builds the same for a list of pending reviews. */
export function buildPendingReview(release: ReviewedRelease, inputs: ReviewInputs): PendingReview {
  const review = buildReview(release, inputs);
  return {
    ...review,
    repoId: release.repositoryId,
    approvals: { required: review.policy && countRequiredApprovals(review.policy), given: release.approvalsGiven },
    waitingSince: release.waitingSince,
    milestoneUrl: release.milestoneUrl,
    updatedAt: release.updatedAt,
  };
}
