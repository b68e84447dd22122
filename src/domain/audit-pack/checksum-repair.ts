import { CRC32_TABLE } from '../checksum/crc32.js';

/** The table index for each top byte. All top bytes are different. */
const BY_TOP_BYTE = Uint8Array.from({ length: 256 }, (_, top) =>
  CRC32_TABLE.findIndex((entry) => entry >>> 24 === top),
);

/** The initial value of the CRC-32 register. The checksum is the final register with all bits inverted. */
const FIRST_REGISTER = 0xffffffff;

/** Returns the register after a byte. */
const registerAfter = (register: number, byte: number): number =>
  ((register >>> 8) ^ CRC32_TABLE[(register ^ byte) & 0xff]!) >>> 0;

/** Returns the register before a byte. */
function registerBefore(register: number, byte: number): number {
  const index = BY_TOP_BYTE[register >>> 24]!;
  return (((register ^ CRC32_TABLE[index]!) << 8) | (index ^ byte)) >>> 0;
}

/** A possible change of a single byte: its offset and its former value. */
export interface ChangedByte {
  readonly offset: number;
  readonly was: number;
}

/**
 * Yields every single-byte change that explains the difference between two CRC-32 checksums, last byte first. The
 * checksum is linear: the difference depends only on the change and its distance from the end, so each position costs
 * two steps instead of 255 checksums. The correct change must be confirmed with a digest.
 */
export function* changedBytes(content: Uint8Array, crc32: number, before: number): Generator<ChangedByte> {
  let difference = (crc32 ^ before) >>> 0;
  if (difference === 0) return;
  for (let offset = content.length - 1; offset >= 0; offset -= 1) {
    difference = registerBefore(difference, 0);
    if (difference <= 0xff) yield { offset, was: content[offset]! ^ difference };
  }
}

const CHANGES_OF_A_BYTE = 255;
/** The table size per entry, a balance of collisions and memory. */
const SPARSENESS = 2;
/** The multiplier of Fibonacci hashing. It spreads keys that differ in few bits. */
const GOLDEN_RATIO = 0x9e3779b1;

/**
 * Yields every pair of byte changes that explains the difference between two CRC-32 checksums. The effect of each
 * change is stored once, and then the rest of the difference is searched among the stored effects. It needs 4 KiB of
 * memory per byte of content and finds about 8 pairs in 1 KiB and 2,000 in 16 KiB. The correct pair must be confirmed
 * with a digest.
 */
export function* changedPairs(
  content: Uint8Array,
  crc32: number,
  before: number,
): Generator<readonly [ChangedByte, ChangedByte]> {
  const difference = (crc32 ^ before) >>> 0;
  const seen = new Contributions(content.length * CHANGES_OF_A_BYTE);
  const effects = Uint32Array.from(CRC32_TABLE);
  for (let offset = content.length - 1; offset >= 0; offset -= 1) {
    for (let change = 1; change <= CHANGES_OF_A_BYTE; change += 1) {
      for (const other of seen.find(difference ^ effects[change]!)) {
        const later = Math.floor(other / 256);
        yield [
          { offset, was: content[offset]! ^ change },
          { offset: later, was: content[later]! ^ (other % 256) },
        ];
      }
    }
    for (let change = 1; change <= CHANGES_OF_A_BYTE; change += 1) {
      seen.add(effects[change]!, offset * 256 + change);
      effects[change] = registerAfter(effects[change]!, 0);
    }
  }
}

/**
 * The changes by their effect on the checksum. An open hash table, because a `Map` with millions of entries takes
 * gigabytes.
 */
class Contributions {
  private readonly keys: Uint32Array;
  private readonly values: Uint32Array;
  private readonly shift: number;
  private readonly mask: number;

  constructor(most: number) {
    const bits = Math.max(1, Math.ceil(Math.log2(most * SPARSENESS)));
    this.keys = new Uint32Array(2 ** bits);
    this.values = new Uint32Array(2 ** bits);
    this.shift = 32 - bits;
    this.mask = 2 ** bits - 1;
  }

  /** Adds a value that is not 0, because 0 marks an empty slot. */
  add(key: number, value: number): void {
    let slot = this.toSlot(key);
    while (this.values[slot] !== 0) slot = (slot + 1) & this.mask;
    this.keys[slot] = key;
    this.values[slot] = value;
  }

  *find(key: number): Generator<number> {
    for (let slot = this.toSlot(key); this.values[slot] !== 0; slot = (slot + 1) & this.mask) {
      if (this.keys[slot] === key >>> 0) yield this.values[slot]!;
    }
  }

  private toSlot(key: number): number {
    return Math.imul(key, GOLDEN_RATIO) >>> this.shift;
  }
}

/** The number of bytes that a CRC-32 determines. */
const RUN_BYTES = 4;

/**
 * A possible former content: the current content before the offset, the four former bytes, and the current content
 * after them.
 */
export interface FormerRun {
  readonly offset: number;
  /** The four bytes, or fewer if the content is shorter. */
  readonly was: Uint8Array;
}

/**
 * Yields every content with the CRC-32 `before` that begins like `head`, ends like `tail`, and has any four bytes in
 * between: one per position. `head` and `tail` have the length of the content. They differ if bytes were added or
 * removed, so that the end has moved. The four bytes are computed from the register after the beginning and the
 * register before the end. The correct content must be confirmed with a digest.
 */
export function* findFormerContents(head: Uint8Array, tail: Uint8Array, before: number): Generator<FormerRun> {
  const { length } = tail;
  const run = Math.min(RUN_BYTES, length);
  const registers = new Uint32Array(length + 1);
  registers[length] = ~before;
  for (let at = length - 1; at >= run; at -= 1) registers[at] = registerBefore(registers[at + 1]!, tail[at]!);
  for (let offset = 0, register = FIRST_REGISTER; offset + run <= length; offset += 1) {
    let sought = registers[offset + run]!;
    for (let step = 0; step < run; step += 1) sought = registerBefore(sought, 0);
    const bytes = (sought ^ register) >>> 0;
    // Four bytes always have a solution. Fewer bytes have one only if they are the former bytes.
    if (run === RUN_BYTES || bytes < 256 ** run) {
      yield { offset, was: Uint8Array.from({ length: run }, (_, at) => (bytes >>> (8 * at)) & 0xff) };
    }
    register = registerAfter(register, head[offset]!);
  }
}
