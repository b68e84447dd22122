import type { Viewer } from '../../database/database.js';
import type { Reviewer } from '../../domain/review/eligibility.js';
import type { ApprovalEffects, ReviewPolicy } from '../../domain/review/review-policy.js';
import type { ReviewState } from '../../domain/review/review-state.js';
import type { ReviewerEligibility } from '../../domain/review/reviewer-eligibility.js';

/** Who asks about reviews: what they may see, and who they are on the host. */
export interface ReviewAsker {
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
