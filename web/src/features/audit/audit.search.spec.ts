import { expect, it } from '@jest/globals';
import { parseAuditSearch, toAuditParameters } from './audit.search.js';

it('reads all filters', () => {
  const query = { q: ' v1.4 ', action: 'freeze.made', actor: 'ada', from: '2026-01-01', to: '2026-01-31', page: '2' };
  const search = parseAuditSearch(query);
  expect(search).toEqual({ ...query, q: 'v1.4', page: 2 });
  expect(toAuditParameters(search)).toEqual({
    search: 'v1.4',
    action: 'freeze.made',
    actor: 'ada',
    from: '2026-01-01',
    to: '2026-01-31',
  });
});

it.each([{ action: 'freeze.thawed' }, { actor: 'two words' }, { from: '2026-02-30' }, { to: 'today' }, { x: '1' }])(
  'ignores %j',
  (query) => {
    expect(parseAuditSearch(query)).toEqual({});
  },
);
