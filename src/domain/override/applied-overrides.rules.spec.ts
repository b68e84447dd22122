import { describe, expect, it } from '@jest/globals';
import { CONDITION_CODES, type ConditionCode } from '../facts/condition-catalogue.js';
import { allowsBreakGlass, findAllowedOverride, validateWaivable, WAIVABLE_CODES } from './applied-overrides.js';

const NEVER: readonly ConditionCode[] = [
  'no_candidate',
  'two_release_branches',
  'no_development_branch',
  'not_the_candidate',
  'environment_not_named',
  'deployment_ended',
  'policy_missing',
  'policy_invalid',
  'policy_unknown',
  'unknown',
  'facts_stale',
  'workflows_unknown',
  'not_ready',
  'tampered',
  'repository_removed',
  'plan_limit',
  'cancelled',
  'milestone_renamed',
  'milestone_closed',
  'not_deployed',
];

describe('override rules', () => {
  it('allows a waiver of few conditions', () => {
    expect(WAIVABLE_CODES.toSorted()).toEqual([
      'check_failing',
      'check_missing',
      'check_skipped',
      'evidence_failing',
      'freeze',
      'issue_open',
      'issue_unowned',
      'quality_gate_failing',
      'scope_empty',
      'too_few_tests',
    ]);
    for (const code of WAIVABLE_CODES)
      expect([code, validateWaivable(code), allowsBreakGlass(code)]).toEqual([code, null, true]);
  });

  it.each(NEVER)('allows no override of a condition that cannot be verified: %s', (code) => {
    expect([allowsBreakGlass(code), validateWaivable(code)]).toEqual([false, expect.stringMatching(/^[a-z].*\.$/)]);
  });

  it('allows only break-glass for all other conditions, with a reason why no waiver is possible', () => {
    const others = CONDITION_CODES.filter((code) => !NEVER.includes(code) && !WAIVABLE_CODES.includes(code));
    expect(others).toHaveLength(20);
    for (const code of others) {
      expect([code, allowsBreakGlass(code), validateWaivable(code)]).toEqual([
        code,
        true,
        expect.stringMatching(/^[a-z].*\.$/),
      ]);
    }
  });
});

describe('findAllowedOverride', () => {
  const release = { isShipped: false, cancelled: false, candidateSha: 'c'.repeat(40) };

  it('agrees with the override rules for every condition', () => {
    for (const code of CONDITION_CODES) {
      const expected = WAIVABLE_CODES.includes(code) ? 'waiver' : allowsBreakGlass(code) ? 'break_glass' : 'none';
      expect([code, findAllowedOverride(code, release)]).toEqual([code, expected]);
    }
  });

  it.each([
    ['is shipped', { isShipped: true }],
    ['is cancelled', { cancelled: true }],
    ['has no candidate', { candidateSha: null }],
  ])('allows no override if the release %s', (_name, changes) => {
    for (const code of CONDITION_CODES) {
      expect([code, findAllowedOverride(code, { ...release, ...changes })]).toEqual([code, 'none']);
    }
  });
});
