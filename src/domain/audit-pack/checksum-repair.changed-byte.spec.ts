import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { assert, integer, property, uint8Array } from 'fast-check';
import { changedBytes } from './checksum-repair.js';

describe('changedBytes', () => {
  it('finds the changed byte from the two checksums', () => {
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

  it('finds no byte when nothing was changed', () => {
    const bytes = Buffer.from('unchanged');
    expect([...changedBytes(bytes, crc32(bytes), crc32(bytes))]).toEqual([]);
  });

  it('returns only candidates whose repair restores the checksum', () => {
    const before = Buffer.alloc(200_000, 'evidence ');
    const after = Buffer.from(before);
    after[77] = 0;
    after[150_000] = 1;
    for (const { offset, was } of changedBytes(after, crc32(after), crc32(before))) {
      const repaired = Buffer.from(after);
      repaired[offset] = was;
      expect(crc32(repaired)).toBe(crc32(before));
    }
  });

  it('finds the byte in ten million bytes and returns fewer than 20 candidates', () => {
    const before = Buffer.alloc(10_000_000, 'evidence ');
    const after = Buffer.from(before);
    after[1_234] = 0;
    const found = [...changedBytes(after, crc32(after), crc32(before))];
    expect(found).toContainEqual({ offset: 1_234, was: before[1_234] });
    expect(found.length).toBeLessThan(20);
  });
});
