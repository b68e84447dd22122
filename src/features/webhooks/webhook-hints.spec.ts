import { describe, expect, it } from '@jest/globals';
import { hintsOf } from './webhook-hints.js';

const NOBODY = { belonging: [], reading: [] };
const EVERYONE = { belonging: [], reading: 'everyone' };
const MIA = { id: 501, login: 'mia' };

describe('hints of whom a delivery is about', () => {
  it.each([
    ['organization', { action: 'member_removed', membership: { user: MIA } }, { belonging: [501], reading: [] }],
    ['organization', { action: 'renamed' }, NOBODY],
    ['member', { action: 'removed', member: MIA }, { belonging: [], reading: [501] }],
    ['membership', { action: 'removed', member: MIA, team: { slug: 'a' } }, { belonging: [], reading: [501] }],
    ['team', { action: 'removed_from_repository', team: { slug: 'a' } }, EVERYONE],
    ['team', { action: 'deleted', team: { slug: 'a' } }, EVERYONE],
    ['repository', { action: 'privatized' }, EVERYONE],
    ['repository', { action: 'publicized' }, EVERYONE],
    ['repository', { action: 'transferred' }, EVERYONE],
    ['repository', { action: 'created' }, EVERYONE],
    ['repository', { action: 'renamed' }, NOBODY],
    ['installation', { action: 'suspend' }, EVERYONE],
    ['installation_repositories', { action: 'removed' }, EVERYONE],
    ['push', { ref: 'refs/heads/main' }, NOBODY],
    ['member', { action: 'removed', member: { id: '501' } }, NOBODY],
    ['member', { action: 'removed', member: { id: -1 } }, NOBODY],
    ['member', [], NOBODY],
  ])('%s %j', (event, payload, people) => {
    expect(hintsOf(event, payload)).toMatchObject(people);
  });
});
