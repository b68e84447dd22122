import { describe, expect, it } from '@jest/globals';
import { type ParsedPolicy, mergePolicies } from './merge-policies.js';
import { DEFAULT_POLICY, type RequiredCheck, type RequiredEvidence } from './policy.js';
import { buildPolicy, POLICY_KEYS, policyValue, type PolicyKey, type PolicyValues } from './policy-fields.js';

type Values = Partial<PolicyValues>;

/** Returns a document that states exactly these keys. */
const stating = (values: Values): ParsedPolicy => ({
  policy: buildPolicy(<K extends PolicyKey>(key: K): PolicyValues[K] =>
    key in values ? (values[key] as PolicyValues[K]) : policyValue(DEFAULT_POLICY, key),
  ),
  stated: new Set(Object.keys(values) as PolicyKey[]),
});

interface Case<T> {
  readonly organization: T;
  readonly accepted: readonly T[];
  readonly refused: readonly T[];
  /** A text that the message must contain. */
  readonly naming?: string;
}

const check = (name: string, app: string | null = null): RequiredCheck => ({ name, app });
const skippable = (name: string): RequiredCheck => ({ name, app: null, allowSkipped: true });
const unitTests = (environment: string | null, minTests: number): RequiredEvidence => ({
  kind: 'unit_tests',
  environment,
  minTests,
});
const days = (from: string, to: string) => ({ from, to, reason: '' });

const flag: Case<boolean> = { organization: true, accepted: [true], refused: [false], naming: 'true' };
const text: Case<string> = { organization: 'a', accepted: ['a'], refused: ['b', 'A'], naming: '"a"' };
const ceiling: Case<number | null> = { organization: 2, accepted: [2, 1, 0], refused: [3, null], naming: '2' };
const checks: Case<readonly RequiredCheck[]> = {
  organization: [check('build'), check('e2e', 'jenkins'), skippable('docs')],
  accepted: [
    [check('e2e', 'jenkins'), check('build'), skippable('docs')],
    [
      check('build', 'github-actions'),
      check('e2e', 'jenkins'),
      skippable('docs'),
      check('lint'),
      skippable('spelling'),
    ],
    [check('build'), check('e2e', 'jenkins'), check('docs')],
    [check('build'), skippable('build'), check('e2e', 'jenkins'), check('docs')],
  ],
  refused: [
    [],
    [check('build'), check('docs')],
    [check('build'), check('e2e'), check('docs')],
    [check('build'), check('e2e', 'other'), check('docs')],
    [check('Build'), check('e2e', 'jenkins'), check('docs')],
    [check('build'), check('e2e', 'jenkins')],
    [skippable('build'), check('e2e', 'jenkins'), check('docs')],
  ],
  naming: 'e2e (by jenkins)',
};

const CASES: { readonly [K in PolicyKey]: Case<PolicyValues[K]> } = {
  name: { organization: 'payments', accepted: ['payments', 'other'], refused: [] },
  'release_naming.format': {
    organization: 'semver',
    accepted: ['semver'],
    refused: ['calver', 'semver-v-strict'],
    naming: '"semver"',
  },
  'hotfix.branch_pattern': text,
  evidence_events: {
    organization: ['pull_request', 'repository_dispatch'],
    accepted: [['pull_request'], [], ['repository_dispatch', 'pull_request']],
    refused: [['issue_comment'], ['pull_request', 'issue_comment']],
    naming: 'repository_dispatch',
  },
  'stages.planning.require_issues': flag,
  'stages.planning.require_issues_assigned': flag,
  'stages.development.branch': text,
  'stages.development.deploy_target': text,
  'stages.development.required_checks': checks,
  'stages.development.require_issues_closed': flag,
  'stages.development.exempt_labels': {
    organization: ['bug'],
    accepted: [['bug'], ['Bug'], []],
    refused: [['docs'], ['bug', 'docs']],
    naming: 'bug',
  },
  'stages.testing.branch_pattern': text,
  'stages.testing.deploy_target': text,
  'stages.testing.required_checks': checks,
  'stages.evidencing.required_evidence': {
    organization: [unitTests('staging', 10), { kind: 'sbom', environment: null, minTests: 0 }],
    accepted: [
      [unitTests('staging', 10), { kind: 'sbom', environment: null, minTests: 0 }],
      [unitTests('staging', 11), { kind: 'sbom', environment: 'ci', minTests: 0 }, unitTests('ci', 1)],
    ],
    refused: [
      [],
      [unitTests('staging', 9), { kind: 'sbom', environment: null, minTests: 0 }],
      [unitTests(null, 10), { kind: 'sbom', environment: null, minTests: 0 }],
      [unitTests('ci', 10), { kind: 'sbom', environment: null, minTests: 0 }],
      [
        { kind: 'e2e_tests', environment: 'staging', minTests: 10 },
        { kind: 'sbom', environment: null, minTests: 0 },
      ],
    ],
    naming: 'unit_tests in staging with 10 tests',
  },
  'stages.evidencing.required_reviewers.min_approvals': {
    organization: 2,
    accepted: [2, 3],
    refused: [1, 0],
    naming: '2',
  },
  'stages.evidencing.required_reviewers.teams': {
    organization: ['a', 'b'],
    accepted: [['a'], ['b', 'a']],
    refused: [[], ['c'], ['a', 'c']],
    naming: 'a, b',
  },
  'stages.evidencing.required_reviewers.exclude_release_authors': flag,
  'stages.deployment.target': { ...text, accepted: ['a', 'A'], refused: ['b'] },
  'stages.deployment.promotion': {
    organization: 'manual',
    accepted: ['manual'],
    refused: ['auto'],
    naming: '"manual"',
  },
  'stages.deployment.requires_evidence_approval': flag,
  'stages.deployment.hold.for': { organization: 48, accepted: [48, 1], refused: [49], naming: '48h' },
  'stages.deployment.hold.when_closed': {
    organization: 'reject',
    accepted: ['reject'],
    refused: ['wait'],
    naming: '"reject"',
  },
  'quality_gates.coverage.min_line_percent': {
    organization: 80,
    accepted: [80, 80.5, 100],
    refused: [79.9, 0, null],
    naming: '80',
  },
  'quality_gates.coverage.max_drop': ceiling,
  'quality_gates.sast_scan.max_critical': ceiling,
  'quality_gates.sast_scan.max_high': ceiling,
  'quality_gates.sast_scan.max_medium': ceiling,
  'quality_gates.sast_scan.max_low': ceiling,
  'quality_gates.security.max_critical': ceiling,
  'quality_gates.security.max_high': ceiling,
  'quality_gates.security.max_medium': ceiling,
  'quality_gates.security.max_low': ceiling,
  freezes: {
    organization: [days('2026-12-20', '2027-01-02')],
    accepted: [
      [days('2026-12-20', '2027-01-02')],
      [days('2026-12-19', '2027-01-03'), days('2026-05-01', '2026-05-01')],
    ],
    refused: [[], [days('2026-12-21', '2027-01-02')], [days('2026-12-20', '2027-01-01')]],
    naming: '2026-12-20 to 2027-01-02',
  },
};

/** Values of an organization for which every value of a repository is equally strict or stricter. */
const LOOSEST: Values = {
  'stages.planning.require_issues': false,
  'stages.planning.require_issues_assigned': false,
  'stages.development.require_issues_closed': false,
  'stages.development.required_checks': [],
  'stages.testing.required_checks': [],
  'stages.evidencing.required_evidence': [],
  'stages.evidencing.required_reviewers.min_approvals': 0,
  'stages.evidencing.required_reviewers.teams': [],
  'stages.evidencing.required_reviewers.exclude_release_authors': false,
  'stages.deployment.promotion': 'auto',
  'stages.deployment.requires_evidence_approval': false,
  'stages.deployment.hold.for': 696,
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

describe('mergePolicies', () => {
  describe.each(POLICY_KEYS)('%s', (key) => {
    const { organization, accepted, refused, naming = '' } = CASES[key];

    it.each(accepted.map((own) => [own]))('accepts %j and uses it', (own) => {
      const result = mergePolicies(stating({ [key]: organization }), stating({ [key]: own }));
      expect(result.loosenings).toEqual([]);
      expect(policyValue(result.policy, key)).toEqual(own);
    });

    it('rejects a looser value and names the value of the organization', () => {
      for (const own of refused) {
        const { loosenings } = mergePolicies(stating({ [key]: organization }), stating({ [key]: own }));
        expect(loosenings.map((loosening) => loosening.key)).toEqual([key]);
      }
      const [looser] = refused;
      if (looser === undefined) return;
      const { loosenings } = mergePolicies(stating({ [key]: organization }), stating({ [key]: looser }));
      expect(loosenings[0]?.message).toContain(naming);
    });

    it('uses the value of the organization when the repository omits the key', () => {
      const result = mergePolicies(stating({ [key]: organization }), stating({}));
      expect(policyValue(result.policy, key)).toEqual(organization);
      expect(result.loosenings).toEqual([]);
    });

    it('accepts any value when the organization omits the key', () => {
      for (const own of [...accepted, ...refused]) {
        const result = mergePolicies(stating({}), stating({ [key]: own }));
        expect(result.loosenings).toEqual([]);
        expect(policyValue(result.policy, key)).toEqual(own);
      }
    });
  });

  it.each(Object.keys(LOOSEST) as PolicyKey[])(
    'lets a repository be stricter than an organization with the loosest %s',
    (key) => {
      const { organization, accepted, refused } = CASES[key];
      for (const own of [organization, ...accepted, ...refused]) {
        expect(mergePolicies(stating({ [key]: LOOSEST[key] }), stating({ [key]: own })).loosenings).toEqual([]);
      }
    },
  );

  it('reports every looser key', () => {
    const { loosenings } = mergePolicies(
      stating({
        'stages.planning.require_issues': true,
        'quality_gates.security.max_high': 0,
        'stages.deployment.target': 'live',
      }),
      stating({
        'stages.planning.require_issues': false,
        'quality_gates.security.max_high': 1,
        'stages.deployment.target': 'test',
      }),
    );
    expect(loosenings.map(({ key }) => key)).toEqual([
      'stages.planning.require_issues',
      'stages.deployment.target',
      'quality_gates.security.max_high',
    ]);
  });

  it.each<[PolicyKey, Values, Values]>([
    [
      'stages.deployment.requires_evidence_approval',
      { 'stages.evidencing.required_reviewers.min_approvals': 2 },
      { 'stages.deployment.requires_evidence_approval': false },
    ],
    [
      'stages.deployment.requires_evidence_approval',
      { 'stages.evidencing.required_reviewers.teams': ['a'] },
      { 'stages.deployment.requires_evidence_approval': false },
    ],
    [
      'stages.deployment.requires_evidence_approval',
      { 'stages.evidencing.required_reviewers.exclude_release_authors': true },
      { 'stages.deployment.requires_evidence_approval': false },
    ],
    [
      'stages.evidencing.required_reviewers.min_approvals',
      { 'stages.evidencing.required_reviewers.teams': ['a'] },
      { 'stages.evidencing.required_reviewers.min_approvals': 0 },
    ],
    [
      'stages.evidencing.required_reviewers.min_approvals',
      { 'stages.evidencing.required_reviewers.exclude_release_authors': true },
      { 'stages.evidencing.required_reviewers.min_approvals': 0 },
    ],
    [
      'stages.development.exempt_labels',
      { 'stages.development.require_issues_closed': true },
      { 'stages.development.exempt_labels': ['bug', 'feature'] },
    ],
    [
      'stages.development.require_issues_closed',
      { 'stages.development.exempt_labels': [] },
      { 'stages.development.require_issues_closed': false },
    ],
  ])('rejects %s if it would disable what the organization requires: %j', (key, organization, own) => {
    expect(mergePolicies(stating(organization), stating(own)).loosenings.map((loosening) => loosening.key)).toEqual([
      key,
    ]);
  });
});
