import { expect, it } from '@jest/globals';
import { syncUnchangedOrganization } from './unchanged-organization.js';

const REPOSITORIES = 200;

it(`an organization of ${REPOSITORIES} repositories without changes uses none of its rate limit`, async () => {
  const { asked: callsBefore, paid } = await syncUnchangedOrganization(REPOSITORIES);
  expect(paid).toEqual([]);
  expect(callsBefore).toBeGreaterThan(REPOSITORIES);
});
