import type { CommitFact, ComparisonFact, Sha } from './facts.js';

/** Where the service keeps the evidence in a repository: a commit that changes nothing else changes no release. */
const EVIDENCE_FOLDER = '.releases/';

/** True where head descends from base and differs from it in nothing but the evidence folder. */
export const differsOnlyInEvidence = (comparison: ComparisonFact, base: Sha): boolean =>
  comparison.status === 'identical' ||
  (comparison.status === 'ahead' &&
    comparison.mergeBaseSha === base &&
    comparison.filesComplete &&
    comparison.files.every(({ path }) => path.startsWith(EVIDENCE_FOLDER)));

/**
 * Of the wanted commits those that `head` descends from (or is), newest first by ancestry: none stands before one of
 * its descendants. The host lists by date, and clocks lie, so only the parents count; of commits that are not each
 * other's ancestors the one nearer along first parents comes first.
 */
export function newestByAncestry(history: readonly CommitFact[], head: Sha, wanted: ReadonlySet<Sha>): readonly Sha[] {
  const commits = new Map(history.map((commit) => [commit.sha, commit]));
  const postOrder: Sha[] = [];
  const entered = new Set<Sha>();
  const stack: { sha: Sha; left: boolean }[] = [{ sha: head, left: false }];
  // Depth first, each commit written down after all that it reaches; the last parent is walked first, so that the
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
  return postOrder.toReversed().filter((sha) => wanted.has(sha));
}
