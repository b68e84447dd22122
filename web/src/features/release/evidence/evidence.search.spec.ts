import { expect, it } from '@jest/globals';
import { parseEvidenceSearch } from './evidence.search.js';

it('reads all filters', () => {
  const query = { type: 'coverage', environment: ' staging ', only: 'used', page: '2' };
  expect(parseEvidenceSearch(query)).toEqual({ type: 'coverage', environment: 'staging', only: 'used', page: 2 });
});

it.each([{ type: 'x' }, { environment: ' ' }, { only: 'true' }, { page: '0' }, { other: '1' }])(
  'ignores %j',
  (query) => {
    expect(parseEvidenceSearch(query)).toEqual({});
  },
);
