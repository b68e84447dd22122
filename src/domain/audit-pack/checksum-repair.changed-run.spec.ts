import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { assert, integer, property, tuple, uint8Array } from 'fast-check';
import { findFormerContents } from './checksum-repair.js';

const content = uint8Array({ minLength: 1, maxLength: 200 });

/** Returns the former content that each result of `findFormerContents` stands for. */
const formerContents = (head: Uint8Array, tail: Uint8Array, before: Uint8Array): readonly Buffer[] =>
  [...findFormerContents(head, tail, crc32(before))].map(({ offset, was }) =>
    Buffer.concat([head.subarray(0, offset), was, tail.subarray(offset + was.length)]),
  );

describe('findFormerContents', () => {
  it('finds a changed run of up to four bytes from the checksum', () => {
    assert(
      property(content, integer({ min: 0, max: 199 }), uint8Array({ minLength: 1, maxLength: 4 }), (bytes, at, run) => {
        const before = Uint8Array.from(bytes);
        const after = Uint8Array.from(before);
        const offset = at % after.length;
        after.set(run.slice(0, after.length - offset), offset);
        expect(formerContents(after, after, before).some((former) => former.equals(before))).toBe(true);
      }),
    );
  });

  it('finds the former bytes when a longer or shorter run replaced them', () => {
    assert(
      property(
        content,
        tuple(integer(), integer({ min: 0, max: 4 })),
        uint8Array({ maxLength: 50 }),
        (bytes, gap, inserted) => {
          const before = Buffer.from(bytes);
          const offset = Math.abs(gap[0] % before.length);
          const behind = Buffer.alloc(300, 'what follows');
          const all = Buffer.concat([before.subarray(0, offset), inserted, before.subarray(offset + gap[1]), behind]);
          const shift = all.length - behind.length - before.length;
          const head = all.subarray(0, before.length);
          const tail = all.subarray(Math.max(0, shift), Math.max(0, shift) + before.length);
          // If bytes were removed at the start, the tail begins before the content, and no such bytes exist here.
          const shifted = shift < 0 ? Buffer.concat([Buffer.alloc(-shift), all]).subarray(0, before.length) : tail;
          expect(formerContents(head, shifted, before).some((former) => former.equals(before))).toBe(true);
        },
      ),
    );
  });

  it('restores the checksum at each possible offset', () => {
    const before = Buffer.alloc(1_000, 'evidence ');
    const after = Buffer.from(before).fill('x', 10, 900);
    const formers = formerContents(after, after, before);
    expect(formers).toHaveLength(997);
    expect(formers.every((former) => crc32(former) === crc32(before))).toBe(true);
  });
});
