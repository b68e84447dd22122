import type { CommitFact, Sha } from '../facts/facts.js';
import type { TrackedFacts } from '../facts/tracked-facts.js';

export interface AuthorQuestion {
  readonly candidateSha: Sha;
  /** The last shipped candidate; null where the release is the first. */
  readonly predecessorSha: Sha | null;
  readonly developmentHead: Sha | null;
}

/** GitHub's own `web-flow`, which commits whatever people do on its pages. */
const WEB_FLOW_ID = 19_864_447;

/** How many logins without an id are looked up; who wrote a release that names more is not known. */
const MOST_LOGINS = 200;

/**
 * The people who wrote a commit of the release, as its author, its committer or a co-author: since the last shipped candidate, else since the merge base with the
 * development branch. The candidate's own commit always counts, also on a trunk that has shipped nothing yet, where the
 * merge base is the candidate itself. Null where that is not known. Commits without an account count for nobody.
 */
export function releaseAuthors(
  { candidateSha, predecessorSha, developmentHead }: AuthorQuestion,
  facts: TrackedFacts,
): ReadonlySet<number> | null {
  const since = predecessorSha ?? developmentHead;
  const comparison = since === null ? undefined : facts.comparison(since, candidateSha);
  if (!comparison?.commitsComplete) return null;
  const listed = comparison.commits;
  if (!listed.every(tellsCoAuthors)) {
    facts.outdate({ kind: 'comparison', key: `${since}...${candidateSha}` });
    return null;
  }
  if (listed.some(({ sha }) => sha === candidateSha) || developmentHead === null) return writersOf(listed, facts);
  const candidate = facts.read('history', developmentHead)?.find(({ sha }) => sha === candidateSha);
  if (!candidate) return null;
  if (tellsCoAuthors(candidate)) return writersOf([...listed, candidate], facts);
  facts.outdate({ kind: 'history', key: developmentHead });
  return null;
}

/** Comparisons and histories hold for good, so those that earlier versions stored are read anew where they are asked. */
const tellsCoAuthors = (commit: CommitFact): boolean => 'coAuthors' in commit;

/** Null while it is not known whose one of the logins is; a login that no account has counts for nobody. */
function writersOf(commits: readonly CommitFact[], facts: TrackedFacts): ReadonlySet<number> | null {
  const named = commits.flatMap(({ authorId, committerId, coAuthors }) => [authorId, committerId, ...coAuthors]);
  const logins = new Set(named.filter((person) => typeof person === 'string'));
  if (logins.size > MOST_LOGINS) return null;
  // All of them are asked for at once, so that they are read together.
  const accounts = [...logins].map((login) => facts.read('permission', login));
  if (accounts.includes(undefined)) return null;
  const ids = [...named.filter((person) => typeof person === 'number'), ...accounts.map((account) => account?.userId)];
  return new Set(ids.filter((id) => typeof id === 'number' && id !== WEB_FLOW_ID) as number[]);
}
