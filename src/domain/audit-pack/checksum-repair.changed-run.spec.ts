import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { assert, integer, property, tuple, uint8Array } from 'fast-check';
import { findFormerContents } from './checksum-repair.js';

const content = uint8Array({ minLength: 1, maxLength: 200 });

/** What each of the runs says that the content was. */
const formersOf = (head: Uint8Array, tail: Uint8Array, before: Uint8Array): readonly Buffer[] =>
  [...findFormerContents(head, tail, crc32(before))].map(({ offset, was }) =>
    Buffer.concat([head.subarray(0, offset), was, tail.subarray(offset + was.length)]),
  );

describe('a run of bytes that was changed', () => {
  it('is found by the checksum, wherever it is and whatever it was', () => {
    assert(
      property(content, integer({ min: 0, max: 199 }), uint8Array({ minLength: 1, maxLength: 4 }), (bytes, at, run) => {
        const before = Uint8Array.from(bytes);
        const after = Uint8Array.from(before);
        const offset = at % after.length;
        after.set(run.slice(0, after.length - offset), offset);
        expect(formersOf(after, after, before).some((former) => former.equals(before))).toBe(true);
      }),
    );
  });

  it('is found where something was put in its place that is longer or shorter', () => {
    assert(
      property(
        content,
        tuple(integer(), integer({ min: 0, max: 4 })),
        uint8Array({ maxLength: 50 }),
        (bytes, gap, put) => {
          const before = Buffer.from(bytes);
          const offset = Math.abs(gap[0] % before.length);
          const behind = Buffer.alloc(300, 'what follows');
          const all = Buffer.concat([before.subarray(0, offset), put, before.subarray(offset + gap[1]), behind]);
          const shift = all.length - behind.length - before.length;
          const head = all.subarray(0, before.length);
          const tail = all.subarray(Math.max(0, shift), Math.max(0, shift) + before.length);
          // What was taken out of the beginning stands before the content, where there is none here.
          const shifted = shift < 0 ? Buffer.concat([Buffer.alloc(-shift), all]).subarray(0, before.length) : tail;
          expect(formersOf(head, shifted, before).some((former) => former.equals(before))).toBe(true);
        },
      ),
    );
  });

  it('accounts for the checksum at each place', () => {
    const before = Buffer.alloc(1_000, 'evidence ');
    const after = Buffer.from(before).fill('x', 10, 900);
    const formers = formersOf(after, after, before);
    expect(formers).toHaveLength(997);
    expect(formers.every((former) => crc32(former) === crc32(before))).toBe(true);
  });
});
