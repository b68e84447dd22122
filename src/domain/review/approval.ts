import { missingFactCondition, type Condition, toSubjectId } from '../facts/condition.js';
import type { PullFact, ReviewFact, Sha } from '../facts/facts.js';
import type { TrackedFacts, FactReader } from '../facts/tracked-facts.js';
import { type Policy, type ReviewerRequirement, toSourced } from '../policy/policy.js';
import { type EvidencePullRecord, type MergeApproval, checkPullContent } from './evidence-pull.js';
import { type Eligibility, reviewEligibility } from './eligibility.js';

export interface Approval {
  readonly approved: boolean;
  readonly approvers: readonly string[];
  /** Why the evidence is not approved. Empty if it is approved. */
  readonly unmet: readonly Condition[];
  /** The approval at the merge, to be saved. Null if there is nothing new to save. */
  readonly mergeApproval: MergeApproval | null;
}

export interface ApprovalInput {
  readonly pull: EvidencePullRecord | null;
  /** The digest of the current effective evidence set. */
  readonly setDigest: string;
  readonly policy: Policy;
  readonly authors: ReadonlySet<number> | null;
  readonly developmentBranch: string;
  /** The head of the development branch. */
  readonly baseHead: Sha | null;
  readonly now: Date;
}

/** Evaluates whether the evidence pull request approves the current effective evidence set. */
export function evaluateApproval(input: ApprovalInput, facts: TrackedFacts): Approval {
  const { pull: record, setDigest } = input;
  if (!record) return notApproved([toBeOpened]);
  const pull = facts.read('pull', String(record.number));
  if (pull === undefined) return notApproved([missingFactCondition('the evidence pull request')]);
  if (pull === null) return notApproved([vanished(record)]);
  if (pull.state === 'closed') return notApproved([pullClosed(record)]);

  if (pull.state === 'merged') {
    const atMerge = record.mergeApproval ?? evaluateMerge(input, record, pull, facts);
    if (!atMerge) return notApproved([missingFactCondition('whether the merged evidence pull request was approved')]);
    const mergeApproval = record.mergeApproval ? null : atMerge;
    if (!atMerge.approved) return { ...notApproved([mergedUnapproved(record)]), mergeApproval };
    if (record.setDigest !== setDigest) return { ...notApproved([outdated(record)]), mergeApproval };
    return { approved: true, approvers: atMerge.approvers, unmet: [], mergeApproval };
  }

  if (record.setDigest !== setDigest) return notApproved([outdated(record)]);
  const reviews = evaluateReviews(input, record, pull, facts);
  const requiresApprovals = input.policy.evidencing.requiredReviewers.some(({ minApprovals }) => minApprovals >= 1);
  if (!requiresApprovals && reviews.unmet.length === 0) return notApproved([toBeMerged(record)]);
  return { ...reviews, approved: reviews.unmet.length === 0, mergeApproval: null };
}

/**
 * Evaluates the approvals in force at the merge. Later changes do not count, so only facts that were read after the
 * merge are used. Null if such a fact is missing.
 */
function evaluateMerge(
  input: ApprovalInput,
  record: EvidencePullRecord,
  pull: PullFact,
  facts: TrackedFacts,
): MergeApproval | null {
  const mergedAt = Date.parse(pull.mergedAt ?? '');
  const { approvers, unmet } = evaluateReviews(input, record, pull, facts.withMinimumAge(mergedAt, input.now));
  if (unmet.some(({ code }) => code === 'unknown')) return null;
  return { approved: unmet.length === 0, approvers };
}

/** The last review of a user, with the facts that decide whether it counts. */
export interface AssessedReview {
  readonly review: LatestReview;
  /** Whether it counts for any requirement. */
  readonly eligibility: Eligibility;
  /** The review is of a head whose approval counts. */
  readonly isOfHead: boolean;
}

/** The assessed reviews, or the condition because of which none of them counts. */
type ReviewAssessment =
  | { readonly problem: null; readonly reviewed: readonly AssessedReview[] }
  | { readonly problem: Condition };

/** Assesses the reviews of the evidence pull request one by one. */
export function assessReviews(
  { policy, authors, developmentBranch, baseHead }: ApprovalInput,
  record: EvidencePullRecord,
  pull: PullFact,
  facts: FactReader,
): ReviewAssessment {
  if (pull.baseRef !== developmentBranch) return { problem: pullAltered(record) };
  const content = checkPullContent(pull, record, baseHead, facts);
  if (content.status === 'unknown')
    return { problem: missingFactCondition('the content of the evidence pull request') };
  if (content.status === 'altered') return { problem: pullAltered(record) };
  const reviews = facts.read('reviews', String(pull.number));
  if (!reviews) return { problem: missingFactCondition('the reviews of the evidence pull request') };
  const { requiredReviewers } = policy.evidencing;
  const reviewed = latestReviews(reviews, pull).map((review) => ({
    review,
    eligibility: reviewEligibility(
      review,
      review.state === 'changes_requested' ? requiredReviewers.map(forObjections) : requiredReviewers,
      authors,
      facts,
    ),
    isOfHead: review.commitSha !== null && content.heads.has(review.commitSha),
  }));
  return { problem: null, reviewed };
}

/** Returns the requirement with the users whose requests for changes count. */
const forObjections = (requirement: ReviewerRequirement): ReviewerRequirement =>
  requirement.authorsMayObject ? { ...requirement, excludeReleaseAuthors: false } : requirement;

function evaluateReviews(
  input: ApprovalInput,
  record: EvidencePullRecord,
  pull: PullFact,
  facts: FactReader,
): { approvers: readonly string[]; unmet: readonly Condition[] } {
  const { policy, authors } = input;
  const assessment = assessReviews(input, record, pull, facts);
  if (assessment.problem) return { approvers: [], unmet: [assessment.problem] };
  const { reviewed } = assessment;
  const objections = reviewed.filter(
    ({ review, eligibility }) => review.state === 'changes_requested' && eligibility.status !== 'ineligible',
  );
  const current = reviewed.filter(({ review, isOfHead }) => review.state === 'approved' && isOfHead);
  const approvers = current
    .filter(({ eligibility }) => eligibility.status === 'eligible')
    .map(({ review }) => review.login);

  const unmet: Condition[] = objections.map(({ review, eligibility }) =>
    eligibility.status === 'eligible'
      ? objection(review.userId, review.login, record)
      : missingFactCondition(`whether ${review.login}'s request for changes counts`, eligibility.reason),
  );
  for (const requirement of policy.evidencing.requiredReviewers) {
    const results = current.map(({ review }) => ({
      login: review.login,
      eligibility: reviewEligibility(review, [requirement], authors, facts),
    }));
    const given = results.filter(({ eligibility }) => eligibility.status === 'eligible').length;
    // Written so that NaN counts as too few approvals.
    if (given >= requirement.minApprovals) continue;
    const undecided = results.find(({ eligibility }) => eligibility.status === 'unknown');
    if (undecided) {
      const { login, eligibility } = undecided;
      unmet.push(missingFactCondition(`whether ${login}'s approval counts`, eligibility.reason));
    }
    unmet.push(tooFew(given, requirement, record));
    if (requirement.excludeReleaseAuthors) unmet.push(...noReviewerLeft(requirement, authors, facts));
  }
  return { approvers, unmet };
}

export interface LatestReview extends ReviewFact {
  readonly userId: number;
  readonly login: string;
  readonly state: Exclude<ReviewFact['state'], 'commented'>;
}

/**
 * Returns the last review of each user until the merge, without comments. Reviews of deleted accounts do not count.
 */
export function latestReviews(reviews: readonly ReviewFact[], { mergedAt }: PullFact): readonly LatestReview[] {
  const latest = new Map<number, LatestReview>();
  for (const review of reviews) {
    if (!canReplace(review) || (mergedAt !== null && review.submittedAt > mergedAt)) continue;
    const before = latest.get(review.userId);
    if (!before || isLater(review, before)) latest.set(review.userId, review);
  }
  return [...latest.values()];
}

/** Whether the review can replace an earlier one of its user: no comment, by an account that exists. A dismissed approval replaces itself. */
const canReplace = (review: ReviewFact): review is LatestReview =>
  review.state !== 'commented' && review.userId !== null && review.login !== null;

const isLater = (a: ReviewFact, b: ReviewFact): boolean =>
  a.submittedAt === b.submittedAt ? a.id > b.id : a.submittedAt > b.submittedAt;

/** Returns a condition if it is known that every member of the teams wrote a part of the release. */
function noReviewerLeft(
  requirement: ReviewerRequirement,
  authors: ReadonlySet<number> | null,
  facts: FactReader,
): readonly Condition[] {
  const { teams } = requirement;
  const members = teams.map((slug) => facts.read('team', slug));
  if (authors === null || teams.length === 0 || members.includes(undefined)) return [];
  if (members.some((team) => team?.userIds.some((userId) => !authors.has(userId)))) return [];
  return [
    {
      code: 'no_reviewer_left',
      detail: `Everyone in ${listTeams(teams)} wrote a commit of this release, so no member of them may approve it.`,
      actor: 'admin',
      subjects: [{ id: toSubjectId('reviewers', ...teams.toSorted()), label: `the members of ${listTeams(teams)}` }],
      ...toSourced(requirement),
    },
  ];
}

const notApproved = (unmet: readonly Condition[]): Approval => ({
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

export const outdated = ({ url }: EvidencePullRecord): Condition => ({
  code: 'evidence_pull_outdated',
  detail: 'The evidence changed. The pull request is being updated.',
  actor: 'service',
  url,
});

const vanished = ({ number, url }: EvidencePullRecord): Condition => ({
  code: 'evidence_pull_closed',
  detail: `The evidence pull request #${number} no longer exists. Open it again.`,
  actor: 'team',
  url,
});

export const pullClosed = ({ number, url }: EvidencePullRecord): Condition => ({
  code: 'evidence_pull_closed',
  detail: `The evidence pull request #${number} was closed without a merge. Open it again.`,
  actor: 'team',
  url,
});

const mergedUnapproved = ({ number, url }: EvidencePullRecord): Condition => ({
  code: 'evidence_pull_merged_unapproved',
  detail: `The evidence pull request #${number} was merged without the required approvals. A new one will be opened.`,
  actor: 'service',
  url,
});

const toBeMerged = ({ number, url }: EvidencePullRecord): Condition => ({
  code: 'evidence_pull_not_merged',
  detail: `No approvals are required. Merging the evidence pull request #${number} approves it.`,
  actor: 'reviewer',
  url,
});

const pullAltered = ({ number, url }: EvidencePullRecord): Condition => ({
  code: 'evidence_pull_altered',
  detail: `The content or the base of the evidence pull request #${number} was changed, so it is void. Close it and open it again.`,
  actor: 'team',
  url,
});

const objection = (userId: number, login: string, { url }: EvidencePullRecord): Condition => ({
  code: 'changes_requested',
  detail: `${login} requested changes.`,
  actor: 'reviewer',
  url,
  subjects: [{ id: toSubjectId('review', userId), label: `the review of ${login}` }],
});

/** Its subject is the requirement, so that the requirements of the organization and of the repository are two conditions. */
function tooFew(given: number, requirement: ReviewerRequirement, { url }: EvidencePullRecord): Condition {
  const { minApprovals, teams, excludeReleaseAuthors } = requirement;
  const members = teams.length === 0 ? '' : ` by members of ${listTeams(teams)}`;
  const authors = excludeReleaseAuthors ? 'without authors' : 'with authors';
  return {
    code: 'approvals_missing',
    detail: `${given} of ${minApprovals} approvals given${members}.`,
    actor: 'reviewer',
    url,
    subjects: [
      {
        id: toSubjectId('approvals', minApprovals, authors, ...teams.toSorted()),
        label: `the ${minApprovals} required approvals${members}`,
      },
    ],
    ...toSourced(requirement),
  };
}

const listTeams = (teams: readonly string[]): string => teams.map((slug) => `"${slug}"`).join(', ');
