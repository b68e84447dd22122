import type { FactKey, PermissionFact } from '../facts/facts.js';
import type { FactReader } from '../facts/tracked-facts.js';
import type { Policy } from '../policy/policy.js';

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
export type EligibilityFinding =
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
export function eligibilityOf(
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
  return { status: 'unknown', reason: `${subjectOf(finding.lacks, login)} is not known yet.` };
}

/** The same by the facts that the reader gives, whatever that takes for known. */
export function findEligibility(
  reviewer: Reviewer,
  policy: Policy,
  authors: ReadonlySet<number> | null,
  facts: FactReader,
): EligibilityFinding {
  const standing = findStanding(reviewer, policy, facts);
  if (standing.status !== 'eligible' || !policy.evidencing.requiredReviewers.excludeReleaseAuthors) return standing;
  if (authors === null) return { status: 'unknown', lacks: 'authors' };
  return authors.has(reviewer.userId) ? ineligible(`${reviewer.login} wrote a commit of this release.`) : standing;
}

/** What is the same for all releases of a repository: all but who wrote them. */
export function findStanding(
  { userId, login }: Reviewer,
  { evidencing }: Policy,
  facts: FactReader,
): EligibilityFinding {
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

export const mayApprove = (login: string): string => `${login} may approve this release.`;

/** What a fact about reviewing tells, as the subject of a sentence. */
export function subjectOf(lacks: FactKey | 'authors', login: string): string {
  if (lacks === 'authors') return 'Who wrote the commits of this release';
  if (lacks.kind === 'team') return `Who belongs to the team "${lacks.key}"`;
  if (lacks.kind === 'permission') return `What ${login} may do in the repository`;
  return lacks.kind === 'pull' ? 'Whether the evidence pull request is open' : 'What sdlc.yaml asks of reviewers';
}

const ineligible = (reason: string): EligibilityFinding => ({ status: 'ineligible', reason });
