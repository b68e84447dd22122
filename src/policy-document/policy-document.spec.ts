import { describe, expect, it } from '@jest/globals';
import { VALID_POLICIES } from '../../test/support/valid-policies.js';
import { DEFAULT_POLICY, type Policy, type PolicyState } from '../domain/policy/policy.js';
import { DEFAULT_VALUES } from '../domain/policy/policy-fields.js';
import { parsePolicyDocument, readPolicyDocument } from './policy-document.js';

const EXAMPLE = `version: v1
name: payments
release_naming: { format: semver-v-strict }
hotfix: { branch_pattern: "hotfix/**" }   # skips PLANNING's flags; keeps evidence and approval
evidence_events: []                       # events of CI runs that may upload besides the safe ones
stages:
  planning: { require_issues: true, require_issues_assigned: true }
  development: { branch: main, deploy_target: dev, required_checks: [build], require_issues_closed: true, exempt_labels: [bug] }
  testing: { branch_pattern: "release/**", deploy_target: staging, required_checks: [build, e2e] }
  evidencing:
    required_evidence:
      - { kind: unit_tests, environment: staging, min_tests: 1 }
      - { kind: sast_scan, environment: staging }
    required_reviewers: { min_approvals: 2, teams: [release-managers], exclude_release_authors: true }
  deployment: { target: production, promotion: manual, requires_evidence_approval: true }
quality_gates:
  coverage: { min_line_percent: 80, max_drop: 1 }
  sast_scan: { max_critical: 0 }
  security: { max_critical: 0, max_high: 0 }
freezes: [{ from: 2026-12-20, to: 2027-01-02, reason: year end }]
`;

const EXAMPLE_POLICY: Policy = {
  name: 'payments',
  releaseNaming: 'semver-v-strict',
  hotfixBranchPatterns: ['hotfix/**'],
  evidenceEvents: [],
  planning: { requireIssues: true, requireIssuesAssigned: true },
  development: {
    branch: 'main',
    deployTarget: 'dev',
    requiredChecks: [{ name: 'build', app: null }],
    closedIssues: [{ exemptLabels: ['bug'] }],
  },
  testing: {
    branchPattern: 'release/**',
    deployTarget: 'staging',
    requiredChecks: [
      { name: 'build', app: null },
      { name: 'e2e', app: null },
    ],
  },
  evidencing: {
    requiredEvidence: [
      { kind: 'unit_tests', environment: 'staging', minTests: 1 },
      { kind: 'sast_scan', environment: 'staging', minTests: 0 },
    ],
    requiredReviewers: [{ minApprovals: 2, teams: ['release-managers'], excludeReleaseAuthors: true }],
  },
  deployment: { target: 'production', promotion: 'manual', requiresEvidenceApproval: true },
  qualityGates: {
    coverage: { minLinePercent: 80, maxDrop: 1 },
    sastScan: { maxCritical: 0, maxHigh: null, maxMedium: null, maxLow: null },
    security: { maxCritical: 0, maxHigh: 0, maxMedium: null, maxLow: null },
  },
  freezes: [{ from: '2026-12-20', to: '2027-01-02', reason: 'year end' }],
};

const policyOf = (source: string | Uint8Array): Policy => {
  const state = parsePolicyDocument(source, 'main');
  if (state.status !== 'valid') throw new Error(JSON.stringify(state));
  return state.policy;
};

describe('parsePolicyDocument', () => {
  it.each(VALID_POLICIES)('accepts %s', (_, source) => {
    expect(parsePolicyDocument(source, 'main')).toMatchObject({ status: 'valid' });
  });

  it('reads every key of the documented example', () => {
    expect(policyOf(EXAMPLE)).toEqual(EXAMPLE_POLICY);
    expect(policyOf(Buffer.from(EXAMPLE))).toEqual(EXAMPLE_POLICY);
  });

  it.each<[string, Policy['deployment']['hold']]>([
    ['{ for: 7d }', { hours: 168, whenClosed: 'wait' }],
    ['{ for: 696h, when_closed: reject }', { hours: 696, whenClosed: 'reject' }],
    ['{ for: 1d, when_closed: wait }', undefined],
  ])('reads hold: %s', (hold, expected) => {
    expect(policyOf(`version: v1\nstages: { deployment: { hold: ${hold} } }`).deployment.hold).toEqual(expected);
  });

  it('fills in the default of every key but the version', () => {
    expect(parsePolicyDocument('version: v1', 'trunk')).toEqual({
      status: 'valid',
      policy: DEFAULT_POLICY,
      organization: null,
      repository: { values: DEFAULT_VALUES, stated: [] },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      defaultBranch: 'trunk',
    });
    expect(
      policyOf('version: v1\nstages: { testing: {}, evidencing: { required_reviewers: {} } }\nquality_gates: {}'),
    ).toEqual(DEFAULT_POLICY);
  });

  it('has one digest for the same rules in any notation, and another digest for other rules', () => {
    const digest = (source: string): unknown =>
      Object.entries(parsePolicyDocument(source, 'main')).find(([key]) => key === 'digest')?.[1];
    const one = digest('version: v1\nname: a\nhotfix: { branch_pattern: hotfix/** }');
    expect(digest('# a comment\nhotfix:\n  branch_pattern: "hotfix/**"\nname: "a"\nversion: v1\n')).toBe(one);
    expect(digest('version: v1\nhotfix: { branch_pattern: fix/** }')).not.toBe(one);
    expect(digest('version: v1')).toBe('aa6841bed64e12af0423d117dbb28a9903a28a161b2edc4c624e936ee36be3dd');
  });

  it.each<[string, string, Partial<Policy>]>([
    [
      'a check of one app',
      'stages: { testing: { required_checks: [{ name: e2e, app: github-actions }, { name: lint }] } }',
      {
        testing: {
          ...DEFAULT_POLICY.testing,
          requiredChecks: [
            { name: 'e2e', app: 'github-actions' },
            { name: 'lint', app: null },
          ],
        },
      },
    ],
    [
      'checks that may and may not be skipped',
      'stages: { testing: { required_checks: [{ name: docs, allow_skipped: true }, { name: e2e, allow_skipped: false }] } }',
      {
        testing: {
          ...DEFAULT_POLICY.testing,
          requiredChecks: [
            { name: 'docs', app: null, allowSkipped: true },
            { name: 'e2e', app: null },
          ],
        },
      },
    ],
    [
      'evidence of any environment',
      'stages: { evidencing: { required_evidence: [{ kind: e2e_tests }, { kind: sbom }] } }',
      {
        evidencing: {
          ...DEFAULT_POLICY.evidencing,
          requiredEvidence: [
            { kind: 'e2e_tests', environment: null, minTests: 1 },
            { kind: 'sbom', environment: null, minTests: 0 },
          ],
        },
      },
    ],
    [
      'a freeze of one day without a reason',
      'freezes: [{ from: "2028-02-29", to: 2028-02-29 }]',
      { freezes: [{ from: '2028-02-29', to: '2028-02-29', reason: '' }] },
    ],
    [
      'a value that an alias repeats',
      'stages: { development: { required_checks: &checks [build] }, testing: { required_checks: *checks } }',
      {
        development: { ...DEFAULT_POLICY.development, requiredChecks: [{ name: 'build', app: null }] },
        testing: { ...DEFAULT_POLICY.testing, requiredChecks: [{ name: 'build', app: null }] },
      },
    ],
    ['any letters', 'name: Überweisung 🚀', { name: 'Überweisung 🚀' }],
  ])('reads %s', (_what, source, expected) => {
    expect(policyOf(`version: v1\n${source}`)).toEqual({ ...DEFAULT_POLICY, ...expected });
  });

  it('reads a byte order mark, CRLF and tabs between values', () => {
    expect(policyOf('\uFEFFversion: v1\r\nname:\tpayments\r\n').name).toBe('payments');
    expect(policyOf(Buffer.from('\uFEFFversion: v1')).name).toBeNull();
  });
});

describe("under the organization's default", () => {
  const organization = readPolicyDocument(
    'version: v1\nstages:\n  testing: { required_checks: [scan] }\n  evidencing: { required_reviewers: { min_approvals: 2 } }',
  );

  const naming = readPolicyDocument(
    'version: v1\nstages:\n  testing: { branch_pattern: "release/**" }\n  deployment: { target: production }',
  );

  it('uses it for rules that the repository omits', () => {
    const state = parsePolicyDocument('version: v1\nname: a', 'main', organization);
    expect(state).toMatchObject({
      status: 'valid',
      policy: {
        name: 'a',
        testing: { requiredChecks: [{ name: 'scan', app: null, source: 'organization' }] },
        evidencing: { requiredReviewers: [{ minApprovals: 2, source: 'organization' }] },
      },
      organization: {
        stated: ['stages.testing.required_checks', 'stages.evidencing.required_reviewers.min_approvals'],
      },
      repository: { stated: ['name'] },
    });
    expect(state).toHaveProperty(
      'digest',
      expect.not.stringMatching(String(Object(parsePolicyDocument('version: v1\nname: a', 'main'))['digest'])),
    );
  });

  it('adds the rules of the repository to it', () => {
    const source = 'version: v1\nstages: { testing: { required_checks: [build] } }';
    expect(parsePolicyDocument(source, 'main', organization)).toMatchObject({
      status: 'valid',
      policy: {
        testing: {
          requiredChecks: [
            { name: 'scan', source: 'organization' },
            { name: 'build', source: 'repository' },
          ],
        },
      },
    });
  });

  it('rejects another value of a key with one value at its line', () => {
    const source = 'version: v1\nstages:\n  testing:\n    branch_pattern: "**"\n  deployment: { target: live }';
    expect(parsePolicyDocument(source, 'main', naming)).toEqual({
      status: 'invalid',
      problems: [
        {
          line: 4,
          column: 21,
          key: 'stages.testing.branch_pattern',
          message: 'Must stay "release/**", as the organization sets it.',
        },
        {
          line: 5,
          column: 25,
          key: 'stages.deployment.target',
          message: 'Must stay "production", as the organization sets it.',
        },
      ],
      defaultBranch: 'main',
    });
  });

  it('has the digest of the same rules without a default', () => {
    const digest = (state: PolicyState): string => (state.status === 'valid' ? state.digest : state.status);
    const rules = (checks: string): string =>
      `version: v1\nstages:\n  testing: { required_checks: [${checks}] }\n  evidencing: { required_reviewers: { min_approvals: 2 } }`;
    const alone = digest(parsePolicyDocument(rules('build, scan'), 'main'));
    expect(digest(parsePolicyDocument(rules('build'), 'main', organization))).toBe(alone);
    expect(digest(parsePolicyDocument(rules('build, scan'), 'main', organization))).toBe(alone);
  });

  it('is invalid if the default is invalid, and names the position', () => {
    const state = parsePolicyDocument('version: v1\nnme: a', 'main', readPolicyDocument('version: v1\nnme: b'));
    expect(state.status === 'invalid' && state.problems).toEqual([
      {
        line: null,
        column: null,
        key: 'nme',
        message: 'In the organization\'s default, line 2: Unknown key "nme". Did you mean name?',
      },
      { line: 2, column: 1, key: 'nme', message: 'Unknown key "nme". Did you mean name?' },
    ]);
    expect(parsePolicyDocument('version: v1', 'main', readPolicyDocument('')).status).toBe('invalid');
  });

  it('contains no part of a default that its readers cannot read', () => {
    const other = 'version: v1\nstages: { deployment: { target: live } }';
    expect(parsePolicyDocument(other, 'main', naming, true)).toMatchObject({
      status: 'invalid',
      problems: [{ key: 'stages.deployment.target', message: "The organization's default does not allow this value." }],
    });
    expect(parsePolicyDocument('version: v1', 'main', readPolicyDocument('version: v1\nnme: b'), true)).toMatchObject({
      status: 'invalid',
      problems: [{ line: null, key: '', message: "The organization's default does not validate." }],
    });
  });
});
