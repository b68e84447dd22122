import { describe, expect, it } from '@jest/globals';
import { holdRows } from './held-rows.js';

interface Row {
  readonly id: string;
  readonly outcome: string;
}

const row = (id: string, outcome = 'blocked'): Row => ({ id, outcome });
const hold = (listed: readonly Row[], current: readonly Row[]) => holdRows(listed, current, ({ id }) => id);

describe('holdRows', () => {
  it('updates rows in place', () => {
    const { rows, changes } = hold([row('a'), row('b')], [row('a', 'ready'), row('b')]);
    expect(rows).toEqual([
      { row: row('a', 'ready'), isGone: false },
      { row: row('b'), isGone: false },
    ]);
    expect(changes).toBe(0);
  });

  it('keeps the order and counts the rows that would move', () => {
    const { rows, changes } = hold([row('a'), row('b'), row('c')], [row('c'), row('a'), row('b')]);
    expect(rows.map((held) => held.row.id)).toEqual(['a', 'b', 'c']);
    expect(changes).toBe(3);
  });

  it('leaves a new row out and counts it', () => {
    const { rows, changes } = hold([row('a')], [row('b'), row('a')]);
    expect(rows.map((held) => held.row.id)).toEqual(['a']);
    expect(changes).toBe(1);
  });

  it('keeps the place of a row that is gone', () => {
    const { rows, changes } = hold([row('a'), row('b')], [row('b')]);
    expect(rows).toEqual([
      { row: row('a'), isGone: true },
      { row: row('b'), isGone: false },
    ]);
    expect(changes).toBe(1);
  });
});
