import type { FactReader } from '../release/consulted-facts.js';
import type { Sha } from '../release/facts.js';

/**
 * The people who wrote a commit of the release: since the last shipped candidate, else since the merge base with the
 * development branch. Null where that is not known. Commits without an account count for nobody.
 */
export function releaseAuthors(candidateSha: Sha, since: Sha | null, facts: FactReader): ReadonlySet<number> | null {
  const comparison = since === null ? undefined : facts.comparison(since, candidateSha);
  if (!comparison?.commitsComplete) return null;
  return new Set(comparison.commits.flatMap(({ authorId }) => authorId ?? []));
}
