import type { FactKey, PermissionFact } from '../facts/facts.js';
import type { FactReader } from '../facts/tracked-facts.js';
import { type Policy, type ReviewerRequirement, reviewerTeams } from '../policy/policy.js';
import { type FreshFacts, factLifetimeMs } from './fresh-facts.js';

export const ELIGIBILITY_STATUSES = ['eligible', 'ineligible', 'unknown'] as const;
export type EligibilityStatus = (typeof ELIGIBILITY_STATUSES)[number];

/** Whether the review of a user counts, with the reason in one sentence. */
export interface Eligibility {
  readonly status: EligibilityStatus;
  readonly reason: string;
}

export interface Reviewer {
  readonly userId: number;
  readonly login: string;
}

/** The eligibility of a user, or the fact that is missing to decide it. */
type EligibilityResult =
  | { readonly status: 'eligible' }
  | { readonly status: 'ineligible'; readonly reason: string }
  /** The login belongs to another account now, or to none. */
  | { readonly status: 'renamed' }
  | { readonly status: 'unknown'; readonly lacks: FactKey | 'authors' };

const MAY_WRITE: readonly PermissionFact['level'][] = ['write', 'maintain', 'admin'];

/**
 * Checks whether a review of one user counts for any of the requirements, by stored facts of any age. A caller that needs a
 * current answer must check the age of the facts. `authors` are the authors of the release. Null if they are not known.
 */
export function reviewEligibility(
  reviewer: Reviewer,
  requirements: readonly ReviewerRequirement[],
  authors: ReadonlySet<number> | null,
  facts: FactReader,
): Eligibility {
  const finding = findEligibility(reviewer, requirements, authors, facts);
  const { login } = reviewer;
  if (finding.status === 'eligible') return { status: 'eligible', reason: mayApprove(login) };
  if (finding.status === 'ineligible') return finding;
  if (finding.status === 'renamed') {
    return { status: 'ineligible', reason: `"${login}" is no longer the account that reviewed.` };
  }
  return { status: 'unknown', reason: `${describeMissingFact(finding.lacks, login)} is not known yet.` };
}

/** The results from the best one on: a review counts if it counts for one requirement. */
const STATUS_ORDER: readonly EligibilityResult['status'][] = ['eligible', 'unknown', 'renamed', 'ineligible'];

/** Checks the eligibility with the facts that `facts` returns, which decides which of them are fresh enough. */
function findEligibility(
  reviewer: Reviewer,
  requirements: readonly ReviewerRequirement[],
  authors: ReadonlySet<number> | null,
  facts: FactReader,
): EligibilityResult {
  const results = requirements.map((requirement) => findForRequirement(reviewer, requirement, authors, facts));
  return best(results, (result) => result);
}

/** Returns the entry with the best result. Every policy has at least one requirement. */
const best = <T>(entries: readonly T[], toResult: (entry: T) => EligibilityResult): T =>
  entries.reduce((found, entry) => (rank(toResult(entry)) < rank(toResult(found)) ? entry : found));

const rank = ({ status }: EligibilityResult): number => STATUS_ORDER.indexOf(status);

function findForRequirement(
  reviewer: Reviewer,
  requirement: ReviewerRequirement,
  authors: ReadonlySet<number> | null,
  facts: FactReader,
): EligibilityResult {
  const eligibility = findRepositoryEligibility(reviewer, requirement, facts);
  if (eligibility.status !== 'eligible' || !requirement.excludeReleaseAuthors) return eligibility;
  if (authors === null) return { status: 'unknown', lacks: 'authors' };
  return authors.has(reviewer.userId) ? ineligible(`${reviewer.login} wrote a commit of this release.`) : eligibility;
}

/**
 * Checks the part of the eligibility that is the same for all releases of a repository: everything except authorship.
 */
function findRepositoryEligibility(
  { userId, login }: Reviewer,
  { teams }: ReviewerRequirement,
  facts: FactReader,
): EligibilityResult {
  const permission = facts.read('permission', login);
  const memberships = teams.map((slug) => ({ slug, members: facts.read('team', slug) }));

  if (!permission) return { status: 'unknown', lacks: { kind: 'permission', key: login } };
  if (permission.userId !== userId) return { status: 'renamed' };
  if (!MAY_WRITE.includes(permission.level)) return ineligible(`${login} has no write access to the repository.`);

  if (teams.length > 0 && !memberships.some(({ members }) => members?.userIds.includes(userId))) {
    const unreadTeam = memberships.find(({ members }) => members === undefined);
    if (unreadTeam) return { status: 'unknown', lacks: { kind: 'team', key: unreadTeam.slug } };
    return ineligible(`${login} belongs to none of the teams ${teams.map((slug) => `"${slug}"`).join(', ')}.`);
  }
  return { status: 'eligible' };
}

const mayApprove = (login: string): string => `${login} may approve this release.`;

/** Describes a missing fact as the subject of a sentence. */
function describeMissingFact(lacks: FactKey | 'authors', login: string): string {
  if (lacks === 'authors') return 'The list of authors of this release';
  if (lacks.kind === 'team') return `The member list of the team "${lacks.key}"`;
  if (lacks.kind === 'permission') return `The permission of ${login} in the repository`;
  return lacks.kind === 'pull' ? 'The state of the evidence pull request' : 'The review rules in sdlc.yaml';
}

const ineligible = (reason: string): EligibilityResult => ({ status: 'ineligible', reason });

/** Whether a user may review now. `eligible` only if all needed facts are fresh. */
export interface ReviewerEligibility extends Eligibility {
  /** The GitHub login of the user. Null if not known. */
  readonly login: string | null;
}

export interface ReviewerInput {
  readonly reviewer: Reviewer;
  /** The number of the latest evidence pull request. Null if there was none yet. */
  readonly pullNumber: number | null;
  /** The GitHub user ids of the current authors of the release. Null if not known. */
  readonly authors: ReadonlySet<number> | null;
}

/** Returns whether a user may approve the evidence of a release, by fresh facts only. */
export function reviewerEligibility(
  { reviewer, pullNumber, authors }: ReviewerInput,
  facts: FreshFacts,
): ReviewerEligibility {
  const { login } = reviewer;
  const closed = closedPull(pullNumber, facts);
  if (closed !== null) return { status: 'ineligible', login, reason: closed };
  const unknown = (lacks: FactKey | 'authors'): ReviewerEligibility => ({
    status: 'unknown',
    login,
    reason: describeReason(lacks, login, facts),
  });
  const pull = { kind: 'pull', key: String(pullNumber) } as const;
  if (facts.findStaleReason(pull) !== null) return unknown(pull);
  const rules = facts.read('policy', '');
  if (!rules) return unknown({ kind: 'policy', key: '' });
  if (rules.status !== 'valid') return { status: 'unknown', login, reason: NO_RULES };
  const finding = findEligibility(reviewer, rules.policy.evidencing.requiredReviewers, authors, facts);
  if (finding.status === 'unknown') return unknown(finding.lacks);
  if (finding.status === 'renamed') return { status: 'unknown', login: null, reason: renamed(login) };
  return { status: finding.status, login, reason: finding.status === 'eligible' ? mayApprove(login) : finding.reason };
}

/** Returns the eligibility for a release that has ended. It is final, even if the pull request is still open. */
export const endedEligibility = (
  version: string,
  ending: 'shipped' | 'cancelled',
  { login }: Reviewer,
): ReviewerEligibility => ({
  status: 'ineligible',
  login,
  reason: `${version} is ${ending}: its evidence can no longer be reviewed.`,
});

/** Returns the users whose approval would count now, by fresh facts. Null if the eligibility of every user is unknown. */
export function selectEligible<R extends Reviewer>(
  reviewers: readonly R[],
  release: Omit<ReviewerInput, 'reviewer'>,
  facts: FreshFacts,
): readonly R[] | null {
  const known = reviewers
    .map((reviewer) => ({ reviewer, status: reviewerEligibility({ ...release, reviewer }, facts).status }))
    .filter(({ status }) => status !== 'unknown');
  if (known.length === 0) return null;
  return known.filter(({ status }) => status === 'eligible').map(({ reviewer }) => reviewer);
}

const NO_RULES = 'Without a valid sdlc.yaml on the default branch it is not known who may approve.';
const renamed = (login: string): string =>
  `The account no longer has the login "${login}". Sign in again to update it.`;

/** Returns why there is nothing to approve. Null if there is something, or if it is not known. */
function closedPull(number: number | null, facts: FreshFacts): string | null {
  if (number === null) return 'There is no evidence pull request to approve yet.';
  const pull = facts.read('pull', String(number));
  if (pull === null) return `The evidence pull request #${number} no longer exists.`;
  if (pull?.state === 'closed') return `The evidence pull request #${number} was closed without a merge.`;
  return pull?.state === 'merged' ? `The evidence pull request #${number} was merged.` : null;
}

/** The eligibility of a user for a repository, without regard to a release. */
export interface RepositoryEligibility {
  readonly status: Eligibility['status'];
  /** Whether authors of a release may not review it. */
  readonly excludesAuthors: boolean;
  /** The first missing fact that GitHub can provide. Null if there is none. */
  readonly lacks: FactKey | null;
}

/** Returns the result of `reviewerEligibility` for a release with an open pull request that other users wrote. */
export function repositoryEligibility(reviewer: Reviewer, facts: FreshFacts): RepositoryEligibility {
  const rules = facts.read('policy', '');
  if (!rules) return { status: 'unknown', excludesAuthors: false, lacks: { kind: 'policy', key: '' } };
  if (rules.status !== 'valid') return { status: 'unknown', excludesAuthors: false, lacks: null };
  const results = rules.policy.evidencing.requiredReviewers.map((requirement) => ({
    requirement,
    finding: findRepositoryEligibility(reviewer, requirement, facts),
  }));
  const { finding } = best(results, (result) => result.finding);
  const excludesAuthors = results
    .filter((result) => result.finding.status === finding.status)
    .every(({ requirement }) => requirement.excludeReleaseAuthors);
  if (finding.status === 'renamed') return { status: 'unknown', excludesAuthors, lacks: null };
  const lacks = finding.status === 'unknown' && finding.lacks !== 'authors' ? finding.lacks : null;
  return { status: finding.status, excludesAuthors, lacks };
}

/** Lists the facts that are needed for the eligibility of a user. Teams are those that the policy names. */
export const listReviewFacts = (
  { login }: Reviewer,
  pullNumber: number | null,
  policy: Policy | null,
): readonly FactKey[] => [
  { kind: 'policy', key: '' },
  { kind: 'permission', key: login },
  ...(pullNumber === null ? [] : [{ kind: 'pull', key: String(pullNumber) } as const]),
  ...reviewerTeams(policy?.evidencing.requiredReviewers ?? []).map((key) => ({ kind: 'team', key }) as const),
];

const MINUTE_MS = 60_000;

function describeReason(lacks: FactKey | 'authors', login: string, facts: FreshFacts): string {
  const subject = describeMissingFact(lacks, login);
  const lack = lacks === 'authors' ? 'unread' : facts.findStaleReason(lacks);
  if (lacks === 'authors' || lack === 'unread') return `${subject} is not known yet.`;
  if (lack === 'unanswered') return `${subject} was not read from GitHub in time.`;
  return `${subject} was last read more than ${factLifetimeMs(lacks.kind) / MINUTE_MS} minutes ago.`;
}
