import { describe, expect, it } from '@jest/globals';
import { checkMerges } from '../../../test/support/merged-policy-checks.js';

describe('mergePolicies', () => {
  it('lets pass what the organization and the repository let pass, for random policies and facts', () => {
    const { passed, closedByOrganization, closedByRepository } = checkMerges(200_000, 20_261_129);
    // The property would also hold for policies under which nothing or everything passes.
    expect(Math.min(passed, closedByOrganization, closedByRepository)).toBeGreaterThan(2_000);
  });
});
