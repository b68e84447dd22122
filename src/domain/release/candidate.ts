import type { EvidenceItem } from '../evidence/evidence.js';
import { differsOnlyInEvidence, newestByAncestry } from '../facts/commit-ancestry.js';
import { missingFactCondition, type Condition } from '../facts/condition.js';
import type { RefFact, Sha } from '../facts/facts.js';
import type { FactReader, TrackedFacts } from '../facts/tracked-facts.js';
import {
  branchMatches,
  isHotfixBranch,
  lastSegment,
  literalPrefix,
  releaseBranchPatterns,
} from '../policy/branch-pattern.js';
import type { Policy } from '../policy/policy.js';

export interface Candidate {
  readonly sha: Sha;
  /** The candidate and its equivalent commits. They differ from it only in the evidence folder. */
  readonly shas: readonly Sha[];
}

export interface CandidateSearch {
  readonly candidate: Candidate | null;
  /** The release branch. Null if the release has none. */
  readonly releaseBranch: string | null;
  readonly hotfix: boolean;
  /** The branch that is checked for tampering. */
  readonly branch: string;
  readonly branchHead: Sha | null;
  readonly developmentBranch: string;
  readonly developmentHead: Sha | null;
  /** Why there is no candidate. Empty if there is one. */
  readonly unmet: readonly Condition[];
}

/**
 * Finds the commit that would ship now: the head of the release branch, or without one the commit with evidence that is
 * newest by ancestry on the development branch.
 */
export function findCandidate(
  version: string,
  policy: Policy,
  developmentBranch: string,
  evidence: readonly EvidenceItem[],
  facts: TrackedFacts,
): CandidateSearch {
  const developmentHead = facts
    .read('refs', developmentBranch)
    ?.find(({ branch }) => branch === developmentBranch)?.sha;
  const own = releaseBranches(version, policy, facts);
  const base: CandidateSearch = {
    candidate: null,
    releaseBranch: null,
    hotfix: false,
    branch: developmentBranch,
    branchHead: developmentHead ?? null,
    developmentBranch,
    developmentHead: developmentHead ?? null,
    unmet: [],
  };
  if (own === undefined) return { ...base, unmet: [missingFactCondition('the branches of the repository')] };
  if (own.length > 1) return { ...base, unmet: [twoBranches(own)] };

  const [ownBranch] = own;
  const head = ownBranch?.sha ?? developmentHead;
  const search = ownBranch
    ? {
        ...base,
        releaseBranch: ownBranch.branch,
        branch: ownBranch.branch,
        branchHead: ownBranch.sha,
        hotfix: isHotfixBranch(ownBranch.branch, policy),
      }
    : base;
  if (head === undefined) {
    const known = facts.read('refs', developmentBranch) !== undefined;
    return {
      ...search,
      unmet: [known ? noSuchBranch(developmentBranch) : missingFactCondition('the development branch')],
    };
  }
  const commits = new Set(evidence.map(({ commitSha }) => commitSha));
  if (ownBranch && (commits.size === 0 || (commits.size === 1 && commits.has(head)))) {
    return { ...search, candidate: { sha: head, shas: [head] } };
  }
  if (commits.size === 0) return { ...search, unmet: [noEvidence()] };

  const history = facts.read('history', head);
  if (!history) return { ...search, unmet: [missingFactCondition(`the history of ${search.branch}`)] };
  const newest = newestByAncestry(history, head, commits);
  const tip = ownBranch ? head : newest[0];
  if (tip === undefined) return { ...search, unmet: [noEvidence()] };
  return { ...search, ...sameCandidate(tip, newest, facts) };
}

/** Returns the prefixes of the branches that can be release branches: the keys of the `refs` facts. */
export const releaseBranchPrefixes = (policy: Policy): readonly string[] => [
  ...new Set(releaseBranchPatterns(policy).map(literalPrefix)),
];

/** Returns whether a branch of this name is a release branch of the version. */
export const isReleaseBranch = (branch: string, version: string, policy: Policy): boolean =>
  lastSegment(branch) === version && releaseBranchPatterns(policy).some((pattern) => branchMatches(pattern, branch));

/** Returns the release branches of the version. Undefined if the branches of the repository were never read. */
export function releaseBranches(version: string, policy: Policy, facts: FactReader): readonly RefFact[] | undefined {
  const found = new Map<string, RefFact>();
  for (const prefix of releaseBranchPrefixes(policy)) {
    const refs = facts.read('refs', prefix);
    if (!refs) return undefined;
    for (const ref of refs) if (isReleaseBranch(ref.branch, version, policy)) found.set(ref.branch, ref);
  }
  return [...found.values()];
}

/** Walks back from the tip over the commits with evidence as long as each one is equivalent to the tip. */
function sameCandidate(
  tip: Sha,
  newestFirst: readonly Sha[],
  facts: TrackedFacts,
): { candidate: Candidate | null; unmet: readonly Condition[] } {
  const shas = [tip];
  for (const sha of newestFirst) {
    if (sha === tip) continue;
    const comparison = facts.comparison(sha, tip);
    if (!comparison)
      return { candidate: null, unmet: [missingFactCondition('the differences between the commits with evidence')] };
    if (!differsOnlyInEvidence(comparison, sha)) break;
    shas.unshift(sha);
  }
  return { candidate: { sha: shas[0] ?? tip, shas }, unmet: [] };
}

const twoBranches = (branches: readonly RefFact[]): Condition => ({
  code: 'two_release_branches',
  detail: `The release has more than one branch: ${branches.map(({ branch }) => branch).join(', ')}. Delete all but one.`,
  actor: 'team',
});

const noSuchBranch = (branch: string): Condition => ({
  code: 'no_development_branch',
  detail: `The development branch "${branch}" does not exist.`,
  actor: 'team',
});

const noEvidence = (): Condition => ({
  code: 'no_candidate',
  detail:
    'There is no candidate yet. The release has no branch, and there is no evidence for a commit on the development branch.',
  actor: 'ci',
});
