import { expect, it } from '@jest/globals';
import { readUnchanged } from '../faults/unchanged-organization.js';

const REPOSITORIES = 12;

it('an organization in which nothing changed costs none of its budget', async () => {
  const { asked, paid } = await readUnchanged(REPOSITORIES);
  expect(paid).toEqual([]);
  expect(asked).toBeGreaterThan(REPOSITORIES);
});
