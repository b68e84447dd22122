import { expect, it } from '@jest/globals';
import { parsePendingReviewsSearch } from './pending-reviews.search.js';

it('reads scope, page and the open release, and ignores everything else', () => {
  expect(parsePendingReviewsSearch({ scope: 'workspace', page: '2', x: '1' })).toEqual({ scope: 'workspace', page: 2 });
  expect(parsePendingReviewsSearch({ open: 'an-id' })).toEqual({ open: 'an-id' });
  expect(parsePendingReviewsSearch({ scope: 'unknown' })).toEqual({ scope: 'unknown' });
  for (const scope of ['mine', 'all', '']) expect(parsePendingReviewsSearch({ scope })).toEqual({});
});
