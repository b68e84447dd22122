import { coversTargets, type Rule, type Ruleset, type DesiredRuleset } from './ruleset.js';

/**
 * In what a ruleset is weaker than it should be, a sentence each; empty where it is as wanted or stricter. Compared is what
 * it does: neither the order of anything nor a parameter that the service never asked for makes a difference.
 */
export function findDrift(wanted: DesiredRuleset, found: Ruleset | null, defaultBranch: string): readonly string[] {
  const name = `The ruleset "${wanted.name}"`;
  if (!found) return [`${name} is missing.`];
  const sentences: (string | false)[] = [
    found.target !== 'branch' && 'is not one for branches',
    found.enforcement === 'evaluate' && 'is only evaluated, not enforced',
    found.enforcement !== 'active' && found.enforcement !== 'evaluate' && 'is disabled',
    !coversTargets(found.include, wanted.targets, defaultBranch) && `does not cover ${listed(wanted.targets)}`,
    ...sparing(wanted, found),
    (found.bypassActors?.length ?? 0) > 0 && 'may be bypassed',
    ...reviewing(wanted, found.rules),
    !requiresCheck(wanted, found.rules) && `does not require the check "${wanted.check.name}" of the app`,
    !has(found.rules, 'non_fast_forward') && 'allows force pushes',
    !has(found.rules, 'deletion') && 'allows the branch to be deleted',
  ];
  return sentences.filter((sentence) => sentence !== false).map((sentence) => `${name} ${sentence}.`);
}

const listed = (targets: readonly string[]): string => targets.join(', ');

function sparing({ spared }: DesiredRuleset, { exclude }: Ruleset): readonly string[] {
  const holes = exclude.filter((target) => !spared.includes(target));
  const covered = spared.filter((target) => !exclude.includes(target));
  return [
    ...(holes.length > 0 ? [`leaves out ${listed(holes)}`] : []),
    ...(covered.length > 0 ? [`holds up the branches of the service itself, ${listed(covered)}`] : []),
  ];
}

/** GitHub adds rules of one kind up, so it is enough that one of them asks for something. */
function reviewing({ approvals }: DesiredRuleset, rules: readonly Rule[]): readonly string[] {
  const reviews = rules.filter(({ type }) => type === 'pull_request');
  if (reviews.length === 0) return ['allows changes without a pull request'];
  const required = Math.max(...reviews.map(({ parameters }) => requiredApprovals(parameters)));
  const dismisses = reviews.some(({ parameters }) => parameters['dismiss_stale_reviews_on_push'] === true);
  return [
    ...(required < approvals ? [`requires ${counted(required)}, where the policy asks for ${approvals}`] : []),
    ...(dismisses ? [] : ['keeps approvals of what was changed since']),
  ];
}

const counted = (approvals: number): string => (approvals === 1 ? '1 approval' : `${approvals} approvals`);

/** How many approvals a rule for pull requests asks for; none where it does not say. */
const requiredApprovals = (parameters: Rule['parameters']): number => {
  const count = parameters['required_approving_review_count'];
  return typeof count === 'number' ? count : 0;
};

const requiresCheck = ({ check }: DesiredRuleset, rules: readonly Rule[]): boolean =>
  rules.some((rule) => requiredStatusChecks(rule).some((required) => isCheck(check, required)));

/** A required check as GitHub writes it. */
interface RequiredStatusCheck {
  readonly context?: unknown;
  /** Whichever app may report it where absent. */
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

/** GitHub refuses a rule for pull requests that leaves one of these out. */
const UNASKED_OF_REVIEWS = {
  require_code_owner_review: false,
  require_last_push_approval: false,
  required_review_thread_resolution: false,
};
/** Without the second one no release branch could be made: the check comes with a pull request, and there is none yet. */
const UNASKED_OF_CHECKS = { strict_required_status_checks_policy: false, do_not_enforce_on_create: true };

/** The rules that the service has a say in. */
const OWN_RULES: ReadonlySet<string> = new Set([
  'pull_request',
  'required_status_checks',
  'non_fast_forward',
  'deletion',
]);

/**
 * The ruleset that is to be written where `found` is weaker than wanted, or null. What somebody made stricter in it, or
 * added to it, stays; only those who may bypass it and the branches that it left out do not.
 */
export function repairedRuleset(wanted: DesiredRuleset, found: Ruleset | null, defaultBranch: string): Ruleset {
  const rules = found?.rules ?? [];
  const covers = found !== null && coversTargets(found.include, wanted.targets, defaultBranch);
  return {
    name: wanted.name,
    target: 'branch',
    enforcement: 'active',
    include: covers ? found.include : wanted.targets,
    exclude: wanted.spared,
    bypassActors: [],
    rules: [
      reviewRule(wanted, rules),
      checkRule(wanted, rules),
      { type: 'non_fast_forward', parameters: {} },
      { type: 'deletion', parameters: {} },
      ...rules.filter(({ type }) => !OWN_RULES.has(type)),
    ],
  };
}

function reviewRule({ approvals }: DesiredRuleset, rules: readonly Rule[]): Rule {
  const kept = parametersOf(rules, 'pull_request');
  return {
    type: 'pull_request',
    parameters: {
      ...UNASKED_OF_REVIEWS,
      ...kept,
      dismiss_stale_reviews_on_push: true,
      required_approving_review_count: Math.max(approvals, requiredApprovals(kept)),
    },
  };
}

function checkRule({ check }: DesiredRuleset, rules: readonly Rule[]): Rule {
  const others = rules.flatMap(requiredStatusChecks).filter(({ context }) => context !== check.name);
  return {
    type: 'required_status_checks',
    parameters: {
      ...UNASKED_OF_CHECKS,
      ...parametersOf(rules, 'required_status_checks'),
      required_status_checks: [{ context: check.name, integration_id: check.appId }, ...others],
    },
  };
}

const parametersOf = (rules: readonly Rule[], wanted: string): Rule['parameters'] =>
  rules.find(({ type }) => type === wanted)?.parameters ?? {};
