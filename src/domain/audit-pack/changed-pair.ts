import { CRC32_TABLE } from '../checksum/crc32.js';
import type { ChangedByte } from './changed-byte.js';
import { registerAfter } from './crc32-register.js';

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
