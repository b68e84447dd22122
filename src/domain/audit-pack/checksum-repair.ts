import { CRC32_TABLE } from '../checksum/crc32.js';

/** Which entry of the table has this top byte: each has another one. */
const BY_TOP_BYTE = Uint8Array.from({ length: 256 }, (_, top) =>
  CRC32_TABLE.findIndex((entry) => entry >>> 24 === top),
);

/** What the register of CRC-32 holds before the first byte; the checksum is what it holds at last, each bit inverted. */
const FIRST_REGISTER = 0xffffffff;

/** What the register holds after a byte. */
const registerAfter = (register: number, byte: number): number =>
  ((register >>> 8) ^ CRC32_TABLE[(register ^ byte) & 0xff]!) >>> 0;

/** What the register held before a byte. */
function registerBefore(register: number, byte: number): number {
  const index = BY_TOP_BYTE[register >>> 24]!;
  return (((register ^ CRC32_TABLE[index]!) << 8) | (index ^ byte)) >>> 0;
}

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

const CHANGES_OF_A_BYTE = 255;
/** Slots for one entry: few enough collisions, and little memory. */
const SPARSENESS = 2;
/** Spreads what differs in some bits only over the table (Fibonacci hashing). */
const GOLDEN_RATIO = 0x9e3779b1;

/**
 * Every two bytes whose change would account for the content having one CRC-32 and having had another. What each change of
 * each byte adds to the checksum is written down once; then each is looked up what is left of the difference without it.
 * It takes 4 KiB of memory for each byte of the content, and finds some 8 pairs in 1 KiB and 2,000 in 16: a digest has to
 * tell.
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

/** Which changes make a difference: an open hash table, because a `Map` of millions takes gigabytes. */
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

  /** `value` is never 0, which stands for an empty slot. */
  add(key: number, value: number): void {
    let slot = this.slotOf(key);
    while (this.values[slot] !== 0) slot = (slot + 1) & this.mask;
    this.keys[slot] = key;
    this.values[slot] = value;
  }

  *find(key: number): Generator<number> {
    for (let slot = this.slotOf(key); this.values[slot] !== 0; slot = (slot + 1) & this.mask) {
      if (this.keys[slot] === key >>> 0) yield this.values[slot]!;
    }
  }

  private slotOf(key: number): number {
    return Math.imul(key, GOLDEN_RATIO) >>> this.shift;
  }
}

/** As many bytes as a CRC-32 can make up for. */
const RUN_BYTES = 4;

/** What a content may have been: what stands now up to a place, four bytes, and what stands now from there on. */
export interface FormerRun {
  readonly offset: number;
  /** The four bytes; fewer in a content that is shorter. */
  readonly was: Uint8Array;
}

/**
 * Every content with the CRC-32 `before` that begins as `head` does, ends as `tail` does, and has any four bytes in between:
 * one for each place. Both are as long as it is; they differ where something was added or taken out, so that its end stands
 * elsewhere now. It is found from both ends: the four bytes are those that lead from what the register of the checksum holds
 * behind the beginning to what it must hold before the end. A digest has to tell which of them it was.
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
    // Four bytes always lead there; fewer do so only if they are the ones.
    if (run === RUN_BYTES || bytes < 256 ** run) {
      yield { offset, was: Uint8Array.from({ length: run }, (_, at) => (bytes >>> (8 * at)) & 0xff) };
    }
    register = registerAfter(register, head[offset]!);
  }
}
