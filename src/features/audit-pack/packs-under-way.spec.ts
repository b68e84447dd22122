import { describe, expect, it } from '@jest/globals';
import { PacksUnderWay } from './packs-under-way.js';

const [ADA, BOB] = [1, 2];

describe('the packs under way', () => {
  it('are counted for each person, until they have ended', () => {
    const packs = new PacksUnderWay(2);
    const [first] = [packs.begin(ADA), packs.begin(ADA)];
    expect([packs.isFull(ADA), packs.isFull(BOB)]).toEqual([true, false]);
    first();
    expect(packs.isFull(ADA)).toBe(false);
    packs.begin(ADA);
    expect(packs.isFull(ADA)).toBe(true);
  });
});
