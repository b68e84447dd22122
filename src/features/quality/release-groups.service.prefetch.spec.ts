import { describe, expect, it } from '@jest/globals';
import { prefetchBatches } from './release-groups.service.js';

type Ids = readonly string[];
const IDS: Ids = ['a', 'b', 'c', 'd', 'e'];

/** Reads batches of two after the first, and records the reads that began and ended. */
function turns(fails: (ids: Ids) => boolean = () => false): {
  readonly batches: AsyncGenerator<Ids>;
  readonly begun: Ids[];
  readonly ended: Ids[];
} {
  const [begun, ended]: [Ids[], Ids[]] = [[], []];
  const read = async (ids: Ids): Promise<Ids> => {
    begun.push(ids);
    await new Promise((resolve) => setImmediate(resolve));
    ended.push(ids);
    if (fails(ids)) throw new Error(`${ids.join()} cannot be read`);
    return ids;
  };
  return { batches: prefetchBatches(IDS, { first: 1, read, sizeAfter: () => 2 }), begun, ended };
}

describe('reading ahead', () => {
  it('returns all in order, with batches of the size that follows from the previous batch', async () => {
    const found: Ids[] = [];
    for await (const batch of turns().batches) found.push(batch);
    expect(found).toEqual([['a'], ['b', 'c'], ['d', 'e']]);
  });

  it('reads only one batch ahead', async () => {
    const { batches, begun } = turns();
    expect(begun).toEqual([]);
    await batches.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(begun).toEqual([['a'], ['b', 'c']]);
  });

  it('throws the error when the failed batch is used', async () => {
    const { batches, ended } = turns((ids) => ids.includes('b'));
    expect(await batches.next()).toEqual({ done: false, value: ['a'] });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(ended).toEqual([['a'], ['b', 'c']]);
    await expect(batches.next()).rejects.toThrow('b,c cannot be read');
    expect(await batches.next()).toEqual({ done: true, value: undefined });
  });

  it('waits for the running read when the caller stops', async () => {
    const { batches, begun, ended } = turns((ids) => ids.includes('b'));
    await batches.next();
    expect(ended).toEqual([['a']]);
    await batches.return(undefined);
    expect(begun).toEqual([['a'], ['b', 'c']]);
    expect(ended).toEqual(begun);
  });

  it('reads nothing for an empty list', async () => {
    const begun: Ids[] = [];
    const read = async (ids: Ids): Promise<Ids> => {
      begun.push(ids);
      return ids;
    };
    for await (const batch of prefetchBatches([], { first: 1, read, sizeAfter: () => 1 })) expect(batch).toBeNull();
    expect(begun).toEqual([]);
  });
});
