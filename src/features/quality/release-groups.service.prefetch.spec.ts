import { describe, expect, it } from '@jest/globals';
import { prefetchBatches } from './release-groups.service.js';

type Ids = readonly string[];
const IDS: Ids = ['a', 'b', 'c', 'd', 'e'];

/** Turns of two, and what became of them. */
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
  it('brings all in their order, as many in a turn as was said after the one before', async () => {
    const found: Ids[] = [];
    for await (const batch of turns().batches) found.push(batch);
    expect(found).toEqual([['a'], ['b', 'c'], ['d', 'e']]);
  });

  it('is one turn ahead, and no more', async () => {
    const { batches, begun } = turns();
    expect(begun).toEqual([]);
    await batches.next();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(begun).toEqual([['a'], ['b', 'c']]);
  });

  it('tells of a failure in its turn', async () => {
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

  it('reads nothing where there is nothing', async () => {
    const begun: Ids[] = [];
    const read = async (ids: Ids): Promise<Ids> => {
      begun.push(ids);
      return ids;
    };
    for await (const batch of prefetchBatches([], { first: 1, read, sizeAfter: () => 1 })) expect(batch).toBeNull();
    expect(begun).toEqual([]);
  });
});
