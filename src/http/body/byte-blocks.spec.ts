import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { BLOCK_BYTES, BlockBuffer, toBlocks, totalSize } from './byte-blocks.js';

/** Bytes that differ from those next to them. */
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => at % 251);

describe('toBlocks', () => {
  it.each([
    [0, []],
    [1, [1]],
    [BLOCK_BYTES - 1, [BLOCK_BYTES - 1]],
    [BLOCK_BYTES, [BLOCK_BYTES]],
    [BLOCK_BYTES + 1, [BLOCK_BYTES, 1]],
    [3 * BLOCK_BYTES, [BLOCK_BYTES, BLOCK_BYTES, BLOCK_BYTES]],
  ])('splits %i bytes into the lengths %j', (length, lengths) => {
    const whole = bytes(length);
    const blocks = toBlocks(whole);
    expect(blocks.map((block) => block.length)).toEqual(lengths);
    expect(Buffer.concat(blocks).equals(whole)).toBe(true);
    expect(totalSize(blocks)).toBe(length);
  });

  it('returns the same blocks for any chunks', () => {
    const whole = bytes(2 * BLOCK_BYTES + 5);
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: whole.length + 1 }), (size) => {
        const gatherer = new BlockBuffer();
        for (let at = 0; at < whole.length; at += size) gatherer.add(whole.subarray(at, at + size));
        const blocks = gatherer.end();
        expect(blocks.map((block) => block.length)).toEqual([BLOCK_BYTES, BLOCK_BYTES, 5]);
        expect(Buffer.concat(blocks).equals(whole)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('returns blocks with separate memory', () => {
    const whole = bytes(BLOCK_BYTES + 10);
    const [first, last] = toBlocks(whole);
    expect(first?.buffer.byteLength).toBe(BLOCK_BYTES);
    expect(last?.buffer.byteLength).toBe(10);
    whole.fill(0);
    expect(last?.every((byte, at) => byte === (BLOCK_BYTES + at) % 251)).toBe(true);
  });
});
