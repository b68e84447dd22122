import type { CommitFact, ComparisonFact, Sha } from './facts.js';

/**
 * The folder in which the service publishes evidence. A commit that changes only this folder does not change the
 * release.
 */
const EVIDENCE_FOLDER = '.releases/';

/** Returns whether head descends from base and differs from it only in the evidence folder. */
export const differsOnlyInEvidence = (comparison: ComparisonFact, base: Sha): boolean =>
  comparison.status === 'identical' ||
  (comparison.status === 'ahead' &&
    comparison.mergeBaseSha === base &&
    comparison.filesComplete &&
    comparison.files.every(({ path }) => path.startsWith(EVIDENCE_FOLDER)));

/**
 * Returns the `selected` commits that are `head` or its ancestors, newest first by ancestry: no commit precedes one of
 * its descendants. GitHub sorts by date, and clocks can be wrong, so only the parents count. Of two unrelated commits,
 * the one closer along first parents comes first.
 */
export function newestByAncestry(
  history: readonly CommitFact[],
  head: Sha,
  selected: ReadonlySet<Sha>,
): readonly Sha[] {
  const commits = new Map(history.map((commit) => [commit.sha, commit]));
  const postOrder: Sha[] = [];
  const entered = new Set<Sha>();
  const stack: { sha: Sha; left: boolean }[] = [{ sha: head, left: false }];
  // Depth first: a commit is added after everything that it reaches. The last parent is visited first, so that the
  // reversed order follows first parents.
  for (let top = stack.pop(); top; top = stack.pop()) {
    if (top.left) {
      postOrder.push(top.sha);
      continue;
    }
    const commit = commits.get(top.sha);
    if (!commit || entered.has(top.sha)) continue;
    entered.add(top.sha);
    stack.push({ sha: top.sha, left: true });
    for (const parent of commit.parents) stack.push({ sha: parent, left: false });
  }
  return postOrder.toReversed().filter((sha) => selected.has(sha));
}
