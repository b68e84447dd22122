import { describe, expect, it } from '@jest/globals';
import { parseQualitySearch, toQualityFilters } from './quality.search.js';

describe('parseQualitySearch', () => {
  it('reads all filters, and leaves a version as a text', () => {
    const query = { repo: 'payments', milestone: '1.10', type: 'coverage', environment: 'staging', open: 'm1' };
    expect(parseQualitySearch({ ...query, page: '2' })).toEqual({ ...query, page: 2 });
  });

  it.each([{ repo: 'acme/payments' }, { repo: '<x>' }, { type: 'tests' }, { environment: ' ' }, { results: 'all' }])(
    'ignores %j',
    (query) => {
      expect(parseQualitySearch(query)).toEqual({});
    },
  );
});

it('sends only filters that are set, and not the opened release', () => {
  expect(toQualityFilters(parseQualitySearch({ repo: 'payments', open: 'm1', page: '3' }))).toEqual({
    repo: 'payments',
  });
});
