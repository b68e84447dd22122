import { expect, it } from '@jest/globals';
import { syncUnchangedOrganization } from '../faults/unchanged-organization.js';

const REPOSITORIES = 12;

it('an organization in which nothing changed costs none of its budget', async () => {
  const { asked: callsBefore, paid } = await syncUnchangedOrganization(REPOSITORIES);
  expect(paid).toEqual([]);
  expect(callsBefore).toBeGreaterThan(REPOSITORIES);
});
