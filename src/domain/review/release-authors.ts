import type { CommitFact, Sha } from '../facts/facts.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';

export interface AuthorsInput {
  readonly candidateSha: Sha;
  /** The last shipped candidate. Null if this is the first release. */
  readonly predecessorSha: Sha | null;
  readonly developmentHead: Sha | null;
}

/** The id of GitHub's account `web-flow`, the committer of changes made on GitHub's pages. */
export const WEB_FLOW_ID = 19_864_447;

/** The maximum number of logins whose ids are read. With more of them the authors are unknown. */
const MOST_LOGINS = 200;

/**
 * Returns the GitHub user ids of all authors, committers and co-authors of the release's commits since the last shipped
 * candidate, else since the merge base with the development branch. The candidate's own commit always counts, also on a
 * trunk that has shipped nothing yet, where the merge base is the candidate itself. Null if they are not known. Commits
 * without an account have no author.
 */
export function releaseAuthors(
  { candidateSha, predecessorSha, developmentHead }: AuthorsInput,
  facts: TrackedFacts,
): ReadonlySet<number> | null {
  const since = predecessorSha ?? developmentHead;
  const comparison = since === null ? undefined : facts.comparison(since, candidateSha);
  if (!comparison?.commitsComplete) return null;
  const listed = comparison.commits;
  if (listed.some(({ sha }) => sha === candidateSha) || developmentHead === null)
    return authorsOfCommits(listed, facts);
  const candidate = facts.read('history', developmentHead)?.find(({ sha }) => sha === candidateSha);
  return candidate ? authorsOfCommits([...listed, candidate], facts) : null;
}

/**
 * Returns the user ids of the authors. Null while the account of a login is not known. A login without an account is
 * ignored.
 */
function authorsOfCommits(commits: readonly CommitFact[], facts: TrackedFacts): ReadonlySet<number> | null {
  const named = commits.flatMap(({ authorId, committerId, coAuthors }) => [authorId, committerId, ...coAuthors]);
  const logins = new Set(named.filter((author) => typeof author === 'string'));
  if (logins.size > MOST_LOGINS) return null;
  // All accounts are requested before the first check, so that one refresh reads them together.
  const accounts = [...logins].map((login) => facts.read('permission', login));
  if (accounts.includes(undefined)) return null;
  const ids = [...named.filter((author) => typeof author === 'number'), ...accounts.map((account) => account?.userId)];
  return new Set(ids.filter((id) => typeof id === 'number' && id !== WEB_FLOW_ID) as number[]);
}
