import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CountedWork } from '../../../test/support/counted-work.js';

const work = new CountedWork('/src/domain/quality/');
let find: (ids: readonly string[], lists: number) => number;

beforeAll(async () => {
  await work.start();
  const { TestOutcomes } = await import('./test-results.js');
  find = (ids, lists) => {
    const outcomes = new TestOutcomes(ids);
    for (let list = 0; list < lists; list += 1) outcomes.add(BigUint64Array.of(3n));
    return outcomes.found.size;
  };
});
afterAll(() => work.stop());

const distinct = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => (4 * n).toString(16).padStart(16, '0').padEnd(32, '0'));
const same = (count: number): readonly string[] => Array.from({ length: count }, () => '0'.repeat(32));

describe('the work to find tests in the reports of an upload', () => {
  it.each([
    ['tests and reports', distinct(2_000), distinct(4_000)],
    ['uploads with the same failed test and reports', same(2_000), same(4_000)],
  ])('at most doubles with the number of %s', async (_, once, twice) => {
    const count = (ids: readonly string[], lists: number): Promise<number> =>
      work.count(() => expect(find(ids, lists)).toBe(1));
    await count(once, 200);
    expect((await count(twice, 400)) / (await count(once, 200))).toBeLessThan(2.2);
  });
});
