import type { Sha } from '../../../domain/facts/facts.js';
import type { Proposal } from '../../../github/api/proposals.js';

/** A commit that somebody proposes to merge. */
export interface ProposedHead {
  readonly sha: Sha;
  /** Where the host itself made the commit, to try a merge: the branch that it made, and what it built it on. */
  readonly mergeGroup: { readonly branch: string; readonly baseSha: Sha } | null;
}

/** One change that has the commit at its head. */
export interface ProposedChange {
  /** Null where a merge group is of no pull request that is open. */
  readonly proposal: Proposal | null;
  /** A branch or a commit. */
  readonly base: string;
  /** The branch that it would be merged into; null where that cannot be told. */
  readonly target: string | null;
}

/** https://docs.github.com/repositories: the branches of a merge queue begin so. */
const QUEUE_BRANCH = /^gh-readonly-queue\/(?<target>.+)\/pr-(?<number>\d{1,9})-[0-9a-f]{7,64}$/;

/**
 * Every change that the head stands for. One commit may be proposed to several branches, and a check is the commit's: so
 * none of them may be left out, or a pull request to where a file was changed already would vouch for another one.
 */
export function changesAt({ sha, mergeGroup }: ProposedHead, open: readonly Proposal[]): readonly ProposedChange[] {
  if (mergeGroup === null) {
    return open
      .filter(({ headSha }) => headSha === sha)
      .map((proposal) => ({ proposal, base: proposal.baseRef, target: proposal.baseRef }));
  }
  const { target, number } = QUEUE_BRANCH.exec(mergeGroup.branch)?.groups ?? {};
  const proposal = open.find((one) => one.number === Number(number)) ?? null;
  return [{ proposal, base: mergeGroup.baseSha, target: target ?? null }];
}
