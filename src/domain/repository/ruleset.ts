import { literalPrefix, releaseBranchPatterns } from '../policy/branch-pattern.js';
import { minApprovals, type Policy } from '../policy/policy.js';

/** One rule with its GitHub type and parameters: https://docs.github.com/rest/repos/rules */
export interface Rule {
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** An actor that may bypass a ruleset. */
export interface BypassActor {
  readonly type: string;
  /** Null for types without an id, such as deploy keys. */
  readonly id: number | null;
}

/** A GitHub ruleset for the branches that it names. */
export interface Ruleset {
  readonly name: string;
  readonly target: string;
  readonly enforcement: string;
  /** Patterns of full refs in GitHub's syntax, or `~DEFAULT_BRANCH`, or `~ALL`. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Null if the caller may not see it. GitHub shows it only to callers who may change the ruleset. */
  readonly bypassActors: readonly BypassActor[] | null;
  readonly rules: readonly Rule[];
}

/**
 * Whether GitHub protects the branches of a repository as the policy requires. `unknown`: it was never set up.
 * `pending`: the set-up is queued. `active`: it is as desired or stricter. `drifted`: it was set up and is weaker than
 * desired now. `failed`: it could not be set up. `advisory`: the GitHub plan of the repository does not offer it.
 */
export const PROTECTION_STATUSES = ['unknown', 'pending', 'active', 'drifted', 'failed', 'advisory'] as const;
export type ProtectionStatus = (typeof PROTECTION_STATUSES)[number];

/** The stored protection status of a repository. */
export interface Protection {
  readonly status: ProtectionStatus;
  /** The problem and its solution, or a failed read. Null if there is nothing to report. */
  readonly detail: string | null;
}

/** The result of checking the protection on GitHub. */
export interface ProtectionCheckResult extends Protection {
  readonly status: Exclude<ProtectionStatus, 'unknown' | 'pending'>;
  /** No request was sent. The set-up needs the token of a user with sufficient rights. */
  readonly awaitsToken?: true;
}

/** A GitHub pattern for the current default branch. */
const DEFAULT_BRANCH = '~DEFAULT_BRANCH';
const ALL = '~ALL';
const HEADS = 'refs/heads/';
/** The GitHub pattern for everything below a folder at any depth. `**` has this meaning only between slashes. */
const BELOW = '**/*';

/** The maximum number of GitHub patterns for one policy pattern. Each `**` inside a segment doubles them. */
const MAX_PATTERNS = 16;

/** The branches of the service and their GitHub patterns. Rules for other branches must not block them. */
const OWN_BRANCHES: ReadonlyMap<string, string> = new Map([
  ['shipgate/bootstrap', `${HEADS}shipgate/bootstrap`],
  ['shipgate/evidence/', `${HEADS}shipgate/evidence/${BELOW}`],
  ['shipgate-workflow-update-', `${HEADS}shipgate-workflow-update-*`],
]);

/** Returns the ref of a branch. */
const branchTarget = (branch: string): string => `${HEADS}${branch}`;

/**
 * Converts a policy pattern to GitHub patterns with the same meaning. `*` and `?` are the same on GitHub. `**` crosses
 * segments only as a segment of its own with another one behind it ("Using fnmatch syntax" in "Creating rulesets for a
 * repository").
 */
export function patternTargets(pattern: string): readonly string[] {
  let targets = [HEADS];
  for (const [part] of pattern.matchAll(/\*+|[^*]+/g)) {
    if (part.length === 1 || !part.startsWith('*')) targets = targets.map((target) => `${target}${part}`);
    else targets = targets.flatMap(expandDoubleStar);
    // The pattern is too complex. Everything below its literal prefix is protected instead.
    if (targets.length > MAX_PATTERNS) return [`${HEADS}${literalPrefix(pattern)}${BELOW}`];
  }
  return targets;
}

/** Expands `**` after a prefix: to the rest of the same segment, and to everything below it. */
const expandDoubleStar = (before: string): string[] =>
  before.endsWith('/') ? [`${before}${BELOW}`] : [`${before}*`, `${before}*/${BELOW}`];

/** Returns the branches of the service that a ruleset for this pattern must exclude. */
export function ownTargetsWithin(pattern: string): readonly string[] {
  const prefix = literalPrefix(pattern);
  const isWhole = prefix === pattern;
  return [...OWN_BRANCHES]
    .filter(([own]) => (isWhole ? prefix.startsWith(own) : own.startsWith(prefix) || prefix.startsWith(own)))
    .map(([, target]) => target);
}

/** Returns whether `include` covers all targets, as far as patterns alone can show it. */
export function coversTargets(include: readonly string[], targets: readonly string[], defaultBranch: string): boolean {
  const named = (target: string): string => (target === DEFAULT_BRANCH ? branchTarget(defaultBranch) : target);
  const included = include.map(named);
  return targets.map(named).every((target) => included.some((one) => includesRef(one, target)));
}

function includesRef(included: string, target: string): boolean {
  if (included === ALL || included === target) return true;
  return included.endsWith(`/${BELOW}`) && target.startsWith(included.slice(0, -BELOW.length));
}

/** The minimum that the service requires of a ruleset. A stricter ruleset is accepted. */
export interface DesiredRuleset {
  /** The name by which the service finds the ruleset again. */
  readonly name: string;
  readonly targets: readonly string[];
  /** The targets that the ruleset must exclude. */
  readonly spared: readonly string[];
  readonly approvals: number;
  /** The required check and the only app that may report it. */
  readonly check: { readonly name: string; readonly appId: number };
}

/**
 * The names of the rulesets. A ruleset with one of these names is managed by the service, also if a user created it.
 */
const DEVELOPMENT_RULESET = 'Shipgate: development branch';
const RELEASE_RULESET = 'Shipgate: release branches';

/**
 * The largest number of approvals that GitHub accepts (https://docs.github.com/rest/repos/rules,
 * `required_approving_review_count`).
 */
const MAX_APPROVALS = 10;
const CHECK_NAME = 'Shipgate';

/**
 * Returns the rulesets that enforce the policy on GitHub. They do not require the policy's own required checks: those
 * run at a candidate, and many of them never run on pull requests, so no pull request could be merged.
 */
export function desiredRulesets(policy: Policy, appId: number): readonly DesiredRuleset[] {
  const common = {
    approvals: Math.min(MAX_APPROVALS, minApprovals(policy.evidencing.requiredReviewers)),
    check: { name: CHECK_NAME, appId },
  };
  const { branch } = policy.development;
  const patterns = releaseBranchPatterns(policy);
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

export const PROTECTION_RULE_STATUSES = ['active', 'missing', 'advisory', 'unknown'] as const;
export type ProtectionRuleStatus = (typeof PROTECTION_RULE_STATUSES)[number];

/** The protection rule of the service on the environment that a repository deploys to. */
export interface ProtectionRule {
  readonly status: Exclude<ProtectionRuleStatus, 'unknown'>;
  readonly environment: string;
  /** Null if GitHub does not report it. */
  readonly adminsMayBypass: boolean | null;
}
