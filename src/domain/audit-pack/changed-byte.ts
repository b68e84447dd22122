import { registerBefore } from './crc32-register.js';

/** A byte that may be the only one that was changed, and what it was before. */
export interface ChangedByte {
  readonly offset: number;
  readonly was: number;
}

/**
 * Every single byte whose change would account for the content having one CRC-32 and having had another, from the last to
 * the first. The checksum is linear: how two of them differ tells nothing of the content, only of what changed in it and
 * how far from the end, so each place costs two steps, and not 255 checksums. Of the changes that it finds one is likely the
 * true one; a digest has to tell.
 */
export function* changedBytes(content: Uint8Array, crc32: number, before: number): Generator<ChangedByte> {
  let difference = (crc32 ^ before) >>> 0;
  if (difference === 0) return;
  for (let offset = content.length - 1; offset >= 0; offset -= 1) {
    difference = registerBefore(difference, 0);
    if (difference <= 0xff) yield { offset, was: content[offset]! ^ difference };
  }
}
