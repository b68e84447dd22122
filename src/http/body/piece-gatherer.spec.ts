import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { PIECE_BYTES, PieceGatherer, piecesOf, sizeOf } from './piece-gatherer.js';

/** Bytes that tell a place from its neighbours. */
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => at % 251);

describe('pieces', () => {
  it.each([
    [0, []],
    [1, [1]],
    [PIECE_BYTES - 1, [PIECE_BYTES - 1]],
    [PIECE_BYTES, [PIECE_BYTES]],
    [PIECE_BYTES + 1, [PIECE_BYTES, 1]],
    [3 * PIECE_BYTES, [PIECE_BYTES, PIECE_BYTES, PIECE_BYTES]],
  ])('of %i bytes have the lengths %j', (length, lengths) => {
    const whole = bytes(length);
    const pieces = piecesOf(whole);
    expect(pieces.map((piece) => piece.length)).toEqual(lengths);
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
    expect(sizeOf(pieces)).toBe(length);
  });

  it('are the same however the bytes come', () => {
    const whole = bytes(2 * PIECE_BYTES + 5);
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: whole.length + 1 }), (size) => {
        const gatherer = new PieceGatherer();
        for (let at = 0; at < whole.length; at += size) gatherer.add(whole.subarray(at, at + size));
        const pieces = gatherer.end();
        expect(pieces.map((piece) => piece.length)).toEqual([PIECE_BYTES, PIECE_BYTES, 5]);
        expect(Buffer.concat(pieces).equals(whole)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('have memory of their own', () => {
    const whole = bytes(PIECE_BYTES + 10);
    const [first, last] = piecesOf(whole);
    expect(first?.buffer.byteLength).toBe(PIECE_BYTES);
    expect(last?.buffer.byteLength).toBe(10);
    whole.fill(0);
    expect(last?.every((byte, at) => byte === (PIECE_BYTES + at) % 251)).toBe(true);
  });
});
