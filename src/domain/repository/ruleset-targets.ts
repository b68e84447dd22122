import { literalPrefix } from '../policy/branch-pattern.js';

/** A development branch that follows whatever the repository's default one is. */
export const DEFAULT_BRANCH = '~DEFAULT_BRANCH';
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
export const targetOfBranch = (branch: string): string => `${HEADS}${branch}`;

/**
 * The policy's pattern as targets that GitHub reads the same way. Its `*` and `?` mean the same; its `**` crosses segments
 * only as a segment of its own with another one behind it ("Using fnmatch syntax" in "Creating rulesets for a repository").
 */
export function targetsOfPattern(pattern: string): readonly string[] {
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
  const named = (target: string): string => (target === DEFAULT_BRANCH ? targetOfBranch(defaultBranch) : target);
  const included = include.map(named);
  return targets.map(named).every((target) => included.some((one) => covers(one, target)));
}

function covers(included: string, target: string): boolean {
  if (included === ALL || included === target) return true;
  return included.endsWith(`/${BELOW}`) && target.startsWith(included.slice(0, -BELOW.length));
}
