import { describe, expect, it } from '@jest/globals';
import { withKeys } from './list-keys.js';

const condition = (code: string, detail: string) => ({ code, detail });
const keys = (items: readonly ReturnType<typeof condition>[]): readonly string[] =>
  withKeys(items, ({ code }) => code).map(([key]) => key);

describe('the keys of a list', () => {
  it('are unique, also for items with equal sentences', () => {
    expect(keys([condition('a', 'No.'), condition('b', 'No.'), condition('a', 'No.')])).toEqual(['a 0', 'b 0', 'a 1']);
  });

  it('stay the same when a sentence changes or an item of another kind appears', () => {
    const before = keys([condition('b', '1 of 2 approvals.')]);
    expect(keys([condition('a', 'New.'), condition('b', '0 of 2 approvals.')])).toEqual(['a 0', ...before]);
  });

  it('count all items where they have no kinds', () => {
    expect(withKeys(['Same.', 'Same.'])).toEqual([
      ['item 0', 'Same.'],
      ['item 1', 'Same.'],
    ]);
  });
});
