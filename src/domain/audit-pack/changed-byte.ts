const POLYNOMIAL = 0xedb88320;

/** What one byte adds to the checksum of nothing. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) remainder = remainder & 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1;
  return remainder;
});

/** Which entry of the table has this top byte: each has another one. */
const BY_TOP_BYTE = Uint8Array.from({ length: 256 }, (_, top) => TABLE.findIndex((entry) => entry >>> 24 === top));

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
    const change = BY_TOP_BYTE[difference >>> 24]!;
    const entry = TABLE[change]!;
    if (entry === difference) yield { offset, was: content[offset]! ^ change };
    difference = (((difference ^ entry) << 8) | change) >>> 0;
  }
}
