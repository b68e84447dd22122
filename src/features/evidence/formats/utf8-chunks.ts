import { isAscii, isUtf8 } from 'node:buffer';

/** Texts of this size are collected early as garbage. Longer ones are collected only with the old generation. */
const CHUNK_BYTES = 65_536;

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Decodes UTF-8 in chunks, without the byte order mark. */
export function* utf8Chunks(blocks: readonly Uint8Array[]): Generator<string> {
  let isFirst = true;
  for (const bytes of wholeCharacters(blocks)) {
    yield decode(isFirst && startsWithMark(bytes) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes);
    isFirst = false;
  }
}

/** Returns whether the bytes are valid UTF-8 without NUL. */
export function isUtf8Text(blocks: readonly Uint8Array[]): boolean {
  for (const bytes of wholeCharacters(blocks)) if (!isUtf8(bytes) || bytes.includes(0)) return false;
  return true;
}

/** Most reports are ASCII, which takes one byte per character in memory if it is decoded as Latin-1. */
const decode = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');

const startsWithMark = (bytes: Buffer): boolean => bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);

/** Yields the bytes in chunks that do not split a character. Incomplete bytes at the end are a chunk of their own. */
function* wholeCharacters(blocks: readonly Uint8Array[]): Generator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for (const chunk of split(blocks)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.length - countIncomplete(bytes);
    if (end > 0) yield bytes.subarray(0, end);
    rest = bytes.subarray(end);
  }
  if (rest.length > 0) yield rest;
}

function* split(blocks: readonly Uint8Array[]): Generator<Buffer> {
  for (const { buffer, byteOffset, byteLength } of blocks) {
    for (let at = 0; at < byteLength; at += CHUNK_BYTES) {
      yield Buffer.from(buffer, byteOffset + at, Math.min(CHUNK_BYTES, byteLength - at));
    }
  }
}

/** Returns the number of bytes at the end that begin an incomplete character (RFC 3629, § 3). */
function countIncomplete(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < lengthAfter(byte) ? back : 0;
  }
  return 0;
}

const lengthAfter = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2);
