import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { assert, integer, property, uint8Array } from 'fast-check';
import { changedPairs } from './checksum-repair.js';

describe('changedPairs', () => {
  it('finds the two changed bytes from the two checksums', () => {
    const change = integer({ min: 1, max: 255 });
    const place = integer({ min: 0, max: 199 });
    assert(
      property(
        uint8Array({ minLength: 2, maxLength: 200 }),
        place,
        place,
        change,
        change,
        (bytes, one, other, by, too) => {
          const [first, second] = [one % bytes.length, other % bytes.length].toSorted((a, b) => a - b) as [
            number,
            number,
          ];
          if (first === second) return;
          const after = Uint8Array.from(bytes);
          after[first]! ^= by;
          after[second]! ^= too;
          expect([...changedPairs(after, crc32(after), crc32(bytes))]).toContainEqual([
            { offset: first, was: bytes[first] },
            { offset: second, was: bytes[second] },
          ]);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('finds the pair in 16 KiB and returns fewer than 4,000 candidates', () => {
    const before = Buffer.alloc(16_384, 'evidence ');
    const after = Buffer.from(before);
    after[77] = 0;
    after[16_383] = 1;
    const found = [...changedPairs(after, crc32(after), crc32(before))];
    expect(found).toContainEqual([
      { offset: 77, was: before[77] },
      { offset: 16_383, was: before[16_383] },
    ]);
    expect(found.length).toBeLessThan(4_000);
    for (const pair of found.slice(0, 50)) {
      const repaired = Buffer.from(after);
      for (const { offset, was } of pair) repaired[offset] = was;
      expect(crc32(repaired)).toBe(crc32(before));
    }
  });
});
