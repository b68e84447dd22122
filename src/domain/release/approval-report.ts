import { TrackedFacts } from '../facts/tracked-facts.js';
import { DEFAULT_POLICY } from '../policy/policy.js';
import { countRequiredApprovals, toReviewPolicy } from '../review/review-policy.js';
import { reportReviews, type ReviewReport } from '../review/review-report.js';
import { toApprovalInput, type Verdict, type VerdictInputs } from './evaluate.js';

/** The approvals of a release, required and given. */
export interface ApprovalReport extends ReviewReport {
  /**
   * The number of approvals that the policy requires. Zero if it requires none. Null if no valid policy is known, or if
   * the release shipped under a policy of that time.
   */
  readonly required: number | null;
  /** Whether the facts are fresh. `unread` if one was never read, `none` without an evidence pull request. */
  readonly status: 'fresh' | 'stale' | 'unread' | 'none';
}

/** Matches no evidence set. */
const NO_SET = 'none';

/**
 * Reports the approvals by the rules of the verdict. `shippedWith` has the approvers that were recorded when the release
 * shipped, null for an active release.
 */
export function buildApprovalReport(
  inputs: VerdictInputs,
  verdict: Verdict,
  shippedWith: readonly string[] | null,
): ApprovalReport {
  const { record, now } = inputs;
  const facts = new TrackedFacts(inputs.observations);
  const state = facts.read('policy', '');
  const policy = state?.status === 'valid' ? state.policy : null;
  const input = toApprovalInput(
    inputs,
    policy ?? DEFAULT_POLICY,
    { ...verdict, candidateSha: verdict.candidateSha ?? '', setDigest: verdict.setDigest ?? NO_SET },
    facts,
  );
  const report = reportReviews(input, facts, shippedWith);
  const required = record.shipped
    ? record.shipped.approvalRequired
      ? null
      : 0
    : policy && countRequiredApprovals(toReviewPolicy(policy));
  if (!record.evidencePull && !report.isFinal) return { ...report, required, status: 'none' };
  if (report.isFinal) return { ...report, required, status: 'fresh' };
  if (facts.missing().length > 0) return { ...report, required, status: 'unread' };
  return { ...report, required, status: facts.earliestExpiry() > now.getTime() ? 'fresh' : 'stale' };
}
