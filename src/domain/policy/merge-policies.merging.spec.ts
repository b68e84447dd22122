import { describe, expect, it } from '@jest/globals';
import { mergePolicies } from './merge-policies.js';
import {
  DEFAULT_POLICY,
  type ParsedPolicy,
  type Policy,
  type PolicyKey,
  type PolicyValues,
  type RequiredCheck,
  type RequiredArtifact,
  type RequiredEvidence,
} from './policy.js';
import { DEFAULT_VALUES } from './policy-fields.js';

type Values = Partial<PolicyValues>;

/** Returns a document that states exactly these keys. */
const stating = (values: Values): ParsedPolicy => ({
  values: { ...DEFAULT_VALUES, ...values },
  stated: Object.keys(values) as PolicyKey[],
});
const merged = (organization: Values, repository: Values): Policy => {
  const { policy, conflicts } = mergePolicies(stating(organization), stating(repository));
  expect(conflicts).toEqual([]);
  return policy;
};

const ORGANIZATION = { source: 'organization' } as const;
const REPOSITORY = { source: 'repository' } as const;
const check = (name: string, app: string | null = null): RequiredCheck => ({ name, app });
const skippable = (name: string): RequiredCheck => ({ name, app: null, allowSkipped: true });
const unitTests = (environment: string | null, minTests: number): RequiredEvidence => ({
  kind: 'unit_tests',
  environment,
  minTests,
});
const afterDeployment = (minTests: number): RequiredEvidence => ({
  ...unitTests('ci', minTests),
  afterDeployment: true,
});
const days = (from: string, to: string, reason = '') => ({ from, to, reason });

describe('without a default of the organization', () => {
  it('the policy of an empty document has the defaults, and no requirement names a source', () => {
    expect(mergePolicies(null, stating({}))).toEqual({ policy: DEFAULT_POLICY, conflicts: [] });
  });

  it('a repository states any value', () => {
    const { policy } = mergePolicies(
      null,
      stating({
        'hotfix.branch_pattern': 'release/**',
        'stages.evidencing.required_reviewers.min_approvals': 0,
        'stages.development.require_issues_closed': false,
        evidence_events: ['pull_request'],
      }),
    );
    expect(policy).toMatchObject({ hotfixBranchPatterns: ['release/**'], evidenceEvents: ['pull_request'] });
    expect(policy.evidencing.requiredReviewers).toEqual([{ minApprovals: 0, teams: [], excludeReleaseAuthors: false }]);
    expect(policy.development.closedIssues).toEqual([]);
  });
});

describe('a key with one value', () => {
  it.each<[PolicyKey, string, string]>([
    ['release_naming.format', 'semver', 'calver'],
    ['hotfix.branch_pattern', 'fix/**', '**'],
    ['stages.development.branch', 'main', 'Main'],
    ['stages.development.deploy_target', 'dev', 'test'],
    ['stages.testing.branch_pattern', 'release/**', '**'],
    ['stages.testing.deploy_target', 'staging', 'test'],
    ['stages.deployment.target', 'production', 'live'],
  ])('%s is equal if the organization states it, inherited if the repository omits it', (key, required, other) => {
    const conflict = mergePolicies(stating({ [key]: required }), stating({ [key]: other })).conflicts;
    expect(conflict).toEqual([{ key, message: `Must stay "${required}", as the organization sets it.` }]);
    expect(mergePolicies(stating({ [key]: required }), stating({ [key]: required })).conflicts).toEqual([]);
    expect(merged({ [key]: required }, {})).toEqual(merged({ [key]: required }, { [key]: required }));
    expect(merged({}, { [key]: other })).not.toEqual(merged({}, {}));
  });

  it('that names an environment is equal in any case', () => {
    expect(merged({ 'stages.deployment.target': 'Live' }, { 'stages.deployment.target': 'live' })).toBeDefined();
  });

  it('has every conflict reported', () => {
    const { conflicts } = mergePolicies(
      stating({ 'release_naming.format': 'semver', 'stages.deployment.target': 'live' }),
      stating({ 'release_naming.format': 'calver', 'stages.deployment.target': 'production' }),
    );
    expect(conflicts.map(({ key }) => key)).toEqual(['release_naming.format', 'stages.deployment.target']);
  });
});

describe('requirements of both', () => {
  const key = 'stages.testing.required_checks';

  it('add up, and identical ones are one requirement of the organization', () => {
    const policy = merged({ [key]: [check('build'), check('scan')] }, { [key]: [check('build'), check('e2e')] });
    expect(policy.testing.requiredChecks).toEqual([
      { ...check('build'), ...ORGANIZATION },
      { ...check('scan'), ...ORGANIZATION },
      { ...check('e2e'), ...REPOSITORY },
    ]);
  });

  it.each<[string, readonly RequiredCheck[], readonly RequiredCheck[], readonly RequiredCheck[]]>([
    [
      'a check of an app does not replace one of any app',
      [check('build')],
      [check('build', 'ci')],
      [check('build', 'ci')],
    ],
    ['a check of any app does not replace one of an app', [check('build', 'ci')], [check('build')], [check('build')]],
    ['a check that may not be skipped adds to one that may', [skippable('docs')], [check('docs')], [check('docs')]],
    ['a check that may be skipped adds nothing to one that may not', [check('docs')], [skippable('docs')], []],
    ['no checks replace nothing', [check('build')], [], []],
  ])('%s', (_rule, required, own, further) => {
    expect(merged({ [key]: required }, { [key]: own }).testing.requiredChecks).toEqual([
      ...required.map((one) => ({ ...one, ...ORGANIZATION })),
      ...further.map((one) => ({ ...one, ...REPOSITORY })),
    ]);
  });

  const api: RequiredArtifact = { name: 'api', provenance: true, builder: 'github-hosted', signerWorkflow: null };
  const signed = (signerWorkflow: string): RequiredArtifact => ({ ...api, signerWorkflow });
  const unproven: RequiredArtifact = { ...api, provenance: false, builder: 'any' };

  it.each<[string, readonly RequiredArtifact[], readonly RequiredArtifact[], readonly RequiredArtifact[]]>([
    ['another artifact', [api], [{ ...api, name: 'web' }], [{ ...api, name: 'web' }]],
    ['provenance', [unproven], [api], [api]],
    ['no provenance, which adds nothing', [api], [unproven], []],
    ['any builder, which adds nothing', [api], [{ ...api, builder: 'any' }], []],
    ['another builder', [api], [{ ...api, builder: 'self-hosted' }], [{ ...api, builder: 'self-hosted' }]],
    ['a signer', [api], [signed('a/b')], [signed('a/b')]],
    ['another signer', [signed('a/b')], [signed('a/c')], [signed('a/c')]],
    ['any signer, which adds nothing', [signed('a/b')], [api], []],
  ])('an artifact of the organization stays in force beside %s', (_what, required, own, further) => {
    const artifacts = 'stages.testing.required_artifacts';
    expect(merged({ [artifacts]: required }, { [artifacts]: own }).testing.requiredArtifacts).toEqual([
      ...required.map((one) => ({ ...one, ...ORGANIZATION })),
      ...further.map((one) => ({ ...one, ...REPOSITORY })),
    ]);
  });

  it.each<[string, readonly RequiredEvidence[], readonly RequiredEvidence[], readonly RequiredEvidence[]]>([
    ['another environment', [unitTests('staging', 5)], [unitTests('ci', 5)], [unitTests('ci', 5)]],
    ['any environment', [unitTests('staging', 5)], [unitTests(null, 5)], [unitTests(null, 5)]],
    ['one environment beside any', [unitTests(null, 5)], [unitTests('ci', 5)], [unitTests('ci', 5)]],
    ['more tests', [unitTests('ci', 5)], [unitTests('ci', 6)], [unitTests('ci', 6)]],
    ['fewer tests, which add nothing', [unitTests('ci', 5)], [unitTests('ci', 4)], []],
    ['evidence after a deployment', [unitTests('ci', 5)], [afterDeployment(5)], [afterDeployment(5)]],
    ['evidence at any time, which adds nothing', [afterDeployment(5)], [unitTests('ci', 5)], []],
  ])('evidence of the organization stays in force beside %s', (_what, required, own, further) => {
    const evidence = 'stages.evidencing.required_evidence';
    expect(merged({ [evidence]: required }, { [evidence]: own }).evidencing.requiredEvidence).toEqual([
      ...required.map((one) => ({ ...one, ...ORGANIZATION })),
      ...further.map((one) => ({ ...one, ...REPOSITORY })),
    ]);
  });

  it.each<[number | null, number | null, number | undefined]>([
    [null, null, undefined],
    [null, 0, 0],
    [60, null, 60],
    [60, 0, 60],
    [60, 90, 90],
  ])('use the longer soak of %p and %p', (required, own, expected) => {
    const target = { 'stages.testing.deploy_target': 'staging' };
    const both = merged({ ...target, 'stages.testing.soak': required }, { ...target, 'stages.testing.soak': own });
    expect(both.testing.soak).toBe(expected);
    expect(both.development).not.toHaveProperty('soak');
  });

  it('keep every freeze', () => {
    const [whole, part] = [days('2026-12-20', '2027-01-02', 'year end'), days('2026-12-24', '2026-12-26', 'holidays')];
    expect(merged({ freezes: [whole] }, { freezes: [part, whole] }).freezes).toEqual([
      { ...whole, ...ORGANIZATION },
      { ...part, ...REPOSITORY },
    ]);
  });

  it('use the stricter limit of each quality gate, and name its source', () => {
    const { qualityGates } = merged(
      { 'quality_gates.coverage.min_line_percent': 80, 'quality_gates.security.max_high': 0 },
      {
        'quality_gates.coverage.min_line_percent': 70,
        'quality_gates.coverage.max_drop': 1,
        'quality_gates.security.max_high': 5,
        'quality_gates.security.max_critical': 0,
      },
    );
    expect(qualityGates.coverage).toEqual({
      minLinePercent: 80,
      maxDrop: 1,
      sources: { minLinePercent: 'organization', maxDrop: 'repository' },
    });
    expect(qualityGates.security).toMatchObject({
      maxCritical: 0,
      maxHigh: 0,
      maxMedium: null,
      sources: { maxCritical: 'repository', maxHigh: 'organization' },
    });
    expect(qualityGates.security.sources).not.toHaveProperty('maxMedium');
  });
});

describe('what an exception of one document allows, the other must allow too', () => {
  it.each<[string, Values, Values, Partial<Policy>]>([
    [
      'a hotfix matches the patterns of both',
      {},
      { 'hotfix.branch_pattern': 'release/**' },
      { hotfixBranchPatterns: ['hotfix/**', 'release/**'] },
    ],
    [
      'events that upload evidence are those of both',
      { evidence_events: ['pull_request', 'workflow_call'] },
      { evidence_events: ['workflow_call', 'repository_dispatch'] },
      { evidenceEvents: ['workflow_call'] },
    ],
    [
      'no events are added to a default that states none',
      {},
      { evidence_events: ['pull_request'] },
      { evidenceEvents: [] },
    ],
    [
      'a planning rule of the organization applies',
      { 'stages.planning.require_issues': true },
      { 'stages.planning.require_issues': false, 'stages.planning.require_issues_assigned': true },
      {
        planning: {
          requireIssues: true,
          requireIssuesAssigned: true,
          sources: { requireIssues: 'organization', requireIssuesAssigned: 'repository' },
        },
      },
    ],
  ])('%s', (_rule, organization, repository, expected) => {
    expect(merged(organization, repository)).toMatchObject(expected);
  });

  it.each<[string, Values, Values, readonly unknown[]]>([
    [
      'further labels',
      {},
      { 'stages.development.exempt_labels': ['bug', 'docs'] },
      [{ exemptLabels: ['bug'], ...ORGANIZATION }],
    ],
    [
      'other labels',
      { 'stages.development.exempt_labels': ['bug', 'ui'] },
      { 'stages.development.exempt_labels': ['docs'] },
      [
        { exemptLabels: ['bug', 'ui'], ...ORGANIZATION },
        { exemptLabels: ['docs'], ...REPOSITORY },
      ],
    ],
    [
      'open issues',
      {},
      { 'stages.development.require_issues_closed': false },
      [{ exemptLabels: ['bug'], ...ORGANIZATION }],
    ],
    [
      'a rule that only the repository has',
      { 'stages.development.require_issues_closed': false },
      { 'stages.development.require_issues_closed': true },
      [{ exemptLabels: ['bug'], ...REPOSITORY }],
    ],
  ])('open issues block under the rule of each: %s', (_what, organization, repository, expected) => {
    expect(merged(organization, repository).development.closedIssues).toEqual(expected);
  });

  it.each<[Values, Values, Policy['deployment']['promotion']]>([
    [{ 'stages.deployment.promotion': 'manual' }, { 'stages.deployment.promotion': 'auto' }, 'manual'],
    [{ 'stages.deployment.promotion': 'auto' }, { 'stages.deployment.promotion': 'manual' }, 'manual'],
    [{ 'stages.deployment.promotion': 'auto' }, {}, 'auto'],
    [{}, { 'stages.deployment.promotion': 'auto' }, 'auto'],
  ])('%j with %j promotes: %s', (organization, repository, promotion) => {
    expect(merged(organization, repository).deployment.promotion).toBe(promotion);
  });

  it.each<[Values, Values, Policy['deployment']['hold']]>([
    [{ 'stages.deployment.hold.for': 12 }, { 'stages.deployment.hold.for': 48 }, { hours: 12, whenClosed: 'wait' }],
    [{ 'stages.deployment.hold.for': 48 }, { 'stages.deployment.hold.for': 12 }, { hours: 12, whenClosed: 'wait' }],
    [{}, { 'stages.deployment.hold.for': 48 }, { hours: 48, whenClosed: 'wait' }],
    [
      { 'stages.deployment.hold.when_closed': 'reject' },
      { 'stages.deployment.hold.when_closed': 'wait' },
      { hours: 24, whenClosed: 'reject' },
    ],
  ])('%j with %j holds: %j', (organization, repository, hold) => {
    expect(merged(organization, repository).deployment.hold).toEqual(hold);
  });
});

describe('required approvals', () => {
  const least = 'stages.evidencing.required_reviewers.min_approvals';
  const teams = 'stages.evidencing.required_reviewers.teams';
  const exclude = 'stages.evidencing.required_reviewers.exclude_release_authors';
  const requires = 'stages.deployment.requires_evidence_approval';
  const reviewers = (minApprovals: number, slugs: readonly string[] = [], excludeReleaseAuthors = false) => ({
    minApprovals,
    teams: slugs,
    excludeReleaseAuthors,
  });
  /** The only approval is that of another user than an author, and authors may request changes. */
  const another = { ...reviewers(1, [], true), authorsMayObject: true, ...ORGANIZATION };

  it.each<[string, Values, Values, readonly unknown[]]>([
    ['an approval by another user than an author', {}, {}, [another]],
    ['at least one approval', {}, { [least]: 0 }, [another]],
    ['at least one approval, also if the default states none', { [least]: 0 }, {}, [another]],
    ['an approval that the repository does not require', {}, { [requires]: false }, [another]],
    [
      'those of both',
      { [least]: 2, [teams]: ['managers'], [exclude]: true },
      { [least]: 1, [teams]: ['leads'], [exclude]: false },
      [
        { ...reviewers(2, ['managers'], true), ...ORGANIZATION },
        { ...reviewers(1, ['leads']), ...REPOSITORY },
      ],
    ],
    [
      'more approvals of the same teams',
      { [least]: 2, [teams]: ['managers'] },
      { [least]: 3 },
      [
        { ...reviewers(2, ['managers']), ...ORGANIZATION },
        { ...reviewers(3, ['managers']), ...REPOSITORY },
      ],
    ],
    ['identical ones once', { [least]: 2 }, { [least]: 2 }, [{ ...reviewers(2), ...ORGANIZATION }]],
    [
      'only those of a repository whose organization requires none',
      { [requires]: false, [least]: 2 },
      { [requires]: true },
      [{ ...reviewers(2), ...REPOSITORY }],
    ],
  ])('are %s', (_what, organization, repository, expected) => {
    const policy = merged(organization, repository);
    expect(policy.evidencing.requiredReviewers).toEqual(expected);
    expect(policy.deployment.requiresEvidenceApproval).toBe(true);
  });

  it('are none if neither requires an approval', () => {
    const policy = merged({ [requires]: false }, {});
    expect(policy.deployment.requiresEvidenceApproval).toBe(false);
  });
});
