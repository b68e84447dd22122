import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { assert, integer, property, uint8Array } from 'fast-check';
import { changedBytes } from './checksum-repair.js';

describe('the byte that was changed', () => {
  it('is found by two checksums, wherever it is and whatever it was', () => {
    assert(
      property(
        uint8Array({ minLength: 1, maxLength: 300 }),
        integer(),
        integer({ min: 1, max: 255 }),
        (bytes, at, by) => {
          const before = Uint8Array.from(bytes);
          const offset = Math.abs(at % before.length);
          const after = Uint8Array.from(before);
          after[offset]! ^= by;
          const found = [...changedBytes(after, crc32(after), crc32(before))];
          expect(found).toContainEqual({ offset, was: before[offset] });
        },
      ),
    );
  });

  it('is none where nothing was changed', () => {
    const bytes = Buffer.from('unchanged');
    expect([...changedBytes(bytes, crc32(bytes), crc32(bytes))]).toEqual([]);
  });

  it('accounts for both checksums, each that is named', () => {
    const before = Buffer.alloc(200_000, 'evidence ');
    const after = Buffer.from(before);
    after[77] = 0;
    after[150_000] = 1;
    for (const { offset, was } of changedBytes(after, crc32(after), crc32(before))) {
      const mended = Buffer.from(after);
      mended[offset] = was;
      expect(crc32(mended)).toBe(crc32(before));
    }
  });

  it('is found at once in ten million', () => {
    const before = Buffer.alloc(10_000_000, 'evidence ');
    const after = Buffer.from(before);
    after[1_234] = 0;
    const found = [...changedBytes(after, crc32(after), crc32(before))];
    expect(found).toContainEqual({ offset: 1_234, was: before[1_234] });
    expect(found.length).toBeLessThan(20);
  });
});
