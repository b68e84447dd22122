import { expect, it } from '@jest/globals';
import { parseProjectListSearch } from './project-list.search.js';

it('reads search and page, and ignores everything else', () => {
  expect(parseProjectListSearch({ q: ' 1.10 ', page: '2', org: 'x' })).toEqual({ q: '1.10', page: 2 });
});
