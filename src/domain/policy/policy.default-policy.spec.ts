import { describe, expect, it } from '@jest/globals';
import { DEFAULT_POLICY } from './policy.js';
import { POLICY_KEYS, policyValue, type PolicyValues } from './policy-fields.js';

/** The rules for a repository whose `sdlc.yaml` omits the key: approval, closed issues and passing tests. */
const DEFAULTS: PolicyValues = {
  name: null,
  'release_naming.format': 'semver-v-strict',
  'hotfix.branch_pattern': 'hotfix/**',
  evidence_events: [],
  'stages.planning.require_issues': false,
  'stages.planning.require_issues_assigned': false,
  'stages.development.branch': null,
  'stages.development.deploy_target': null,
  'stages.development.required_checks': [],
  'stages.development.require_issues_closed': true,
  'stages.development.exempt_labels': ['bug'],
  'stages.testing.branch_pattern': 'release/**',
  'stages.testing.deploy_target': null,
  'stages.testing.required_checks': [],
  'stages.evidencing.required_evidence': [],
  'stages.evidencing.required_reviewers.min_approvals': 1,
  'stages.evidencing.required_reviewers.teams': [],
  'stages.evidencing.required_reviewers.exclude_release_authors': false,
  'stages.deployment.target': 'production',
  'stages.deployment.promotion': 'manual',
  'stages.deployment.requires_evidence_approval': true,
  'stages.deployment.hold.for': 24,
  'stages.deployment.hold.when_closed': 'wait',
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

describe('the policy of an empty sdlc.yaml', () => {
  it.each(POLICY_KEYS)('has its default for %s', (key) => {
    expect(policyValue(DEFAULT_POLICY, key)).toEqual(DEFAULTS[key]);
  });
});
