import { missingFactCondition } from '../facts/condition.js';
import type { PullFact, ReviewFact, Sha } from '../facts/facts.js';
import type { TrackedFacts, FactReader } from '../facts/tracked-facts.js';
import type { Policy } from '../policy/policy.js';
import type { EvidencePullRecord, MergeApproval } from '../release/release-record.js';
import type { Condition } from '../release/stage.js';
import { reviewEligibility } from './eligibility.js';
import { checkPullContent } from './evidence-pull.js';

export interface Approval {
  readonly approved: boolean;
  readonly approvers: readonly string[];
  /** Why it is not approved; empty where it is. */
  readonly unmet: readonly Condition[];
  /** What a merge that was not judged before was worth, to be written down; null where there is nothing to write. */
  readonly mergeApproval: MergeApproval | null;
}

export interface ApprovalQuestion {
  readonly pull: EvidencePullRecord | null;
  /** Digest of the evidence that decides now. */
  readonly setDigest: string;
  readonly policy: Policy;
  readonly authors: ReadonlySet<number> | null;
  readonly developmentBranch: string;
  /** Where the development branch stands. */
  readonly baseHead: Sha | null;
  readonly now: Date;
}

/** Whether the evidence that decides now is effectively approved by the evidence pull request. */
export function evaluateApproval(question: ApprovalQuestion, facts: TrackedFacts): Approval {
  const { pull: written, setDigest } = question;
  if (!written) return refused([toBeOpened]);
  const pull = facts.read('pull', String(written.number));
  if (pull === undefined) return refused([missingFactCondition('the evidence pull request')]);
  if (pull === null) return refused([vanished(written)]);
  if (pull.state === 'closed') return refused([pullClosed(written)]);

  if (pull.state === 'merged') {
    const judged = written.mergeApproval ?? judgeMerge(question, written, pull, facts);
    if (!judged) return refused([missingFactCondition('what the merged evidence pull request was worth')]);
    const mergeApproval = written.mergeApproval ? null : judged;
    if (!judged.approved) return { ...refused([mergedUnapproved(written)]), mergeApproval };
    if (written.setDigest !== setDigest) return { ...refused([outdated(written)]), mergeApproval };
    return { approved: true, approvers: judged.approvers, unmet: [], mergeApproval };
  }

  if (written.setDigest !== setDigest) return refused([outdated(written)]);
  const reviews = judgeReviews(question, written, pull, facts);
  const { minApprovals } = question.policy.evidencing.requiredReviewers;
  if (!(minApprovals >= 1) && reviews.unmet.length === 0) return refused([toBeMerged(written)]);
  return { ...reviews, approved: reviews.unmet.length === 0, mergeApproval: null };
}

/**
 * The approvals in force at the merge stand for good, so they are judged by nothing that was observed before it; null
 * while a fact is missing that decides them.
 */
function judgeMerge(
  question: ApprovalQuestion,
  written: EvidencePullRecord,
  pull: PullFact,
  facts: TrackedFacts,
): MergeApproval | null {
  const mergedAt = Date.parse(pull.mergedAt ?? '');
  const { approvers, unmet } = judgeReviews(question, written, pull, facts.withMinimumAge(mergedAt, question.now));
  if (unmet.some(({ code }) => code === 'unknown')) return null;
  return { approved: unmet.length === 0, approvers };
}

function judgeReviews(
  { policy, authors, developmentBranch, baseHead }: ApprovalQuestion,
  written: EvidencePullRecord,
  pull: PullFact,
  facts: FactReader,
): { approvers: readonly string[]; unmet: readonly Condition[] } {
  if (pull.baseRef !== developmentBranch) return { approvers: [], unmet: [altered(written)] };
  const content = checkPullContent(pull, written, baseHead, facts);
  if (content.status === 'unknown')
    return { approvers: [], unmet: [missingFactCondition('what the evidence pull request holds')] };
  if (content.status === 'altered') return { approvers: [], unmet: [altered(written)] };
  const reviews = facts.read('reviews', String(pull.number));
  if (!reviews) return { approvers: [], unmet: [missingFactCondition('the reviews of the evidence pull request')] };

  const { minApprovals, teams } = policy.evidencing.requiredReviewers;
  const latest = latestReviews(
    reviews.filter(({ submittedAt }) => pull.mergedAt === null || submittedAt <= pull.mergedAt),
  );
  const judged = latest.map((review) => ({
    ...review,
    eligibility: reviewEligibility(review, policy, authors, facts),
  }));
  const objections = judged.filter(
    ({ state, eligibility }) => state === 'changes_requested' && eligibility.status !== 'ineligible',
  );
  const current = judged.filter(
    ({ state, commitSha }) => state === 'approved' && commitSha !== null && content.heads.has(commitSha),
  );
  const approvers = current.filter(({ eligibility }) => eligibility.status === 'eligible').map(({ login }) => login);

  const unmet: Condition[] = objections.map(({ login, eligibility }) =>
    eligibility.status === 'eligible'
      ? objection(login, written)
      : missingFactCondition(`whether ${login}'s objection counts`, eligibility.reason),
  );
  // Asked the way round in which a number that is none is never reached.
  if (!(approvers.length >= minApprovals)) {
    const undecided = current.find(({ eligibility }) => eligibility.status === 'unknown');
    if (undecided)
      unmet.push(missingFactCondition(`whether ${undecided.login}'s approval counts`, undecided.eligibility.reason));
    unmet.push(tooFew(approvers.length, minApprovals, teams, written));
    if (policy.evidencing.requiredReviewers.excludeReleaseAuthors) unmet.push(...nobodyLeft(policy, authors, facts));
  }
  return { approvers, unmet };
}

type LatestReview = ReviewFact & { readonly userId: number; readonly login: string };

/** Each person's last review that is more than a comment. Reviews of deleted accounts count for nobody. */
function latestReviews(reviews: readonly ReviewFact[]): readonly LatestReview[] {
  const latest = new Map<number, LatestReview>();
  for (const review of reviews) {
    const { userId, login } = review;
    if (review.state === 'commented' || userId === null || login === null) continue;
    const before = latest.get(userId);
    if (!before || isLater(review, before)) latest.set(userId, { ...review, userId, login });
  }
  return [...latest.values()];
}

const isLater = (a: ReviewFact, b: ReviewFact): boolean =>
  a.submittedAt === b.submittedAt ? a.id > b.id : a.submittedAt > b.submittedAt;

/** Said where it can be told that every member of the teams wrote a part of the release. */
function nobodyLeft(policy: Policy, authors: ReadonlySet<number> | null, facts: FactReader): readonly Condition[] {
  const { teams } = policy.evidencing.requiredReviewers;
  const members = teams.map((slug) => facts.read('team', slug));
  if (authors === null || teams.length === 0 || members.includes(undefined)) return [];
  if (members.some((team) => team?.userIds.some((userId) => !authors.has(userId)))) return [];
  return [
    {
      code: 'no_reviewer_left',
      detail: `Everyone in ${teams.map((slug) => `"${slug}"`).join(', ')} wrote a commit of this release, so nobody may approve it.`,
      actor: 'admin',
    },
  ];
}

const refused = (unmet: readonly Condition[]): Approval => ({
  approved: false,
  approvers: [],
  unmet,
  mergeApproval: null,
});

const toBeOpened: Condition = {
  code: 'evidence_pull_pending',
  detail: 'The evidence pull request is being opened.',
  actor: 'service',
};

const outdated = ({ url }: EvidencePullRecord): Condition => ({
  code: 'evidence_pull_outdated',
  detail: 'The evidence changed; the pull request is being brought up to date.',
  actor: 'service',
  url,
});

const vanished = ({ number, url }: EvidencePullRecord): Condition => ({
  code: 'evidence_pull_closed',
  detail: `The evidence pull request #${number} is gone. Open it again.`,
  actor: 'team',
  url,
});

const pullClosed = ({ number, url }: EvidencePullRecord): Condition => ({
  code: 'evidence_pull_closed',
  detail: `The evidence pull request #${number} was closed without a merge. Open it again.`,
  actor: 'team',
  url,
});

const mergedUnapproved = ({ number, url }: EvidencePullRecord): Condition => ({
  code: 'evidence_pull_merged_unapproved',
  detail: `The evidence pull request #${number} was merged without the approvals that it needed; another one follows.`,
  actor: 'service',
  url,
});

const toBeMerged = ({ number, url }: EvidencePullRecord): Condition => ({
  code: 'evidence_pull_not_merged',
  detail: `No approvals are required: merging the evidence pull request #${number} approves it.`,
  actor: 'reviewer',
  url,
});

const altered = ({ number, url }: EvidencePullRecord): Condition => ({
  code: 'evidence_pull_altered',
  detail: `Somebody else changed what the evidence pull request #${number} merges, or where to, which voids it. Close it and open it again.`,
  actor: 'team',
  url,
});

const objection = (login: string, { url }: EvidencePullRecord): Condition => ({
  code: 'changes_requested',
  detail: `${login} asks for changes.`,
  actor: 'reviewer',
  url,
});

const tooFew = (given: number, required: number, teams: readonly string[], { url }: EvidencePullRecord): Condition => ({
  code: 'approvals_missing',
  detail: `${given} of ${required} approvals given${teams.length > 0 ? ` by members of ${teams.map((slug) => `"${slug}"`).join(', ')}` : ''}.`,
  actor: 'reviewer',
  url,
});
