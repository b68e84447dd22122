import { describe, expect, it } from '@jest/globals';
import { freezeConditions } from './conditions.js';

const NOW = new Date('2026-12-24T18:00:00Z');
const YEAR_END = { from: '2026-12-20', to: '2027-01-02', reason: 'year end' };

describe('freezeConditions', () => {
  it.each([
    ['year end', 'year end.'],
    ['We close the books.', 'We close the books.'],
    ['The fair!', 'The fair!'],
    ['Audit?', 'Audit?'],
    ['the usual…', 'the usual…'],
    ['v1.2', 'v1.2.'],
  ])('ends the reason %j of a freeze as %j', (reason, end) => {
    expect(freezeConditions([{ ...YEAR_END, reason }], NOW)).toEqual([
      {
        code: 'freeze',
        detail: `Deployments are frozen from 2026-12-20 to 2027-01-02: ${end}`,
        actor: 'admin',
        subjects: [
          {
            id: JSON.stringify(['freeze', '2026-12-20', '2027-01-02', reason]),
            label: `Deployments are frozen from 2026-12-20 to 2027-01-02: ${end}`,
          },
        ],
      },
    ]);
  });
});

it('reports a freeze once when the policy and an admin declare the same freeze', () => {
  expect(freezeConditions([YEAR_END, { ...YEAR_END }], NOW)).toHaveLength(1);
  const [both, ...others] = freezeConditions([YEAR_END, { ...YEAR_END, id: 'of-an-admin' }], NOW);
  expect(others).toEqual([]);
  expect(both?.subjects?.map(({ id }) => id)).toEqual([
    '["freeze","2026-12-20","2027-01-02","year end"]',
    '["freeze","of-an-admin"]',
  ]);
});
