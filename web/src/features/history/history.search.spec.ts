import { describe, expect, it } from '@jest/globals';
import { parseHistorySearch, toHistoryParameters } from './history.search.js';

describe('parseHistorySearch', () => {
  it('reads all filters', () => {
    const query = {
      q: 'v1.10',
      repository: 'acme/payments',
      kind: 'ungoverned',
      environment: 'production',
      from: '2026-05-01',
      to: '2026-05-31',
      open: 'r1',
      page: '2',
      runningPage: '3',
    };
    expect(parseHistorySearch(query)).toEqual({ ...query, page: 2, runningPage: 3 });
  });

  it.each([
    { kind: 'shipped' },
    { repository: 'payments' },
    { repository: 'acme/pay ments' },
    { environment: 'x'.repeat(101) },
    { from: '2026-02-29' },
    { to: '2026-5-1' },
    { runningPage: '0' },
    { unknown: 'x' },
  ])('ignores %j', (query) => {
    expect(parseHistorySearch(query)).toEqual({});
  });
});

it('sends only filters that are set, and not the opened row', () => {
  expect(toHistoryParameters(parseHistorySearch({ q: 'pay', kind: 'hotfix', open: 'r1', page: '3' }))).toEqual({
    search: 'pay',
    kind: 'hotfix',
  });
});
