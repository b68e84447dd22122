import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { CoveredFiles, decodeLines, encodeLines, LINES } from './covered-files.js';
import type { CoveredLines } from './coverage-entry.js';

const key = (letter: string): string => letter.repeat(16);
const lines = (hits: string, weights: readonly number[] | null = null): CoveredLines => ({
  weights,
  hits,
});
const filesOf = (...files: readonly (readonly [string, CoveredLines])[]): CoveredFiles<CoveredLines> => {
  const covered = new CoveredFiles(LINES);
  for (const [name, file] of files) covered.add(name, file);
  return covered;
};

describe('covered files', () => {
  it('count each file once, with the hits of all of its entries', () => {
    const one = filesOf([key('a'), lines('1100')], [key('b'), lines('00')]);
    one.addAll(filesOf([key('a'), lines('0110')], [key('c'), lines('1')]));
    expect(one.count()).toEqual({ covered: 4, total: 7 });
  });

  it('add up the counts of files whose lines are not known', () => {
    const one = filesOf([key('a'), lines('1')]);
    one.addCounts({ covered: 1, total: 4 });
    const other = filesOf([key('a'), lines('1')]);
    other.addCounts({ covered: 2, total: 4 });
    one.addAll(other);
    expect(one.count()).toEqual({ covered: 4, total: 9 });
  });

  it('count lines by their weights', () => {
    expect(filesOf([key('a'), lines('101', [5, 300, 70_000])]).count()).toEqual({ covered: 70_005, total: 70_305 });
  });

  it('are the same after they were encoded', () => {
    const anyFile = fc
      .array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 2 ** 40 })), { maxLength: 40 })
      .chain((sites) =>
        fc.boolean().map((isWeighted) => ({
          weights: isWeighted ? sites.map(([, weight]) => weight) : null,
          hits: sites.map(([isHit]) => (isHit ? '1' : '0')).join(''),
        })),
      );
    const anyKey = fc
      .uint8Array({ minLength: 16, maxLength: 16 })
      .map((bytes) => Buffer.from(bytes).toString('latin1'));
    fc.assert(
      fc.property(fc.dictionary(anyKey, anyFile), fc.nat(), (files, total) => {
        const covered = filesOf(...Object.entries(files));
        covered.addCounts({ covered: 0, total });
        expect(decodeLines(encodeLines(covered)).entries()).toEqual(covered.entries());
      }),
    );
  });

  it('are the same in whatever order they are united', () => {
    const parts = ['110000', '000011', '001000'].map((hits) => encodeLines(filesOf([key('a'), lines(hits)])));
    const united = (order: readonly number[]): unknown => {
      const all = new CoveredFiles(LINES);
      for (const index of order) all.addAll(decodeLines(parts[index] ?? new Uint8Array()));
      return all.entries();
    };
    expect(united([2, 0, 1])).toEqual(united([0, 1, 2]));
  });

  it('are rejected if their encoding is truncated or unknown', () => {
    const encoded = encodeLines(filesOf([key('a'), lines('11')]));
    expect(() => decodeLines(encoded.subarray(0, -1))).toThrow('truncated');
    expect(() => decodeLines(Uint8Array.from([9]))).toThrow('unknown encoding');
  });

  it('are at most as long as an LCOV tracefile of the shortest records', () => {
    const many = filesOf(
      ...Array.from({ length: 1_000 }, (_, n) => [String(n).padStart(16, '0'), lines('1')] as const),
    );
    expect(encodeLines(many).length).toBeLessThan(1_000 * 'SF:a\nDA:1,1\nend_of_record\n'.length);
  });
});
