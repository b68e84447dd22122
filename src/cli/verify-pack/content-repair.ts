import { crc32 } from 'node:zlib';
import { changedBytes, changedPairs, findFormerContents } from '../../domain/audit-pack/checksum-repair.js';

/** For each place of a content whoever asks takes a digest of all of it: some seconds at this size. */
const LONGEST_FOR_RUNS = 65_536;
/** Each byte of a content costs 4 KiB of memory. */
const LONGEST_FOR_PAIRS = 16_384;

/**
 * What a content with the CRC-32 `before` may have been, where one byte of it was changed, or up to four in a row, or two
 * anywhere; the likelier and cheaper first. `shifted` is what lies where its end stands now: where that is elsewhere, also
 * what was before something was added, or up to four bytes were taken out. Each is good until the next is asked for.
 */
export function* candidateContents(before: number, found: Buffer, shifted: Buffer = found): Generator<Buffer> {
  const checksum = crc32(found);
  for (const change of changedBytes(found, checksum, before)) yield withBytes(found, [change]);
  if (found.length <= LONGEST_FOR_RUNS) {
    for (const tail of shifted.equals(found) ? [found] : [found, shifted]) yield* formerByRuns(before, found, tail);
  }
  if (found.length <= LONGEST_FOR_PAIRS) {
    for (const pair of changedPairs(found, checksum, before)) yield withBytes(found, pair);
  }
}

function* formerByRuns(before: number, head: Buffer, tail: Buffer): Generator<Buffer> {
  const former = Buffer.from(tail);
  for (const { offset, was } of findFormerContents(head, tail, before)) {
    if (offset > 0) former[offset - 1] = head[offset - 1]!;
    former.set(was, offset);
    yield former;
    former.set(tail.subarray(offset, offset + was.length), offset);
  }
}

function withBytes(found: Buffer, changes: readonly { readonly offset: number; readonly was: number }[]): Buffer {
  const former = Buffer.from(found);
  for (const { offset, was } of changes) former[offset] = was;
  return former;
}
