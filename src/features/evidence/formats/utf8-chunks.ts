import { isAscii, isUtf8 } from 'node:buffer';

/** So many bytes at once: as text they are soon forgotten, where longer text is only collected with everything else. */
const STRETCH_BYTES = 65_536;

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The characters of bytes in UTF-8, without their byte order mark, a stretch at a time. */
export function* utf8Chunks(blocks: readonly Uint8Array[]): Generator<string> {
  let isFirst = true;
  for (const bytes of wholeCharacters(blocks)) {
    yield decode(isFirst && startsWithMark(bytes) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes);
    isFirst = false;
  }
}

/** Whether it is all UTF-8, and none of its characters is NUL. */
export function isUtf8Text(blocks: readonly Uint8Array[]): boolean {
  for (const bytes of wholeCharacters(blocks)) if (!isUtf8(bytes) || bytes.includes(0)) return false;
  return true;
}

/** Most reports are ASCII, of which a character is a byte and stays one in memory. */
const decode = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');

const startsWithMark = (bytes: Buffer): boolean => bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);

/** The same bytes in stretches, none of whose characters is in two of them; what is no character at the end is one by itself. */
function* wholeCharacters(blocks: readonly Uint8Array[]): Generator<Buffer> {
  let begun: Buffer = Buffer.alloc(0);
  for (const came of stretchesOf(blocks)) {
    const bytes = begun.length === 0 ? came : Buffer.concat([begun, came]);
    const end = bytes.length - begunAtTheEnd(bytes);
    if (end > 0) yield bytes.subarray(0, end);
    begun = bytes.subarray(end);
  }
  if (begun.length > 0) yield begun;
}

function* stretchesOf(blocks: readonly Uint8Array[]): Generator<Buffer> {
  for (const { buffer, byteOffset, byteLength } of blocks) {
    for (let at = 0; at < byteLength; at += STRETCH_BYTES) {
      yield Buffer.from(buffer, byteOffset + at, Math.min(STRETCH_BYTES, byteLength - at));
    }
  }
}

/** How many bytes at the end begin a character that they do not end (RFC 3629, § 3). */
function begunAtTheEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < lengthAfter(byte) ? back : 0;
  }
  return 0;
}

const lengthAfter = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2);
