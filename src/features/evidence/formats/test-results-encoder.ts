import { hash, randomInt } from 'node:crypto';
import { constants, gzipSync } from 'node:zlib';
import { sha256 } from '../../../crypto/digests.js';
import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { type EncodedTestResults, TEST_OUTCOME_CODES, TESTS_PER_PART } from '../../../domain/quality/test-results.js';

const MARK_BYTES = BigUint64Array.BYTES_PER_ELEMENT;
/** Of a mark's lower half: the rest stands for the name. */
const OUTCOME_BITS = 3;

/** The first eight bytes of the digest of a test's name, little-endian; its lowest two bits stand for nothing. */
interface TestNameHash {
  readonly low: number;
  readonly high: number;
}

function hashTestName(name: string): TestNameHash {
  // As text of one byte a character: of two hundred thousand names a buffer each would be made and thrown away.
  const digest = hash('sha256', name, 'binary');
  return { low: readInt32(digest, 0) & ~OUTCOME_BITS, high: readInt32(digest, 4) };
}

/** `TestEntries` of tests in the order in which they came, to be found by their names: numbers alone, and no name is held. */
class TestEntryBuilder {
  private count = 0;
  /** The halves of each, the lower one first. */
  private halves = new Int32Array(256);
  /** Places from 1 on, each in the slot that its name has or in one behind it; half of them are free, and hold zero. */
  private slots = new Int32Array(this.halves.length);
  /** Random, so that a report cannot choose names that all share one slot. */
  private readonly seed = randomInt(2 ** 32);

  get length(): number {
    return this.count;
  }

  /** Where the test is that has this name; -1 where it is not here. */
  placeOf(hashed: TestNameHash): number {
    return (this.slots[this.slotOf(hashed)] ?? 0) - 1;
  }

  /** Adds a test that is not here yet. */
  append(hashed: TestNameHash, outcome: TestOutcome['outcome']): void {
    if (2 * this.count === this.halves.length) this.grow();
    this.halves[2 * this.count] = hashed.low | TEST_OUTCOME_CODES[outcome];
    this.halves[2 * this.count + 1] = hashed.high;
    this.slots[this.slotOf(hashed)] = this.count += 1;
  }

  /** The worse outcome stands for all tests of one name: a pass never hides a failure. */
  worsen(place: number, outcome: TestOutcome['outcome']): void {
    const low = this.halves[2 * place] ?? 0;
    if (TEST_OUTCOME_CODES[outcome] > (low & OUTCOME_BITS))
      this.halves[2 * place] = (low & ~OUTCOME_BITS) | TEST_OUTCOME_CODES[outcome];
  }

  /** Those from one place to before another as they are kept, little-endian whatever the machine. */
  bytes(from: number, to: number): Uint8Array<ArrayBuffer> {
    const bytes = new DataView(new ArrayBuffer((to - from) * MARK_BYTES));
    for (let at = 2 * from; at < 2 * to; at += 1) bytes.setInt32((at - 2 * from) * 4, this.halves[at] ?? 0, true);
    return new Uint8Array(bytes.buffer);
  }

  /** The slot of this name, or the free one where it would be. */
  private slotOf({ low, high }: TestNameHash): number {
    const last = this.slots.length - 1;
    const mixed = Math.imul(Math.imul(low ^ this.seed, 0x9e3779b1) ^ high, 0x85ebca6b);
    for (let slot = (mixed ^ (mixed >>> 15)) & last; ; slot = (slot + 1) & last) {
      const at = 2 * ((this.slots[slot] ?? 0) - 1);
      if (at < 0 || (this.halves[at + 1] === high && ((this.halves[at] ?? 0) & ~OUTCOME_BITS) === low)) return slot;
    }
  }

  private grow(): void {
    const halves = this.halves;
    this.halves = new Int32Array(2 * halves.length);
    this.halves.set(halves);
    this.slots = new Int32Array(this.halves.length);
    for (let place = 0; place < this.count; place += 1) {
      const hashed = { low: (halves[2 * place] ?? 0) & ~OUTCOME_BITS, high: halves[2 * place + 1] ?? 0 };
      this.slots[this.slotOf(hashed)] = place + 1;
    }
  }
}

const readInt32 = (digest: string, at: number): number =>
  digest.charCodeAt(at) |
  (digest.charCodeAt(at + 1) << 8) |
  (digest.charCodeAt(at + 2) << 16) |
  (digest.charCodeAt(at + 3) << 24);

/** Encodes the names of tests in parts. Only the names of the last part are held as text. */
class TestNameEncoder {
  private readonly packed: Uint8Array[] = [];
  private open: string[] = [];

  add(name: string): void {
    this.open.push(name);
    // At once: what reads a report waits for nothing, so that work handed to others would be held until it has ended.
    if (this.open.length === TESTS_PER_PART) this.pack();
  }

  /** Every part in turn; of no name there is none. Nothing is added afterwards. */
  end(): readonly Uint8Array[] {
    if (this.open.length > 0) this.pack();
    return this.packed;
  }

  private pack(): void {
    this.packed.push(gzipSync(JSON.stringify(this.open), { level: constants.Z_BEST_SPEED }));
    this.open = [];
  }
}

const NAME_LENGTH = 500;
/** Of the digest that stands for what was cut from a name. */
const DIGEST_LENGTH = 16;
const SEPARATOR = ' › ';

const UNTIDY = /[\s\p{Cc}\p{Cs}]+/gu;
/** Tells most names in one look that there is nothing to tidy. */
const MAYBE_UNTIDY = /[^\x21-\x7e ]| {2}/;
/** Ends like the name of a file, so that a title which begins with a route is none. */
const ABSOLUTE_FILE = /^(?:[A-Za-z]:)?[\\/](?:[^\\/]+[\\/]){2,}[^\\/]*\.[A-Za-z]\w*$/;

/** Names the tests of one report. */
class TestNameFormatter {
  /** What led to the test before, and what it makes of a name: to the next one it is mostly the same. */
  private lead: readonly string[] = [];
  private suites = { name: '', last: '' };

  /** `steps` lead from the outermost suite to the test; empty ones, and those that repeat the one before, say nothing. */
  nameOf(steps: readonly string[]): string {
    if (!this.isLedAlike(steps)) this.follow(steps.slice(0, -1));
    const title = tidy(steps.at(-1) ?? '');
    const { name: before, last } = this.suites;
    const name = title === '' || title === last ? before : joined(before, title);
    if (name.length <= NAME_LENGTH) return name || 'a test without a name';
    const digest = sha256(name).slice(0, DIGEST_LENGTH);
    return `${wholeCharacters(name.slice(0, NAME_LENGTH - DIGEST_LENGTH - 1))}…${digest}`;
  }

  private isLedAlike(steps: readonly string[]): boolean {
    return steps.length === this.lead.length + 1 && this.lead.every((step, at) => step === steps[at]);
  }

  private follow(lead: readonly string[]): void {
    let [name, last] = ['', ''];
    for (const title of lead.map(tidy)) {
      if (title === '' || title === last) continue;
      name = joined(name, title);
      last = title;
    }
    this.lead = lead;
    this.suites = { name, last };
  }
}

const joined = (name: string, step: string): string => (name === '' ? step : name + SEPARATOR + step);

/** In one line, without what the database refuses; a file's absolute path by its end. */
function tidy(step: string): string {
  const line = MAYBE_UNTIDY.test(step) ? step.replace(UNTIDY, ' ') : step;
  const trimmed = line.trim();
  return ABSOLUTE_FILE.test(trimmed) ? endOf(trimmed) : trimmed;
}

/**
 * The last three steps of a path: where a project lies differs between machines, but a runner of GitHub checks
 * `payments` out into `payments/payments`, so that not even files at its root tell one runner from another.
 */
function endOf(path: string): string {
  return path
    .split(/[\\/]+/)
    .slice(-3)
    .join('/');
}

/** Without the half of a pair that a cut left at the end. */
const wholeCharacters = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');

export interface TestResultsLimits {
  readonly tests: number;
  /** Of all names together, in UTF-16 code units: a long suite may be in the name of each of its tests. */
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
    // Of those that it does not hold only a failure may still say something of one that it does.
    if (this.isCut && outcome !== 'failed') return;
    const name = this.naming.nameOf(steps);
    const hashed = hashTestName(name);
    const place = this.entries.placeOf(hashed);
    if (place !== -1) return this.entries.worsen(place, outcome);
    if (this.entries.length >= this.limits.tests || this.characters + name.length > this.limits.characters) {
      this.isCut = true;
      return;
    }
    this.characters += name.length;
    this.entries.append(hashed, outcome);
    this.names.add(name);
  }

  /** A note of the report if not all of its tests are stored. */
  get notes(): readonly string[] {
    return this.isCut ? [`only the first ${this.entries.length} tests are kept by name; all are counted`] : [];
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
