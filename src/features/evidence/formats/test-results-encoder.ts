import { hash, randomInt } from 'node:crypto';
import { constants, gzipSync } from 'node:zlib';
import { sha256 } from '../../../crypto/digests.js';
import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { type EncodedTestResults, TEST_OUTCOME_CODES, TESTS_PER_PART } from '../../../domain/quality/test-results.js';

const ENTRY_BYTES = BigUint64Array.BYTES_PER_ELEMENT;
/** The bits of the outcome in the lower half of an entry. The other bits identify the name. */
const OUTCOME_BITS = 3;

/** The first eight bytes of the digest of a test's name, little-endian. The lowest two bits are not used. */
interface TestNameHash {
  readonly low: number;
  readonly high: number;
}

function hashTestName(name: string): TestNameHash {
  // As a binary string, because a buffer for each of 200,000 names would be garbage at once.
  const digest = hash('sha256', name, 'binary');
  return { low: readInt32(digest, 0) & ~OUTCOME_BITS, high: readInt32(digest, 4) };
}

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
  findSlot({ low, high }: TestNameHash): number {
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
  append(slot: number, hashed: TestNameHash, outcome: TestOutcome['outcome']): void {
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

const readInt32 = (digest: string, at: number): number =>
  digest.charCodeAt(at) |
  (digest.charCodeAt(at + 1) << 8) |
  (digest.charCodeAt(at + 2) << 16) |
  (digest.charCodeAt(at + 3) << 24);

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
  private names: string[] = [];
  /** The number of names in `json`. */
  private count = 0;
  /** The JSON of the last part without its closing bracket. */
  private json = Buffer.allocUnsafeSlow(16_384);
  private length = 0;

  add(name: string): void {
    if (this.names.push(name) < NAMES_AT_ONCE) return;
    this.write();
    // Synchronously, because parsing never waits. Asynchronous work would hold all names until its end.
    if (this.count === TESTS_PER_PART) this.pack();
  }

  /** Returns the parts; empty without names. Must be called last. */
  end(): readonly Uint8Array[] {
    if (this.names.length > 0) this.write();
    if (this.count > 0) this.pack();
    return this.packed;
  }

  private write(): void {
    const text = JSON.stringify(this.names);
    this.reserve(BYTES_PER_UNIT * text.length);
    const end = this.length + this.json.write(text, this.length);
    this.json[this.length] = (this.count === 0 ? OPENING : COMMA) ?? 0;
    this.length = end - 1;
    this.count += this.names.length;
    this.names = [];
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

const NAME_LENGTH = 500;
/** The length of the digest that replaces the end of a long name. */
const DIGEST_LENGTH = 16;
const SEPARATOR = ' › ';

const NOT_NORMALIZED = /[\s\p{Cc}\p{Cs}]+/gu;
/** A fast check that is false for most names, which need no normalization. */
const MAYBE_NOT_NORMALIZED = /[^\x21-\x7e ]| {2}/;
/** An absolute path that ends like a file name, so that a title that begins with a route does not match. */
const ABSOLUTE_FILE = /^(?:[A-Za-z]:)?[\\/](?:[^\\/]+[\\/]){2,}[^\\/]*\.[A-Za-z]\w*$/;

/** Builds the names of the tests of one report. */
class TestNameFormatter {
  /** The suites of the previous test and their part of the name, which are usually the same for the next test. */
  private lead: readonly string[] = [];
  private suites = { name: '', last: '' };

  /** Joins the names from the outermost suite to the test. Leaves out empty names and repetitions of the previous one. */
  format(steps: readonly string[]): string {
    if (!this.hasSameSuites(steps)) this.setSuites(steps.slice(0, -1));
    const title = normalize(steps.at(-1) ?? '');
    const { name: before, last } = this.suites;
    const name = title === '' || title === last ? before : join(before, title);
    if (name.length <= NAME_LENGTH) return name || 'a test without a name';
    const digest = sha256(name).slice(0, DIGEST_LENGTH);
    return `${withoutHalfPair(name.slice(0, NAME_LENGTH - DIGEST_LENGTH - 1))}…${digest}`;
  }

  private hasSameSuites(steps: readonly string[]): boolean {
    return steps.length === this.lead.length + 1 && this.lead.every((step, at) => step === steps[at]);
  }

  private setSuites(lead: readonly string[]): void {
    let [name, last] = ['', ''];
    for (const title of lead.map(normalize)) {
      if (title === '' || title === last) continue;
      name = join(name, title);
      last = title;
    }
    this.lead = lead;
    this.suites = { name, last };
  }
}

const join = (name: string, step: string): string => (name === '' ? step : name + SEPARATOR + step);

/** Puts a name on one line, without characters that the database rejects, and shortens an absolute path. */
function normalize(step: string): string {
  const line = MAYBE_NOT_NORMALIZED.test(step) ? step.replace(NOT_NORMALIZED, ' ') : step;
  const trimmed = line.trim();
  return ABSOLUTE_FILE.test(trimmed) ? lastParts(trimmed) : trimmed;
}

/**
 * Returns the last three parts of a path, because the folder of a project differs between machines. A GitHub runner checks
 * `payments` out into `payments/payments`, so three parts are equal on all runners even for files at the root.
 */
function lastParts(path: string): string {
  return path
    .split(/[\\/]+/)
    .slice(-3)
    .join('/');
}

/** Removes half of a surrogate pair at the end of a cut text. */
const withoutHalfPair = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');

export interface TestResultsLimits {
  readonly tests: number;
  /** The length of all names together, in UTF-16 code units. The name of a long suite may be in the names of all its tests. */
  readonly characters: number;
}

const TEST_RESULTS_LIMITS: TestResultsLimits = { tests: 250_000, characters: 32_000_000 };

/** Encodes the tests of one report by name, each once regardless of the number of its attempts. */
export class TestResultsEncoder {
  private readonly naming = new TestNameFormatter();
  private readonly entries = new TestEntryBuilder();
  private readonly names = new TestNameEncoder();
  private characters = 0;
  private isCut = false;

  constructor(private readonly limits: TestResultsLimits = TEST_RESULTS_LIMITS) {}

  /** `steps` lead from the outermost suite to the test. */
  add(steps: readonly string[], outcome: TestOutcome['outcome']): void {
    // After the limit, only a failure can still change a stored test.
    if (this.isCut && outcome !== 'failed') return;
    const name = this.naming.format(steps);
    const hashed = hashTestName(name);
    const slot = this.entries.findSlot(hashed);
    const index = this.entries.getIndex(slot);
    if (index !== -1) return this.entries.worsen(index, outcome);
    if (this.entries.length >= this.limits.tests || this.characters + name.length > this.limits.characters) {
      this.isCut = true;
      return;
    }
    this.characters += name.length;
    this.entries.append(slot, hashed, outcome);
    this.names.add(name);
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
