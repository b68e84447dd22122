import type { FactReader } from '../release/consulted-facts.js';
import type { Sha } from '../release/facts.js';

export interface AuthorQuestion {
  readonly candidateSha: Sha;
  /** The last shipped candidate; null where the release is the first. */
  readonly predecessorSha: Sha | null;
  readonly developmentHead: Sha | null;
}

/**
 * The people who wrote a commit of the release: since the last shipped candidate, else since the merge base with the
 * development branch. The candidate's own commit always counts, also on a trunk that has shipped nothing yet, where the
 * merge base is the candidate itself. Null where that is not known. Commits without an account count for nobody.
 */
export function releaseAuthors(
  { candidateSha, predecessorSha, developmentHead }: AuthorQuestion,
  facts: FactReader,
): ReadonlySet<number> | null {
  const since = predecessorSha ?? developmentHead;
  const comparison = since === null ? undefined : facts.comparison(since, candidateSha);
  if (!comparison?.commitsComplete) return null;
  const listed = comparison.commits;
  if (listed.some(({ sha }) => sha === candidateSha) || developmentHead === null) return authorsOf(listed);
  const candidate = facts.read('history', developmentHead)?.find(({ sha }) => sha === candidateSha);
  return candidate ? authorsOf([...listed, candidate]) : null;
}

const authorsOf = (commits: readonly { readonly authorId: number | null }[]): ReadonlySet<number> =>
  new Set(commits.flatMap(({ authorId }) => authorId ?? []));
