import { crc32 } from 'node:zlib';
import { changedBytes, changedPairs, findFormerContents } from '../../domain/audit-pack/checksum-repair.js';

/** The caller hashes the whole content once per offset, which takes some seconds at this size. */
const MAX_BYTES_FOR_RUNS = 65_536;
/** Each byte of the content needs 4 KiB of memory. */
const MAX_BYTES_FOR_PAIRS = 16_384;

/**
 * Yields the possible original contents with the CRC-32 `before`: one byte was changed, up to four consecutive bytes, or any
 * two bytes; likely and cheap candidates first. `shifted` is the content at the place of its end after a change of length.
 * If it differs, also yields candidates in which bytes were inserted or up to four were removed. A yielded buffer is valid
 * until the next one.
 */
export function* candidateContents(before: number, found: Buffer, shifted: Buffer = found): Generator<Buffer> {
  const checksum = crc32(found);
  for (const change of changedBytes(found, checksum, before)) yield withBytes(found, [change]);
  if (found.length <= MAX_BYTES_FOR_RUNS) {
    for (const tail of shifted.equals(found) ? [found] : [found, shifted]) yield* candidatesByRuns(before, found, tail);
  }
  if (found.length <= MAX_BYTES_FOR_PAIRS) {
    for (const pair of changedPairs(found, checksum, before)) yield withBytes(found, pair);
  }
}

function* candidatesByRuns(before: number, head: Buffer, tail: Buffer): Generator<Buffer> {
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
