import type { Viewer } from '../../database/database.js';
import type { Observation } from '../../domain/facts/facts.js';
import { type Reviewer, type ReviewerEligibility, reviewerEligibility } from '../../domain/review/eligibility.js';
import { FreshFacts } from '../../domain/review/fresh-facts.js';
import {
  type ApprovalEffects,
  describeApprovalEffects,
  type ReviewPolicy,
  toReviewPolicy,
  type ReviewState,
  reviewState,
} from '../../domain/review/review-policy.js';
import type { ReviewedRelease } from './reviews.queries.js';

/** Who asks about reviews: what they may see, and who they are on the host. */
export interface ReviewContext {
  readonly viewer: Viewer;
  readonly reviewer: Reviewer;
}

/** The review of a release's evidence, as one person is told of it. */
export interface ReleaseReview {
  readonly milestoneId: string;
  readonly org: string;
  /** Without its organization. */
  readonly repo: string;
  readonly version: string;
  readonly evidencePrNumber: number | null;
  readonly evidencePrUrl: string | null;
  readonly eligibility: ReviewerEligibility;
  /** Null where it is not known. */
  readonly policy: ReviewPolicy | null;
  readonly policyStatus: 'available' | 'unknown';
  readonly approvalEffects: ApprovalEffects;
  readonly reviewState: ReviewState;
}

/** One that waits for approvals. */
export interface PendingReview extends ReleaseReview {
  readonly milestoneUrl: string;
  readonly updatedAt: Date;
}

/** At which moment a review is told, and by what. */
export interface ReviewInputs {
  readonly reviewer: Reviewer;
  /** What was observed of the person's standing in the release's repository. */
  readonly facts: readonly Observation[];
  readonly now: Date;
  /** When the host was asked about all of it; null where what is stored is told. */
  readonly askedAt: Date | null;
}

/** A release's review as it is told to one person; shipped releases have one too. */
export function buildReview(release: ReviewedRelease, { reviewer, facts, now, askedAt }: ReviewInputs): ReleaseReview {
  const { pull, authorIds } = release;
  const observed = pull?.observation ?? null;
  const current = new FreshFacts(observed ? [...facts, observed] : facts, now, askedAt);
  const rules = current.read('policy', '');
  const policy = rules?.status === 'valid' ? toReviewPolicy(rules.policy) : null;
  const authors = authorIds !== null && isFound(release, now, askedAt) ? new Set(authorIds) : null;
  return {
    milestoneId: release.id,
    org: release.org,
    repo: release.repo,
    version: release.version,
    evidencePrNumber: pull?.number ?? null,
    evidencePrUrl: pull?.url ?? null,
    eligibility: release.ending
      ? endedReview(release.version, release.ending, reviewer)
      : reviewerEligibility({ reviewer, pullNumber: pull?.number ?? null, authors }, current),
    policy,
    policyStatus: policy ? 'available' : 'unknown',
    approvalEffects: describeApprovalEffects(release.version, policy),
    reviewState: reviewState(observed, now, askedAt),
  };
}

/** Whatever is still open on the host: what was decided by it stays so. */
const endedReview = (version: string, ending: string, { login }: Reviewer): ReviewerEligibility => ({
  status: 'ineligible',
  login,
  reason: `${version} is ${ending}: its evidence is reviewed no more.`,
});

/**
 * Who wrote it is of the candidate that the verdict found, and counts no longer than that; where the host was asked, only if
 * it said that the branches are where they were.
 */
function isFound({ validUntil, branches }: ReviewedRelease, now: Date, askedAt: Date | null): boolean {
  if (Number(validUntil) <= now.getTime()) return false;
  const seenAt = branches?.seenAt ?? null;
  return askedAt === null || (seenAt !== null && seenAt >= askedAt);
}

/** Whether it belongs into a list of those that wait for approvals. */
export const isListed = ({ isPending }: ReviewedRelease, { reviewState }: ReleaseReview): boolean =>
  isPending && (reviewState === 'open' || reviewState === 'unknown');

/** The same of one that waits for approvals, for a list. */
export const buildPendingReview = (release: ReviewedRelease, moment: ReviewInputs): PendingReview => ({
  ...buildReview(release, moment),
  milestoneUrl: release.milestoneUrl,
  updatedAt: release.updatedAt,
});
