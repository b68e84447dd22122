import { expect, it } from '@jest/globals';
import { toAuditParameters } from './audit.parameters.js';
import { parseAuditSearch } from './audit.search.js';

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

it.each([{ action: 'Freeze thawed' }, { actor: 'two words' }, { from: '2026-02-30' }, { to: 'today' }, { x: '1' }])(
  'ignores %j',
  (query) => {
    expect(parseAuditSearch(query)).toEqual({});
  },
);

it('leaves out an action that does not exist', () => {
  expect(toAuditParameters(parseAuditSearch({ action: 'freeze.thawed', q: 'v1.4' }))).toEqual({ search: 'v1.4' });
});
