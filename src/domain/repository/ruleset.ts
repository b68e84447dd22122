import { literalPrefix } from '../policy/branch-pattern.js';
import type { Policy } from '../policy/policy.js';

/** One rule as GitHub names it, its parameters as they stand: https://docs.github.com/rest/repos/rules */
export interface Rule {
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Somebody on whom a ruleset is not binding. */
export interface BypassActor {
  readonly type: string;
  /** Null for kinds that have none, as deploy keys. */
  readonly id: number | null;
}

/** What GitHub lets nobody do to the branches that it names. */
export interface Ruleset {
  readonly name: string;
  readonly target: string;
  readonly enforcement: string;
  /** Patterns of full refs in GitHub's syntax, or `~DEFAULT_BRANCH`, or `~ALL`. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Null where whoever asked may not see it: GitHub tells it to those who may change the ruleset. */
  readonly bypassActors: readonly BypassActor[] | null;
  readonly rules: readonly Rule[];
}

/**
 * Whether GitHub itself holds a repository's branches to the policy. `unknown`: nobody has asked for it yet. `pending`: it is
 * about to be set up. `active`: it is as wanted, or stricter. `drifted`: it was set up, and is weaker than wanted now.
 * `failed`: it could not be set up. `advisory`: GitHub offers it not to repositories of this plan.
 */
export const PROTECTION_STATUSES = ['unknown', 'pending', 'active', 'drifted', 'failed', 'advisory'] as const;
export type ProtectionStatus = (typeof PROTECTION_STATUSES)[number];

/** What is known of the protection of a repository. */
export interface Protection {
  readonly status: ProtectionStatus;
  /** What is wrong and what to do, or what could not be seen; null where there is nothing to say. */
  readonly detail: string | null;
}

/** What a look at the code host may come to. */
export interface ProtectionCheckResult extends Protection {
  readonly status: Exclude<ProtectionStatus, 'unknown' | 'pending'>;
  /** Nothing was tried: it waits for the token of somebody who may do it. */
  readonly awaitsToken?: true;
}

/** A development branch that follows whatever the repository's default one is. */
const DEFAULT_BRANCH = '~DEFAULT_BRANCH';
const ALL = '~ALL';
const HEADS = 'refs/heads/';
/** Whatever lies below a folder, however deep: as GitHub's pattern, and only with a slash on both sides does `**` do that. */
const BELOW = '**/*';

/** So many patterns at most stand for one: each `**` amid a segment doubles them. */
const MOST_PATTERNS = 16;

/** What the service itself pushes to, and how GitHub is told. Rules for other people's changes would keep it from its work. */
const OWN_BRANCHES: ReadonlyMap<string, string> = new Map([
  ['shipgate/bootstrap', `${HEADS}shipgate/bootstrap`],
  ['shipgate/evidence/', `${HEADS}shipgate/evidence/${BELOW}`],
  ['shipgate-workflow-update-', `${HEADS}shipgate-workflow-update-*`],
]);

/** The one branch of this name, as a target. */
const branchTarget = (branch: string): string => `${HEADS}${branch}`;

/**
 * The policy's pattern as targets that GitHub reads the same way. Its `*` and `?` mean the same; its `**` crosses segments
 * only as a segment of its own with another one behind it ("Using fnmatch syntax" in "Creating rulesets for a repository").
 */
export function patternTargets(pattern: string): readonly string[] {
  let targets = [HEADS];
  for (const [part] of pattern.matchAll(/\*+|[^*]+/g)) {
    if (part.length === 1 || !part.startsWith('*')) targets = targets.map((target) => `${target}${part}`);
    else targets = targets.flatMap(crossing);
    // More would be a pattern that nobody means: what they have in common is protected as a whole.
    if (targets.length > MOST_PATTERNS) return [`${HEADS}${literalPrefix(pattern)}${BELOW}`];
  }
  return targets;
}

/** What `**` stands for behind this: in the same segment, or in that one and any below it. */
const crossing = (before: string): string[] =>
  before.endsWith('/') ? [`${before}${BELOW}`] : [`${before}*`, `${before}*/${BELOW}`];

/** What a ruleset for this pattern has to leave out, because it may be the service's own. */
export function ownTargetsWithin(pattern: string): readonly string[] {
  const prefix = literalPrefix(pattern);
  const isWhole = prefix === pattern;
  return [...OWN_BRANCHES]
    .filter(([own]) => (isWhole ? prefix.startsWith(own) : own.startsWith(prefix) || prefix.startsWith(own)))
    .map(([, target]) => target);
}

/** Whether what these targets name is named by `include` too, as far as that can be told without trying branches. */
export function coversTargets(include: readonly string[], targets: readonly string[], defaultBranch: string): boolean {
  const named = (target: string): string => (target === DEFAULT_BRANCH ? branchTarget(defaultBranch) : target);
  const included = include.map(named);
  return targets.map(named).every((target) => included.some((one) => includesRef(one, target)));
}

function includesRef(included: string, target: string): boolean {
  if (included === ALL || included === target) return true;
  return included.endsWith(`/${BELOW}`) && target.startsWith(included.slice(0, -BELOW.length));
}

/** What the service wants of a ruleset, at least: whoever asks for more of it is welcome to. */
export interface DesiredRuleset {
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
export function desiredRulesets(policy: Policy, appId: number): readonly DesiredRuleset[] {
  const common = {
    approvals: Math.min(MOST_APPROVALS, policy.evidencing.requiredReviewers.minApprovals),
    check: { name: CHECK_NAME, appId },
  };
  const { branch } = policy.development;
  const patterns = [policy.testing.branchPattern, policy.hotfixBranchPattern];
  return [
    {
      name: DEVELOPMENT_RULESET,
      targets: [branch === null ? DEFAULT_BRANCH : branchTarget(branch)],
      spared: [],
      ...common,
    },
    {
      name: RELEASE_RULESET,
      targets: distinct(patterns.flatMap(patternTargets)),
      spared: distinct(patterns.flatMap(ownTargetsWithin)),
      ...common,
    },
  ];
}

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)];
