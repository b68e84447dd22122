import { describe, expect, it } from '@jest/globals';
import { parseRepositoryListSearch, parseRepositorySearch } from './repositories.search.js';

describe('parseRepositoryListSearch', () => {
  it('reads all filters', () => {
    expect(
      parseRepositoryListSearch({ q: ' pay ', state: 'PR_OPEN', attention: 'true', page: '2', size: '10' }),
    ).toEqual({ q: 'pay', state: 'PR_OPEN', attention: 'true', page: 2, size: 10 });
  });

  it.each([{ state: 'pr_open' }, { attention: 'false' }, { attention: '1' }, { page: '1' }, { other: 'x' }])(
    'ignores %j',
    (query) => {
      expect(parseRepositoryListSearch(query)).toEqual({});
    },
  );
});

it('reads the search among the releases of a repository', () => {
  expect(parseRepositorySearch({ q: '1.10', page: '3', state: 'PR_OPEN' })).toEqual({ q: '1.10', page: 3 });
});
