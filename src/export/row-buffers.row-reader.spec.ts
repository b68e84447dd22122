import { describe, expect, it } from '@jest/globals';
import { RowReader } from './row-buffers.js';

describe('RowReader', () => {
  it.each([
    [1, [[1], [2], [3], [4], [5], []]],
    [2, [[1, 2], [3, 4], [5], []]],
    [5, [[1, 2, 3, 4, 5], []]],
    [9, [[1, 2, 3, 4, 5], []]],
  ])('returns at most %d rows at a time, in order', async (count, portions) => {
    const rows = RowReader.of(items([1, 2], [], [3], [4, 5]), (item) => item);
    for (const portion of portions) expect(await rows.take(count)).toEqual(portion);
    expect(await rows.take(count)).toEqual([]);
  });

  it('reports whether there are more rows without removing any', async () => {
    const rows = RowReader.of(items([], [1], [2]), (item) => item);
    for (const row of [1, 2]) {
      expect([await rows.hasMore(), await rows.hasMore()]).toEqual([true, true]);
      expect(await rows.take(1)).toEqual([row]);
    }
    expect([await rows.hasMore(), await rows.take(1)]).toEqual([false, []]);
  });

  it('reads no more items than it needs', async () => {
    let read = 0;
    const rows = RowReader.of(items([1], [2], [3]), (item) => {
      read += 1;
      return item;
    });
    await rows.take(2);
    expect(read).toBe(2);
  });
});

async function* items(...of: readonly (readonly number[])[]): AsyncGenerator<readonly number[]> {
  yield* of;
}
