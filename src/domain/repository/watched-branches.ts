import { branchMatches, literalPrefix } from '../policy/branch-pattern.js';
import type { Policy } from '../policy/policy.js';

/** The branches on which installed files are watched: those that releases are made from. */
export interface WatchedBranches {
  /** What their names begin with: the host lists branches by that. */
  readonly prefixes: readonly string[];
  /** Whether releases are made from the branch without having it for themselves. */
  isTrunk(branch: string): boolean;
  includes(branch: string): boolean;
}

/** The default branch, the development branch, and every branch that a release or a hotfix may have for itself. */
export function watchedBranches(defaultBranch: string, policy: Policy): WatchedBranches {
  const trunks = [...new Set([defaultBranch, policy.development.branch ?? defaultBranch])];
  const patterns = [policy.testing.branchPattern, policy.hotfixBranchPattern];
  const isTrunk = (branch: string): boolean => trunks.includes(branch);
  return {
    prefixes: [...new Set([...trunks, ...patterns.map(literalPrefix)])],
    isTrunk,
    includes: (branch) => isTrunk(branch) || patterns.some((pattern) => branchMatches(pattern, branch)),
  };
}
