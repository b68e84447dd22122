import { hash, randomInt } from 'node:crypto';
import type { TestOutcome } from '../../../domain/evidence/test-outcome.js';
import { TEST_MARK } from '../../../domain/quality/test-marks.js';

const MARK_BYTES = BigUint64Array.BYTES_PER_ELEMENT;
/** Of a mark's lower half: the rest stands for the name. */
const OUTCOME_BITS = 3;

/** The first eight bytes of the digest of a test's name, little-endian; its lowest two bits stand for nothing. */
export interface NameMark {
  readonly low: number;
  readonly high: number;
}

export function nameMark(name: string): NameMark {
  // As text of one byte a character: of two hundred thousand names a buffer each would be made and thrown away.
  const digest = hash('sha256', name, 'binary');
  return { low: word(digest, 0) & ~OUTCOME_BITS, high: word(digest, 4) };
}

/** `TestMarks` of tests in the order in which they came, to be found by their names: numbers alone, and no name is held. */
export class RollMarks {
  private count = 0;
  /** The halves of each, the lower one first. */
  private words = new Int32Array(256);
  /** Places from 1 on, each in the slot that its name has or in one behind it; half of them are free, and hold zero. */
  private slots = new Int32Array(this.words.length);
  /** Nobody can choose names that all have one slot. */
  private readonly seed = randomInt(2 ** 32);

  get length(): number {
    return this.count;
  }

  /** Where the test is that has this name; -1 where it is not here. */
  placeOf(mark: NameMark): number {
    return (this.slots[this.slotOf(mark)] ?? 0) - 1;
  }

  /** Adds a test that is not here yet. */
  append(mark: NameMark, outcome: TestOutcome['outcome']): void {
    if (2 * this.count === this.words.length) this.grow();
    this.words[2 * this.count] = mark.low | TEST_MARK[outcome];
    this.words[2 * this.count + 1] = mark.high;
    this.slots[this.slotOf(mark)] = this.count += 1;
  }

  /** The worse outcome stands for all tests of one name: a pass never hides a failure. */
  worsen(place: number, outcome: TestOutcome['outcome']): void {
    const low = this.words[2 * place] ?? 0;
    if (TEST_MARK[outcome] > (low & OUTCOME_BITS)) this.words[2 * place] = (low & ~OUTCOME_BITS) | TEST_MARK[outcome];
  }

  /** Those from one place to before another as they are kept, little-endian whatever the machine. */
  bytes(from: number, to: number): Uint8Array<ArrayBuffer> {
    const bytes = new DataView(new ArrayBuffer((to - from) * MARK_BYTES));
    for (let at = 2 * from; at < 2 * to; at += 1) bytes.setInt32((at - 2 * from) * 4, this.words[at] ?? 0, true);
    return new Uint8Array(bytes.buffer);
  }

  /** The slot of this name, or the free one where it would be. */
  private slotOf({ low, high }: NameMark): number {
    const last = this.slots.length - 1;
    const mixed = Math.imul(Math.imul(low ^ this.seed, 0x9e3779b1) ^ high, 0x85ebca6b);
    for (let slot = (mixed ^ (mixed >>> 15)) & last; ; slot = (slot + 1) & last) {
      const at = 2 * ((this.slots[slot] ?? 0) - 1);
      if (at < 0 || (this.words[at + 1] === high && ((this.words[at] ?? 0) & ~OUTCOME_BITS) === low)) return slot;
    }
  }

  private grow(): void {
    const words = this.words;
    this.words = new Int32Array(2 * words.length);
    this.words.set(words);
    this.slots = new Int32Array(this.words.length);
    for (let place = 0; place < this.count; place += 1) {
      const mark = { low: (words[2 * place] ?? 0) & ~OUTCOME_BITS, high: words[2 * place + 1] ?? 0 };
      this.slots[this.slotOf(mark)] = place + 1;
    }
  }
}

const word = (digest: string, at: number): number =>
  digest.charCodeAt(at) |
  (digest.charCodeAt(at + 1) << 8) |
  (digest.charCodeAt(at + 2) << 16) |
  (digest.charCodeAt(at + 3) << 24);
