import { describe, expect, it } from '@jest/globals';
import type { Schema } from '../../api/client.js';
import { listOwnActors, sortByActor } from './order-actors.js';

const givenViewer = (
  permission: Schema<'ReleaseViewer'>['permission'],
  status: Schema<'ReviewEligibility'>['status'] = 'unknown',
): Schema<'ReleaseViewer'> => ({
  permission,
  canChangeScope: 'unknown',
  eligibility: { status, login: null, reason: '' },
});

describe('listOwnActors', () => {
  it.each([
    ['no group of a user who only reads', givenViewer('read'), false, []],
    ['the team of a user who writes', givenViewer('maintain'), false, ['team']],
    ['the reviewers of an eligible user', givenViewer('read', 'eligible'), false, ['reviewer']],
    ['all groups of an admin', givenViewer('admin', 'eligible'), true, ['team', 'reviewer', 'admin']],
  ] as const)('names %s', (_, viewer, isAdmin, actors) => {
    expect(listOwnActors(viewer, isAdmin)).toEqual(actors);
  });
});

it('starts with the own groups, and keeps the order of the service for each actor', () => {
  const conditions = [
    { actor: 'ci', at: 1 },
    { actor: 'admin', at: 2 },
    { actor: 'team', at: 3 },
    { actor: 'ci', at: 4 },
  ] as const;
  expect(sortByActor(conditions, ['admin']).map(({ at }) => at)).toEqual([2, 3, 1, 4]);
});
