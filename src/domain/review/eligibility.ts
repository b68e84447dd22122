import type { Policy } from '../policy/policy.js';
import type { FactReader } from '../release/consulted-facts.js';
import type { PermissionFact } from '../release/facts.js';

/** Whether a person's review counts, and in one sentence why. */
export interface Eligibility {
  readonly status: 'eligible' | 'ineligible' | 'unknown';
  readonly reason: string;
}

export interface Reviewer {
  readonly userId: number;
  readonly login: string;
}

const MAY_WRITE: readonly PermissionFact['level'][] = ['write', 'maintain', 'admin'];

/**
 * Judges one person by what was observed, however old: whoever asks for a current answer reads the facts' age as well.
 * `authors` are the people who wrote the release; null where that could not be told.
 */
export function eligibilityOf(
  { userId, login }: Reviewer,
  policy: Policy,
  authors: ReadonlySet<number> | null,
  facts: FactReader,
): Eligibility {
  const { teams, excludeReleaseAuthors } = policy.evidencing.requiredReviewers;
  const permission = facts.read('permission', login);
  const memberships = teams.map((slug) => ({ slug, members: facts.read('team', slug) }));

  if (!permission) return unknown(`What ${login} may do in the repository is not known yet.`);
  if (permission.userId !== userId) return ineligible(`"${login}" is no longer the account that reviewed.`);
  if (!MAY_WRITE.includes(permission.level)) return ineligible(`${login} has no write access to the repository.`);

  if (teams.length > 0 && !memberships.some(({ members }) => members?.userIds.includes(userId))) {
    const unreadTeam = memberships.find(({ members }) => members === undefined);
    if (unreadTeam) return unknown(`Who belongs to the team "${unreadTeam.slug}" is not known yet.`);
    return ineligible(`${login} belongs to none of the teams ${teams.map((slug) => `"${slug}"`).join(', ')}.`);
  }
  if (excludeReleaseAuthors) {
    if (authors === null) return unknown('Who wrote the commits of this release is not known yet.');
    if (authors.has(userId)) return ineligible(`${login} wrote a commit of this release.`);
  }
  return { status: 'eligible', reason: `${login} may approve this release.` };
}

const unknown = (reason: string): Eligibility => ({ status: 'unknown', reason });
const ineligible = (reason: string): Eligibility => ({ status: 'ineligible', reason });
