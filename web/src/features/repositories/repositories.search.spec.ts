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

it('reads the search among the releases of a repository, and the page of its running artifacts', () => {
  const query = { q: '1.10', page: '3', runningPage: '2', state: 'PR_OPEN' };
  expect(parseRepositorySearch(query)).toEqual({ q: '1.10', page: 3, runningPage: 2 });
  expect(parseRepositorySearch({ page: '1', runningPage: '1' })).toEqual({});
  expect(parseRepositorySearch({ runningPage: '2.5' })).toEqual({});
});
