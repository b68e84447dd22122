import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES, toQueries } from './event-queries.js';

describe('queriesOf', () => {
  it('names one release, and all lists that can contain it', () => {
    const queries = toQueries({ type: 'release.updated', milestoneId: 'm1' });
    expect(queries).toContainEqual(['release', 'm1']);
    expect(queries).toContainEqual(['releases']);
    expect(queries).toContainEqual(['overrides']);
  });

  it('names all releases if the event names none', () => {
    expect(toQueries({ type: 'review.updated' })).toEqual([['reviews'], ['release']]);
  });

  it('names everything after a sync', () => {
    expect(toQueries({ type: 'sync.completed' })).toEqual([[]]);
  });

  it.each([
    ['members', ['team']],
    ['keys', ['keys']],
    ['plan', ['billing']],
    ['freezes', ['releases']],
    ['projects', ['projects']],
  ])('names the lists of changed %s', (what, key) => {
    const queries = toQueries({ type: 'workspace.updated', what });
    expect(queries).toContainEqual(key);
    expect(queries).toContainEqual(['audit']);
  });

  it('names nothing for an event of a later version', () => {
    expect(toQueries({ type: 'toString' })).toEqual([]);
    expect(toQueries({ type: 'moon.risen' })).toEqual([]);
  });

  it('handles every event of the API documentation', () => {
    expect(EVENT_TYPES.toSorted()).toEqual([
      'evidence.received',
      'release.updated',
      'repo.updated',
      'review.updated',
      'sync.completed',
      'sync.failed',
      'sync.progress',
      'sync.started',
      'workspace.updated',
    ]);
  });
});
