import { describe, expect, it } from '@jest/globals';
import { branchMatches } from '../policy/branch-pattern.js';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.js';
import { coversTargets, ownTargetsWithin, patternTargets, desiredRulesets } from './ruleset.js';

const APP = 4711;

const withPattern = (branchPattern: string): Policy => ({
  ...DEFAULT_POLICY,
  testing: { ...DEFAULT_POLICY.testing, branchPattern },
});
const withApprovals = (minApprovals: number): Policy => ({
  ...DEFAULT_POLICY,
  evidencing: {
    ...DEFAULT_POLICY.evidencing,
    requiredReviewers: [{ minApprovals, teams: [], excludeReleaseAuthors: false }],
  },
});

describe('desiredRulesets', () => {
  it('returns one for the default branch and one for release and hotfix branches, both with only the check of the app', () => {
    const check = { name: 'Shipgate', appId: APP };
    expect(desiredRulesets(DEFAULT_POLICY, APP)).toEqual([
      {
        name: 'Shipgate: development branch',
        targets: ['~DEFAULT_BRANCH'],
        spared: [],
        approvals: 1,
        check,
      },
      {
        name: 'Shipgate: release branches',
        targets: ['refs/heads/release/**/*', 'refs/heads/hotfix/**/*'],
        spared: [],
        approvals: 1,
        check,
      },
    ]);
  });

  it('uses the development branch and the patterns of the policy', () => {
    const policy: Policy = {
      ...withPattern('rel-*'),
      hotfixBranchPatterns: ['rel-*'],
      development: { ...DEFAULT_POLICY.development, branch: 'develop' },
    };
    expect(desiredRulesets(policy, APP).map(({ targets }) => targets)).toEqual([
      ['refs/heads/develop'],
      ['refs/heads/rel-*'],
    ]);
  });

  it.each([
    [0, 0],
    [2, 2],
    [10, 10],
    [11, 10],
  ])('requires the approvals of the policy (%d), up to the maximum of GitHub: %d', (minApprovals, expected) => {
    for (const { approvals } of desiredRulesets(withApprovals(minApprovals), APP)) expect(approvals).toBe(expected);
  });
});

/** Matches like GitHub's `File.fnmatch` with `FNM_PATHNAME`. It is a separate implementation to compare the targets with. */
function fnmatches(pattern: string, ref: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/(?<=^|\/)\*\*\/|\*+|\?/g, (wild) =>
      wild === '**/' ? '(?:[^/]+/)*' : wild === '?' ? '[^/]' : '[^/]*',
    );
  return new RegExp(`^${source}$`).test(ref);
}

const BRANCHES = [
  'release/v1.0.0',
  'release/team/v1.0.0',
  'release/a/b/v1',
  'release',
  'release-v1',
  'release-a/v1',
  'releases/v1',
  'rel/v1/x',
  'rel/a/b/x',
  'rel/x',
  'hotfix/v1',
  'v1',
  'va/b1',
  'main',
  'a{1}/v1',
];

describe('patternTargets', () => {
  it.each([
    'release/**',
    'release/*',
    'release**',
    'release-*',
    'rel/**/x',
    '**',
    '**/v1',
    'v?',
    'v**1',
    'release/**v1',
    'a{1}/*',
    '***',
  ])('covers exactly the branches that %j matches', (pattern) => {
    const targets = patternTargets(pattern);
    for (const branch of BRANCHES) {
      const named = targets.some((target) => fnmatches(target, `refs/heads/${branch}`));
      expect([branch, named]).toEqual([branch, branchMatches(pattern, branch)]);
    }
  });

  it('protects everything with the same start when a pattern needs too many targets', () => {
    expect(patternTargets('release/a**b**c**d**e**')).toEqual(['refs/heads/release/**/*']);
    expect(patternTargets('release/a**b**c**d**')).toHaveLength(16);
  });
});

describe('ownTargetsWithin', () => {
  const all = [
    'refs/heads/shipgate/bootstrap',
    'refs/heads/shipgate/evidence/**/*',
    'refs/heads/shipgate-workflow-update-*',
  ];

  it.each<[string, readonly string[]]>([
    ['release/**', []],
    ['shipgate/release/**', []],
    ['shipgate/**', all.slice(0, 2)],
    ['**', all],
    ['*/v1', all],
    ['shipgate', []],
    ['shipgate/bootstrap', all.slice(0, 1)],
  ])('returns for %j the branches that the service pushes to: %j', (pattern, spared) => {
    expect(ownTargetsWithin(pattern)).toEqual(spared);
  });
});

describe('coversTargets', () => {
  it.each<[string, readonly string[], readonly string[], boolean]>([
    ['the same branch', ['refs/heads/main'], ['refs/heads/main'], true],
    ['all branches', ['~ALL'], ['refs/heads/release/**/*', '~DEFAULT_BRANCH'], true],
    ['the default branch by its name', ['refs/heads/main'], ['~DEFAULT_BRANCH'], true],
    ['a branch by the default branch', ['~DEFAULT_BRANCH'], ['refs/heads/main'], true],
    ['another branch', ['refs/heads/develop'], ['~DEFAULT_BRANCH'], false],
    ['every branch by a pattern', ['refs/heads/**/*'], ['refs/heads/release/**/*', '~DEFAULT_BRANCH'], true],
    ['a folder around it', ['refs/heads/release/**/*'], ['refs/heads/release/*'], true],
    ['folders of any name around it', ['refs/heads/*/**/*'], ['refs/heads/*/v1'], true],
    ['a folder beside it', ['refs/heads/release/**/*'], ['refs/heads/releases/*'], false],
    ['one level only', ['refs/heads/release/*'], ['refs/heads/release/**/*'], false],
    ['what GitHub matches at one level', ['refs/heads/release/**'], ['refs/heads/release/**/*'], false],
    ['one of two', ['refs/heads/release/**/*'], ['refs/heads/release/**/*', 'refs/heads/hotfix/**/*'], false],
    ['nothing', [], ['~DEFAULT_BRANCH'], false],
  ])('returns for %s whether %j covers %j: %s', (_, include, targets, covered) => {
    expect(coversTargets(include, targets, 'main')).toBe(covered);
  });
});
