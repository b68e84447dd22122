import { expect, it } from '@jest/globals';
import { syncUnchangedOrganization } from '../faults/unchanged-organization.js';

const REPOSITORIES = 12;

it('an organization without changes uses none of its rate limit', async () => {
  const { asked: callsBefore, paid } = await syncUnchangedOrganization(REPOSITORIES);
  expect(paid).toEqual([]);
  expect(callsBefore).toBeGreaterThan(REPOSITORIES);
});
