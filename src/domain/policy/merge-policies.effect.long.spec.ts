import { describe, expect, it } from '@jest/globals';
import { checkMerges } from '../../../test/support/merged-policy-checks.js';

describe('mergePolicies', () => {
  it.each([1, 2])('lets pass what both let pass, for 400,000 random cases with the seed %i', (seed) => {
    expect(checkMerges(400_000, seed).passed).toBeGreaterThan(4_000);
  });
});
