import { describe, expect, it } from '@jest/globals';
import { DEFAULT_POLICY } from '../policy/policy.js';
import { watchedBranches } from './tampering.js';

describe('watchedBranches', () => {
  it.each([
    ['main', true],
    ['release/v1.0.0', true],
    ['release/team/v1.0.0', true],
    ['hotfix/v1.0.1', true],
    ['main-2', false],
    ['Release/v1.0.0', false],
    ['feature/x', false],
    ['shipgate/bootstrap', false],
  ])('includes %s with the default policy: %s', (branch, expected) => {
    expect(watchedBranches('main', DEFAULT_POLICY).includes(branch)).toBe(expected);
  });

  it('includes the development branch and the default branch, each as a trunk', () => {
    const policy = { ...DEFAULT_POLICY, development: { ...DEFAULT_POLICY.development, branch: 'develop' } };
    const watched = watchedBranches('main', policy);
    expect(watched.prefixes).toEqual(['main', 'develop', 'release/', 'hotfix/']);
    expect(['main', 'develop', 'release/v1'].map((branch) => watched.isTrunk(branch))).toEqual([true, true, false]);
    expect(['main', 'develop', 'release/v1'].every((branch) => watched.includes(branch))).toBe(true);
  });

  it('uses the patterns of the policy', () => {
    const policy = { ...DEFAULT_POLICY, testing: { ...DEFAULT_POLICY.testing, branchPattern: 'ship-*' } };
    const watched = watchedBranches('main', policy);
    expect(watched.prefixes).toEqual(['main', '', 'hotfix/']);
    expect(['ship-1', 'release/v1.0.0'].map((branch) => watched.includes(branch))).toEqual([true, false]);
  });
});
