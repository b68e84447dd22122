import { describe, expect, it } from '@jest/globals';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.js';
import { otherEnvironmentReason } from './other-environment.js';

const POLICY: Policy = { ...DEFAULT_POLICY, testing: { ...DEFAULT_POLICY.testing, deployTarget: 'Staging' } };

describe('otherEnvironmentReason', () => {
  it.each([
    ['production', POLICY, null],
    ['PRODUCTION', POLICY, null],
    ['staging', POLICY, 'unknown'],
    ['qa', POLICY, 'environment_not_named'],
    ['qa', null, null],
  ] as const)('of the environment %s', (environment, policy, code) => {
    expect(otherEnvironmentReason(environment, policy)?.code ?? null).toBe(code);
  });
});
