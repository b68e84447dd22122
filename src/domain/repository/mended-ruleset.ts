import type { Rule, Ruleset } from './ruleset.js';
import { approvalsOf, requiredChecksOf } from './ruleset-drift.js';
import { coversTargets } from './ruleset-targets.js';
import type { WantedRuleset } from './wanted-rulesets.js';

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
export function mendedRuleset(wanted: WantedRuleset, found: Ruleset | null, defaultBranch: string): Ruleset {
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

function reviewRule({ approvals }: WantedRuleset, rules: readonly Rule[]): Rule {
  const kept = parametersOf(rules, 'pull_request');
  return {
    type: 'pull_request',
    parameters: {
      ...UNASKED_OF_REVIEWS,
      ...kept,
      dismiss_stale_reviews_on_push: true,
      required_approving_review_count: Math.max(approvals, approvalsOf(kept)),
    },
  };
}

function checkRule({ check }: WantedRuleset, rules: readonly Rule[]): Rule {
  const others = rules.flatMap(requiredChecksOf).filter(({ context }) => context !== check.name);
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
