import { describe, expect, it } from '@jest/globals';
import { parseReleaseListSearch } from './release-list.search.js';

describe('parseReleaseListSearch', () => {
  it('reads all filters', () => {
    expect(parseReleaseListSearch({ q: ' pay ', outcome: 'blocked', page: '3', size: '50' })).toEqual({
      q: 'pay',
      outcome: 'blocked',
      page: 3,
      size: 50,
    });
  });

  it('reads order and view', () => {
    expect(parseReleaseListSearch({ sort: 'due', view: 'stages' })).toEqual({ sort: 'due', view: 'stages' });
  });

  it('reads the view of environments', () => {
    expect(parseReleaseListSearch({ view: 'environments' })).toEqual({ view: 'environments' });
  });

  it('leaves a version as a text', () => {
    expect(parseReleaseListSearch({ q: '1.10' })).toEqual({ q: '1.10' });
  });

  it('leaves defaults out', () => {
    expect(parseReleaseListSearch({ q: '', page: '1', size: '25' })).toEqual({});
  });

  it.each([
    { outcome: 'shipped' },
    { sort: 'urgency' },
    { view: 'list' },
    { page: '0' },
    { page: '-1' },
    { page: '1.5' },
    { page: 'x' },
    { page: '100001' },
    { size: '1000' },
    { q: 7 },
    { unknown: 'x' },
  ])('ignores %j', (query) => {
    expect(parseReleaseListSearch(query)).toEqual({});
  });

  it('shortens a search that is longer than the service accepts', () => {
    expect(parseReleaseListSearch({ q: 'x'.repeat(300) }).q).toHaveLength(200);
  });
});
