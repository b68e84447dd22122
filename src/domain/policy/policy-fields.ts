/** The keys of `sdlc.yaml` with their defaults. */
import {
  DEFAULT_HOLD,
  type HoldPolicy,
  type Policy,
  type PolicyKey,
  type PolicyValues,
  type RequiredArtifact,
} from './policy.js';

/** The values of a `sdlc.yaml` that states only its version. */
export const DEFAULT_VALUES: Readonly<PolicyValues> = {
  name: null,
  'release_naming.format': 'semver-v-strict',
  'hotfix.branch_pattern': 'hotfix/**',
  evidence_events: [],
  'stages.planning.require_issues': false,
  'stages.planning.require_issues_assigned': false,
  'stages.development.branch': null,
  'stages.development.deploy_target': null,
  'stages.development.soak': null,
  'stages.development.required_checks': [],
  'stages.development.require_issues_closed': true,
  'stages.development.exempt_labels': ['bug'],
  'stages.testing.branch_pattern': 'release/**',
  'stages.testing.deploy_target': null,
  'stages.testing.soak': null,
  'stages.testing.required_checks': [],
  'stages.testing.required_artifacts': [],
  'stages.evidencing.required_evidence': [],
  'stages.evidencing.required_reviewers.min_approvals': 1,
  'stages.evidencing.required_reviewers.teams': [],
  'stages.evidencing.required_reviewers.exclude_release_authors': false,
  'stages.deployment.target': 'production',
  'stages.deployment.promotion': 'manual',
  'stages.deployment.requires_evidence_approval': true,
  'stages.deployment.hold.for': DEFAULT_HOLD.hours,
  'stages.deployment.hold.when_closed': DEFAULT_HOLD.whenClosed,
  'quality_gates.coverage.min_line_percent': null,
  'quality_gates.coverage.max_drop': null,
  'quality_gates.sast_scan.max_critical': null,
  'quality_gates.sast_scan.max_high': null,
  'quality_gates.sast_scan.max_medium': null,
  'quality_gates.sast_scan.max_low': null,
  'quality_gates.security.max_critical': null,
  'quality_gates.security.max_high': null,
  'quality_gates.security.max_medium': null,
  'quality_gates.security.max_low': null,
  freezes: [],
};

export const POLICY_KEYS = Object.keys(DEFAULT_VALUES) as readonly PolicyKey[];

/** Returns a copy of the values in which each of the keys has the value that `toValue` returns. */
export function replaceValues(
  values: Readonly<PolicyValues>,
  keys: readonly PolicyKey[],
  toValue: <K extends PolicyKey>(key: K) => PolicyValues[K],
): Readonly<PolicyValues> {
  const replaced = { ...values };
  const replace = <K extends PolicyKey>(key: K, value: PolicyValues[K]): void => {
    replaced[key] = value;
  };
  for (const key of keys) replace(key, toValue(key));
  return replaced;
}

/** Returns the artifacts that a candidate must have. A policy that was stored before there were any has none. */
export const requiredArtifacts = ({ testing }: Policy): readonly RequiredArtifact[] => testing.requiredArtifacts ?? [];

/** Returns how the policy holds deployments. */
export const holdPolicy = ({ deployment }: Policy): HoldPolicy => deployment.hold ?? DEFAULT_HOLD;
