import type { FactKey, PermissionFact } from '../facts/facts.js';
import type { FactReader } from '../facts/tracked-facts.js';
import type { Policy } from '../policy/policy.js';
import { type FreshFacts, factLifetimeMs } from './fresh-facts.js';

/** Whether a person's review counts, and in one sentence why. */
export interface Eligibility {
  readonly status: 'eligible' | 'ineligible' | 'unknown';
  readonly reason: string;
}

export interface Reviewer {
  readonly userId: number;
  readonly login: string;
}

/** What was found about a person, and what it lacks to be more. */
type EligibilityResult =
  | { readonly status: 'eligible' }
  | { readonly status: 'ineligible'; readonly reason: string }
  /** The login is another account's by now, or nobody's. */
  | { readonly status: 'renamed' }
  | { readonly status: 'unknown'; readonly lacks: FactKey | 'authors' };

const MAY_WRITE: readonly PermissionFact['level'][] = ['write', 'maintain', 'admin'];

/**
 * Judges one person by what was observed, however old: whoever asks for a current answer reads the facts' age as well.
 * `authors` are the people who wrote the release; null where that could not be told.
 */
export function reviewEligibility(
  reviewer: Reviewer,
  policy: Policy,
  authors: ReadonlySet<number> | null,
  facts: FactReader,
): Eligibility {
  const finding = findEligibility(reviewer, policy, authors, facts);
  const { login } = reviewer;
  if (finding.status === 'eligible') return { status: 'eligible', reason: mayApprove(login) };
  if (finding.status === 'ineligible') return finding;
  if (finding.status === 'renamed') {
    return { status: 'ineligible', reason: `"${login}" is no longer the account that reviewed.` };
  }
  return { status: 'unknown', reason: `${describeMissingFact(finding.lacks, login)} is not known yet.` };
}

/** The same by the facts that the reader gives, whatever that takes for known. */
function findEligibility(
  reviewer: Reviewer,
  policy: Policy,
  authors: ReadonlySet<number> | null,
  facts: FactReader,
): EligibilityResult {
  const standing = findRepositoryEligibility(reviewer, policy, facts);
  if (standing.status !== 'eligible' || !policy.evidencing.requiredReviewers.excludeReleaseAuthors) return standing;
  if (authors === null) return { status: 'unknown', lacks: 'authors' };
  return authors.has(reviewer.userId) ? ineligible(`${reviewer.login} wrote a commit of this release.`) : standing;
}

/** What is the same for all releases of a repository: all but who wrote them. */
function findRepositoryEligibility(
  { userId, login }: Reviewer,
  { evidencing }: Policy,
  facts: FactReader,
): EligibilityResult {
  const { teams } = evidencing.requiredReviewers;
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

/** What a fact about reviewing tells, as the subject of a sentence. */
function describeMissingFact(lacks: FactKey | 'authors', login: string): string {
  if (lacks === 'authors') return 'Who wrote the commits of this release';
  if (lacks.kind === 'team') return `Who belongs to the team "${lacks.key}"`;
  if (lacks.kind === 'permission') return `What ${login} may do in the repository`;
  return lacks.kind === 'pull' ? 'Whether the evidence pull request is open' : 'What sdlc.yaml asks of reviewers';
}

const ineligible = (reason: string): EligibilityResult => ({ status: 'ineligible', reason });

/** Whether a person may review now; never `eligible` by anything that is not known at this moment. */
export interface ReviewerEligibility extends Eligibility {
  /** What the person is called on the host; null where that is not known. */
  readonly login: string | null;
}

export interface ReviewerQuestion {
  readonly reviewer: Reviewer;
  /** The number of the latest evidence pull request; null where there was none yet. */
  readonly pullNumber: number | null;
  /** Who wrote the release as it is now; null where that is not known. */
  readonly authors: ReadonlySet<number> | null;
}

/** Tells a person whether they may approve the evidence of a release, by the facts that count now. */
export function reviewerEligibility(
  { reviewer, pullNumber, authors }: ReviewerQuestion,
  facts: FreshFacts,
): ReviewerEligibility {
  const { login } = reviewer;
  const closed = closedPull(pullNumber, facts);
  if (closed !== null) return { status: 'ineligible', login, reason: closed };
  const unknown = (lacks: FactKey | 'authors'): ReviewerEligibility => ({
    status: 'unknown',
    login,
    reason: reasonOf(lacks, login, facts),
  });
  const pull = { kind: 'pull', key: String(pullNumber) } as const;
  if (facts.findStaleReason(pull) !== null) return unknown(pull);
  const rules = facts.read('policy', '');
  if (!rules) return unknown({ kind: 'policy', key: '' });
  if (rules.status !== 'valid') return { status: 'unknown', login, reason: NO_RULES };
  const finding = findEligibility(reviewer, rules.policy, authors, facts);
  if (finding.status === 'unknown') return unknown(finding.lacks);
  if (finding.status === 'renamed') return { status: 'unknown', login: null, reason: renamed(login) };
  return { status: finding.status, login, reason: finding.status === 'eligible' ? mayApprove(login) : finding.reason };
}

const NO_RULES = 'Without a valid sdlc.yaml on the default branch it is not known who may approve.';
const renamed = (login: string): string =>
  `The account is not called "${login}" any more; signing in again tells its name.`;

/** Why there is nothing to approve; null where there is, or where that is not known. */
function closedPull(number: number | null, facts: FreshFacts): string | null {
  if (number === null) return 'There is no evidence pull request to approve yet.';
  const pull = facts.read('pull', String(number));
  if (pull === null) return `The evidence pull request #${number} is gone.`;
  if (pull?.state === 'closed') return `The evidence pull request #${number} was closed without a merge.`;
  return pull?.state === 'merged' ? `The evidence pull request #${number} was merged.` : null;
}

/** What can be told of a person for a whole repository, before it is asked about one release. */
export interface RepositoryEligibility {
  readonly status: Eligibility['status'];
  /** Whether who wrote a release may not review it. */
  readonly excludesAuthors: boolean;
  /** The first fact that it lacks and that the host may tell; null where it lacks none. */
  readonly lacks: FactKey | null;
}

/** Where `reviewerEligibility` would end for a release whose pull request is open and which others wrote. */
export function repositoryEligibility(reviewer: Reviewer, facts: FreshFacts): RepositoryEligibility {
  const rules = facts.read('policy', '');
  if (!rules) return { status: 'unknown', excludesAuthors: false, lacks: { kind: 'policy', key: '' } };
  if (rules.status !== 'valid') return { status: 'unknown', excludesAuthors: false, lacks: null };
  const excludesAuthors = rules.policy.evidencing.requiredReviewers.excludeReleaseAuthors;
  const finding = findRepositoryEligibility(reviewer, rules.policy, facts);
  if (finding.status === 'renamed') return { status: 'unknown', excludesAuthors, lacks: null };
  const lacks = finding.status === 'unknown' && finding.lacks !== 'authors' ? finding.lacks : null;
  return { status: finding.status, excludesAuthors, lacks };
}

/** What the host has to be asked so that a person can be told; of the teams those that the rules name. */
export const listReviewFacts = (
  { login }: Reviewer,
  pullNumber: number | null,
  policy: Policy | null,
): readonly FactKey[] => [
  { kind: 'policy', key: '' },
  { kind: 'permission', key: login },
  ...(pullNumber === null ? [] : [{ kind: 'pull', key: String(pullNumber) } as const]),
  ...(policy?.evidencing.requiredReviewers.teams ?? []).map((key) => ({ kind: 'team', key }) as const),
];

const MINUTE_MS = 60_000;

function reasonOf(lacks: FactKey | 'authors', login: string, facts: FreshFacts): string {
  const subject = describeMissingFact(lacks, login);
  const lack = lacks === 'authors' ? 'unread' : facts.findStaleReason(lacks);
  if (lacks === 'authors' || lack === 'unread') return `${subject} is not known yet.`;
  if (lack === 'untold') return `${subject} was not told by the code host in time.`;
  return `${subject} was last read more than ${factLifetimeMs(lacks.kind) / MINUTE_MS} minutes ago.`;
}
