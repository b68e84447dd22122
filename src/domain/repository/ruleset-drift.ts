import { coversTargets, type Rule, type Ruleset, type DesiredRuleset } from './ruleset.js';

/**
 * Returns one sentence for each point in which a ruleset is weaker than desired. Empty if it is as desired or stricter.
 * Only the effect counts: the order of rules and parameters that the service does not set make no difference.
 */
export function findDrift(desired: DesiredRuleset, found: Ruleset | null, defaultBranch: string): readonly string[] {
  const name = `The ruleset "${desired.name}"`;
  if (!found) return [`${name} is missing.`];
  const sentences: (string | false)[] = [
    found.target !== 'branch' && 'is not one for branches',
    found.enforcement === 'evaluate' && 'is only evaluated, not enforced',
    found.enforcement !== 'active' && found.enforcement !== 'evaluate' && 'is disabled',
    !coversTargets(found.include, desired.targets, defaultBranch) && `does not cover ${formatTargets(desired.targets)}`,
    ...exclusionDrift(desired, found),
    (found.bypassActors?.length ?? 0) > 0 && 'may be bypassed',
    ...reviewDrift(desired, found.rules),
    !requiresCheck(desired, found.rules) && `does not require the check "${desired.check.name}" of the app`,
    !has(found.rules, 'non_fast_forward') && 'allows force pushes',
    !has(found.rules, 'deletion') && 'allows the branch to be deleted',
  ];
  return sentences.filter((sentence) => sentence !== false).map((sentence) => `${name} ${sentence}.`);
}

const formatTargets = (targets: readonly string[]): string => targets.join(', ');

function exclusionDrift({ spared }: DesiredRuleset, { exclude }: Ruleset): readonly string[] {
  const holes = exclude.filter((target) => !spared.includes(target));
  const covered = spared.filter((target) => !exclude.includes(target));
  return [
    ...(holes.length > 0 ? [`excludes ${formatTargets(holes)}`] : []),
    ...(covered.length > 0 ? [`applies to the branches of the service, ${formatTargets(covered)}`] : []),
  ];
}

/** Checks the pull request rules. GitHub combines rules of one type, so one rule with the requirement is enough. */
function reviewDrift({ approvals }: DesiredRuleset, rules: readonly Rule[]): readonly string[] {
  const reviews = rules.filter(({ type }) => type === 'pull_request');
  if (reviews.length === 0) return ['allows changes without a pull request'];
  const required = Math.max(...reviews.map(({ parameters }) => requiredApprovals(parameters)));
  const dismisses = reviews.some(({ parameters }) => parameters['dismiss_stale_reviews_on_push'] === true);
  return [
    ...(required < approvals ? [`requires ${formatApprovals(required)}, but the policy requires ${approvals}`] : []),
    ...(dismisses ? [] : ['does not dismiss approvals after a change']),
  ];
}

const formatApprovals = (approvals: number): string => (approvals === 1 ? '1 approval' : `${approvals} approvals`);

/** Returns the number of approvals that a pull request rule requires. Zero if the rule does not state it. */
const requiredApprovals = (parameters: Rule['parameters']): number => {
  const count = parameters['required_approving_review_count'];
  return typeof count === 'number' ? count : 0;
};

const requiresCheck = ({ check }: DesiredRuleset, rules: readonly Rule[]): boolean =>
  rules.some((rule) => requiredStatusChecks(rule).some((required) => isCheck(check, required)));

/** A required check as GitHub writes it. */
interface RequiredStatusCheck {
  readonly context?: unknown;
  /** The app that may report the check. Any app may if it is absent. */
  readonly integration_id?: unknown;
}

/** Empty for a rule of another kind. */
function requiredStatusChecks({ type, parameters }: Rule): readonly RequiredStatusCheck[] {
  const checks = parameters['required_status_checks'];
  if (type !== 'required_status_checks' || !Array.isArray(checks)) return [];
  return checks.filter((check: unknown): check is RequiredStatusCheck => typeof check === 'object' && check !== null);
}

const isCheck = ({ name, appId }: DesiredRuleset['check'], required: RequiredStatusCheck): boolean =>
  required.context === name && required.integration_id === appId;

const has = (rules: readonly Rule[], type: string): boolean => rules.some((rule) => rule.type === type);

/** Required parameters of a pull request rule. GitHub rejects a rule without one of them. */
const REVIEW_DEFAULTS = {
  require_code_owner_review: false,
  require_last_push_approval: false,
  required_review_thread_resolution: false,
};
/**
 * Parameters of a check rule. Without `do_not_enforce_on_create` no release branch could be created, because the check
 * runs only on a pull request.
 */
const CHECK_DEFAULTS = { strict_required_status_checks_policy: false, do_not_enforce_on_create: true };

/** The rule types that the service manages. */
const OWN_RULES: ReadonlySet<string> = new Set([
  'pull_request',
  'required_status_checks',
  'non_fast_forward',
  'deletion',
]);

/**
 * Returns the ruleset to write if `found` is weaker than desired. Stricter or additional rules stay. Bypass actors and
 * excluded branches are removed, except the branches of the service.
 */
export function repairedRuleset(desired: DesiredRuleset, found: Ruleset | null, defaultBranch: string): Ruleset {
  const rules = found?.rules ?? [];
  const covers = found !== null && coversTargets(found.include, desired.targets, defaultBranch);
  return {
    name: desired.name,
    target: 'branch',
    enforcement: 'active',
    include: covers ? found.include : desired.targets,
    exclude: desired.spared,
    bypassActors: [],
    rules: [
      reviewRule(desired, rules),
      checkRule(desired, rules),
      { type: 'non_fast_forward', parameters: {} },
      { type: 'deletion', parameters: {} },
      ...rules.filter(({ type }) => !OWN_RULES.has(type)),
    ],
  };
}

function reviewRule({ approvals }: DesiredRuleset, rules: readonly Rule[]): Rule {
  const existing = findParameters(rules, 'pull_request');
  return {
    type: 'pull_request',
    parameters: {
      ...REVIEW_DEFAULTS,
      ...existing,
      dismiss_stale_reviews_on_push: true,
      required_approving_review_count: Math.max(approvals, requiredApprovals(existing)),
    },
  };
}

function checkRule({ check }: DesiredRuleset, rules: readonly Rule[]): Rule {
  const others = rules.flatMap(requiredStatusChecks).filter(({ context }) => context !== check.name);
  return {
    type: 'required_status_checks',
    parameters: {
      ...CHECK_DEFAULTS,
      ...findParameters(rules, 'required_status_checks'),
      required_status_checks: [{ context: check.name, integration_id: check.appId }, ...others],
    },
  };
}

const findParameters = (rules: readonly Rule[], desired: string): Rule['parameters'] =>
  rules.find(({ type }) => type === desired)?.parameters ?? {};
