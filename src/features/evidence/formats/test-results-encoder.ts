import { randomInt } from 'node:crypto';
import { constants, gzipSync } from 'node:zlib';
import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { type EncodedTestResults, TEST_OUTCOME_CODES, TESTS_PER_PART } from '../../../domain/quality/test-results.js';
import type { TestName } from './test-suite.js';

const ENTRY_BYTES = BigUint64Array.BYTES_PER_ELEMENT;
/** The bits of the outcome in the lower half of an entry. The other bits identify the name. */
const OUTCOME_BITS = 3;

/** The first 64 bits of the id of a test. The lowest two bits are not used. */
interface TestIdHash {
  readonly low: number;
  readonly high: number;
}

const hashTestId = (id: string): TestIdHash => ({
  low: Number.parseInt(id.slice(8, 16), 16) & ~OUTCOME_BITS,
  high: Number.parseInt(id.slice(0, 8), 16) | 0,
});

/** Builds `TestEntries` in the order of the tests. A hash table of numbers finds them by name without storing the names. */
class TestEntryBuilder {
  private count = 0;
  /** The two halves of each entry, the lower one first. */
  private halves = new Int32Array(256);
  /** An open hash table of entry numbers that start at 1. At least half of the slots are free and contain 0. */
  private slots = new Int32Array(this.halves.length);
  /** Random, so that a report cannot choose names that share one slot. */
  private readonly seed = randomInt(2 ** 32);

  get length(): number {
    return this.count;
  }

  /** Returns the slot of the test with this name, or the free slot for it. It is valid until the next `append`. */
  findSlot({ low, high }: TestIdHash): number {
    const last = this.slots.length - 1;
    const mixed = Math.imul(Math.imul(low ^ this.seed, 0x9e3779b1) ^ high, 0x85ebca6b);
    for (let slot = (mixed ^ (mixed >>> 15)) & last; ; slot = (slot + 1) & last) {
      const at = 2 * ((this.slots[slot] ?? 0) - 1);
      if (at < 0 || (this.halves[at + 1] === high && ((this.halves[at] ?? 0) & ~OUTCOME_BITS) === low)) return slot;
    }
  }

  /** Returns the index of the test in this slot; -1 if the slot is free. */
  getIndex(slot: number): number {
    return (this.slots[slot] ?? 0) - 1;
  }

  /** Adds a test with a new name in its free slot. */
  append(slot: number, hashed: TestIdHash, outcome: TestOutcome['outcome']): void {
    this.halves[2 * this.count] = hashed.low | TEST_OUTCOME_CODES[outcome];
    this.halves[2 * this.count + 1] = hashed.high;
    this.slots[slot] = this.count += 1;
    if (2 * this.count === this.halves.length) this.grow();
  }

  /** Stores the worse outcome for tests of the same name, so that a pass never hides a failure. */
  worsen(index: number, outcome: TestOutcome['outcome']): void {
    const low = this.halves[2 * index] ?? 0;
    if (TEST_OUTCOME_CODES[outcome] > (low & OUTCOME_BITS))
      this.halves[2 * index] = (low & ~OUTCOME_BITS) | TEST_OUTCOME_CODES[outcome];
  }

  /** Returns the entries from one index to before another in the stored form, little-endian on every machine. */
  bytes(from: number, to: number): Uint8Array<ArrayBuffer> {
    const bytes = new DataView(new ArrayBuffer((to - from) * ENTRY_BYTES));
    for (let at = 2 * from; at < 2 * to; at += 1) bytes.setInt32((at - 2 * from) * 4, this.halves[at] ?? 0, true);
    return new Uint8Array(bytes.buffer);
  }

  private grow(): void {
    const halves = this.halves;
    this.halves = new Int32Array(2 * halves.length);
    this.halves.set(halves);
    this.slots = new Int32Array(this.halves.length);
    for (let place = 0; place < this.count; place += 1) {
      const hashed = { low: (halves[2 * place] ?? 0) & ~OUTCOME_BITS, high: halves[2 * place + 1] ?? 0 };
      this.slots[this.findSlot(hashed)] = place + 1;
    }
  }
}

/** The longest UTF-8 of one UTF-16 code unit. */
const BYTES_PER_UNIT = 3;
const [OPENING, CLOSING, COMMA] = Buffer.from('[],');
/** The number of names per write. A part consists of whole writes. */
const NAMES_AT_ONCE = TESTS_PER_PART / 64;

/**
 * Encodes the names of tests in parts. A few names at a time are written to a buffer, because V8 would copy names that are held, and
 * allocates a JSON text of thousands of names outside its young generation.
 */
class TestNameEncoder {
  private readonly packed: Uint8Array[] = [];
  private groups: [suites: string, ...tests: string[]][] = [];
  /** The number of tests in `groups`. */
  private waiting = 0;
  /** The number of tests in `json`. */
  private count = 0;
  /** The JSON of the last part without its closing bracket. */
  private json = Buffer.allocUnsafeSlow(16_384);
  private length = 0;

  add({ suites, test }: TestName): void {
    const group = this.groups.at(-1);
    if (group?.[0] === suites) group.push(test);
    else this.groups.push([suites, test]);
    this.waiting += 1;
    if (this.waiting < NAMES_AT_ONCE) return;
    this.write();
    // Synchronously, because parsing never waits. Asynchronous work would hold all names until its end.
    if (this.count === TESTS_PER_PART) this.pack();
  }

  /** Returns the parts; empty without names. Must be called last. */
  end(): readonly Uint8Array[] {
    if (this.waiting > 0) this.write();
    if (this.count > 0) this.pack();
    return this.packed;
  }

  private write(): void {
    const text = JSON.stringify(this.groups);
    this.reserve(BYTES_PER_UNIT * text.length);
    const end = this.length + this.json.write(text, this.length);
    this.json[this.length] = (this.count === 0 ? OPENING : COMMA) ?? 0;
    this.length = end - 1;
    this.count += this.waiting;
    this.waiting = 0;
    this.groups = [];
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.json.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.length + bytes));
    larger.set(this.json);
    this.json = larger;
  }

  private pack(): void {
    this.json[this.length] = CLOSING ?? 0;
    const json = this.json.subarray(0, this.length + 1);
    this.packed.push(gzipSync(json, { level: constants.Z_BEST_SPEED }));
    this.count = 0;
    this.length = 0;
  }
}

export interface TestResultsLimits {
  readonly tests: number;
  /** The length of all names together, in UTF-16 code units. The suites count once for each group of tests. */
  readonly characters: number;
}

const TEST_RESULTS_LIMITS: TestResultsLimits = { tests: 250_000, characters: 32_000_000 };

/** Encodes the tests of one report by name, each once regardless of the number of its attempts. */
export class TestResultsEncoder {
  private readonly entries = new TestEntryBuilder();
  private readonly names = new TestNameEncoder();
  private characters = 0;
  private latestSuites: string | null = null;
  private isCut = false;

  constructor(private readonly limits: TestResultsLimits = TEST_RESULTS_LIMITS) {}

  /** Returns whether the test is `new`, was `known` by this name, or is not stored because of a limit, so that this is `unknown`. */
  add(name: TestName, outcome: TestOutcome['outcome']): 'new' | 'known' | 'unknown' {
    const hashed = hashTestId(name.id);
    const slot = this.entries.findSlot(hashed);
    const index = this.entries.getIndex(slot);
    if (index !== -1) {
      this.entries.worsen(index, outcome);
      return 'known';
    }
    const characters = name.test.length + (name.suites === this.latestSuites ? 0 : name.suites.length);
    // After the first test beyond a limit no other is stored, so that the stored tests are the first ones.
    this.isCut ||= this.entries.length >= this.limits.tests || this.characters + characters > this.limits.characters;
    if (this.isCut) return 'unknown';
    this.characters += characters;
    this.latestSuites = name.suites;
    this.entries.append(slot, hashed, outcome);
    this.names.add(name);
    return 'new';
  }

  /** A note of the report if not all of its tests are stored. */
  get notes(): readonly string[] {
    return this.isCut ? [`only the first ${this.entries.length} tests are stored by name; all are counted`] : [];
  }

  /** Returns the encoded tests. Must be called last. Results with the maximum number of tests count as incomplete. */
  packed(): EncodedTestResults {
    const parts = this.names.end().map((packed, part) => {
      const from = part * TESTS_PER_PART;
      const to = Math.min(from + TESTS_PER_PART, this.entries.length);
      return { tests: to - from, marks: this.entries.bytes(from, to), names: packed };
    });
    return { complete: !this.isCut && this.entries.length < this.limits.tests, parts };
  }
}
