import type { Policy } from '../policy/policy.js';
import { DEFAULT_BRANCH, ownTargetsWithin, targetOfBranch, targetsOfPattern } from './ruleset-targets.js';

/** What the service wants of a ruleset, at least: whoever asks for more of it is welcome to. */
export interface WantedRuleset {
  /** By which it is found again. */
  readonly name: string;
  readonly targets: readonly string[];
  /** What it has to leave out. */
  readonly spared: readonly string[];
  readonly approvals: number;
  /** The check that must have succeeded, and the app that alone may report it. */
  readonly check: { readonly name: string; readonly appId: number };
}

/** The rulesets of the service are found by these names, so whoever makes one that is called so makes it for the service. */
const DEVELOPMENT_RULESET = 'Shipgate: development branch';
const RELEASE_RULESET = 'Shipgate: release branches';

/** GitHub takes no larger number of approvals (https://docs.github.com/rest/repos/rules, `required_approving_review_count`). */
const MOST_APPROVALS = 10;
const CHECK_NAME = 'Shipgate';

/**
 * The rulesets that make GitHub itself hold a repository to its policy. Of the policy's own required checks they ask none:
 * those are due at a candidate, and on pull requests many of them never run, so that nothing could be merged any more.
 */
export function wantedRulesets(policy: Policy, appId: number): readonly WantedRuleset[] {
  const common = {
    approvals: Math.min(MOST_APPROVALS, policy.evidencing.requiredReviewers.minApprovals),
    check: { name: CHECK_NAME, appId },
  };
  const { branch } = policy.development;
  const patterns = [policy.testing.branchPattern, policy.hotfixBranchPattern];
  return [
    {
      name: DEVELOPMENT_RULESET,
      targets: [branch === null ? DEFAULT_BRANCH : targetOfBranch(branch)],
      spared: [],
      ...common,
    },
    {
      name: RELEASE_RULESET,
      targets: distinct(patterns.flatMap(targetsOfPattern)),
      spared: distinct(patterns.flatMap(ownTargetsWithin)),
      ...common,
    },
  ];
}

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)];
