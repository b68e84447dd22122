import { TrackedFacts } from '../facts/tracked-facts.js';
import { DEFAULT_POLICY } from '../policy/policy.js';
import { countRequiredApprovals, toReviewPolicy } from '../review/review-policy.js';
import { toApprovalInput, type Verdict, type VerdictInputs } from './evaluate.js';
import type { PullFact } from '../facts/facts.js';
import {
  type ApprovalInput,
  type AssessedReview,
  assessReviews,
  type LatestReview,
  latestReviews,
  outdated,
  pullClosed,
} from '../review/approval.js';
import type { EvidencePullRecord } from '../review/evidence-pull.js';

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

/** A review of the evidence pull request, and whether it counts. */
interface ReportedReview extends Pick<LatestReview, 'userId' | 'login' | 'state' | 'commitSha' | 'submittedAt'> {
  /** The approval is one of the required ones, or the request for changes blocks the approval. */
  readonly counts: boolean;
  /** Why it does not count. Null if it counts. */
  readonly reason: string | null;
}

interface ReviewReport {
  /** The number of approvals that count. */
  readonly given: number;
  /** The last review of each user, newest first. */
  readonly reviews: readonly ReportedReview[];
  /** Later facts do not change it. */
  readonly isFinal: boolean;
}

/**
 * Reports the reviews as `evaluateApproval` counts them. The approvers that were saved when the release shipped or the
 * pull request was merged are final.
 */
function reportReviews(
  input: ApprovalInput,
  facts: TrackedFacts,
  shippedWith: readonly string[] | null = null,
): ReviewReport {
  const { pull: record } = input;
  const pull = record ? facts.read('pull', String(record.number)) : null;
  const listed = pull ? latestReviews(facts.read('reviews', String(pull.number)) ?? [], pull) : [];
  const approvers = shippedWith ?? (record?.setDigest === input.setDigest ? record.mergeApproval?.approvers : null);
  if (approvers) {
    const reviews = listed.map((review) =>
      report(review, review.state === 'approved' && approvers.includes(review.login) ? null : NOT_FINAL),
    );
    return { given: approvers.length, reviews: newestFirst(reviews), isFinal: true };
  }
  const reviews = record && pull ? reportOpen(input, { record, pull, listed }, facts) : [];
  const given = reviews.filter(({ state, counts }) => state === 'approved' && counts).length;
  return { given, reviews: newestFirst(reviews), isFinal: false };
}

/** Reports the reviews of a pull request whose approval is not final. */
function reportOpen(
  input: ApprovalInput,
  {
    record,
    pull,
    listed,
  }: { readonly record: EvidencePullRecord; readonly pull: PullFact; readonly listed: readonly LatestReview[] },
  facts: TrackedFacts,
): readonly ReportedReview[] {
  if (pull.state === 'closed') return listed.map((review) => report(review, pullClosed(record).detail));
  if (record.setDigest !== input.setDigest) return listed.map((review) => report(review, outdated(record).detail));
  const reader = pull.state === 'merged' ? facts.withMinimumAge(Date.parse(pull.mergedAt ?? ''), input.now) : facts;
  const assessment = assessReviews(input, record, pull, reader);
  if (assessment.problem) return listed.map((review) => report(review, assessment.problem.detail));
  return assessment.reviewed.map((assessed) => report(assessed.review, explainReview(assessed)));
}

function report({ userId, login, state, commitSha, submittedAt }: LatestReview, why: string | null): ReportedReview {
  const reason = state === 'dismissed' ? 'The review was dismissed.' : why;
  return { userId, login, state, commitSha, submittedAt, counts: reason === null, reason };
}

const newestFirst = (reviews: readonly ReportedReview[]): readonly ReportedReview[] =>
  reviews.toSorted((a, b) => Date.parse(b.submittedAt) - Date.parse(a.submittedAt));

const NOT_FINAL = 'It did not count when the approval became final.';

/** Returns why the review does not count. Null if it counts. A request for changes counts for every commit. */
function explainReview({ review, isOfHead, eligibility }: AssessedReview): string | null {
  if (review.state === 'approved' && !isOfHead) return 'It was given for another commit of the evidence pull request.';
  return eligibility.status === 'eligible' ? null : eligibility.reason;
}
