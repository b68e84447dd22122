/** Whether the tests of a release were compared by name: `pending` is being done, and `unknown` cannot be. */
export const COMPARISON_STATUSES = ['known', 'pending', 'unknown'] as const;
export type ComparisonStatus = (typeof COMPARISON_STATUSES)[number];

/** How many tests every part of a roll but the last has: few parts to a report, and few names to read for one of them. */
export const TESTS_PER_PART = 4_096;

/** Some of the tests of a report, one after the other. */
export interface EncodedTestResultsPart {
  readonly tests: number;
  /** `TestEntries`, little-endian whatever the machine. */
  readonly marks: Uint8Array;
  /** The names in the same order: a JSON array, compressed with gzip. */
  readonly names: Uint8Array;
}

/** Which tests a report tells of and how they ended, as it is kept. */
export interface EncodedTestResults {
  /** Whether it holds all tests of the report. */
  readonly complete: boolean;
  readonly parts: readonly EncodedTestResultsPart[];
}

/**
 * Tests as numbers of 64 bits: the upper 62 stand for a test's name, the lower two for how it ended. So two hundred thousand
 * tests take two megabytes, and are compared without their names.
 */
export type TestEntries = BigUint64Array;

/** The worse the higher, so that of a test which ended in several ways the worst way comes last. */
export const TEST_OUTCOME_CODES = { skipped: 0, passed: 1, flaky: 2, failed: 3 } as const;

/** Some of the tests that were counted, in no meaningful order. */
export interface TestSample {
  readonly count: number;
  /** At most as many as were asked for. */
  readonly some: readonly bigint[];
}

/** Each test once, with the worst way in which it ended; ascending. */
export function mergeToWorstOutcome(all: readonly TestEntries[]): TestEntries {
  const marks = joined(all).sort();
  const words = wordsOf(marks);
  let kept = 0;
  for (let at = 0; at < marks.length; at += 1) {
    if (at + 1 < marks.length && compareTests(words, at, words, at + 1) === 0) continue;
    copy(words, at, kept);
    kept += 1;
  }
  return marks.subarray(0, kept);
}

/** What became of tests, of marks that `mergeToWorstOutcome` made. */
export function diffTests(
  now: TestEntries,
  before: TestEntries,
  most: number,
): { readonly newFailures: TestSample; readonly lostTests: TestSample } {
  const [present, past] = [wordsOf(now), wordsOf(before)];
  const newFailures = new Tally(now, most);
  const lostTests = new Tally(before, most);
  let [at, then] = [0, 0];
  while (at < now.length || then < before.length) {
    const order = at >= now.length ? 1 : then >= before.length ? -1 : compareTests(present, at, past, then);
    const ended = order <= 0 ? testOutcome(present, at) : TEST_OUTCOME_CODES.skipped;
    const endedThen = order >= 0 ? testOutcome(past, then) : TEST_OUTCOME_CODES.skipped;
    if (ended === TEST_OUTCOME_CODES.failed && endedThen !== TEST_OUTCOME_CODES.failed) newFailures.add(at);
    if (ended === TEST_OUTCOME_CODES.skipped && endedThen !== TEST_OUTCOME_CODES.skipped) lostTests.add(then);
    if (order <= 0) at += 1;
    if (order >= 0) then += 1;
  }
  return { newFailures, lostTests };
}

/**
 * Every test that ran in one of the tries, each of which `mergeToWorstOutcome` made: flaky where its report says so or where it
 * failed in one try and passed in another, else passed.
 */
export function detectFlakyTests(tries: readonly TestEntries[]): TestEntries {
  const marks = joined(tries).sort();
  const words = wordsOf(marks);
  let kept = 0;
  for (let at = 0; at < marks.length;) {
    const first = at;
    let ended = 0;
    for (; at < marks.length && compareTests(words, first, words, at) === 0; at += 1)
      ended |= 1 << testOutcome(words, at);
    if (ended === SKIPPED) continue;
    const isFlaky = (ended & FLAKY) !== 0 || ((ended & FAILED) !== 0 && (ended & PASSED) !== 0);
    copy(words, first, kept);
    setOutcome(words, kept, isFlaky ? TEST_OUTCOME_CODES.flaky : TEST_OUTCOME_CODES.passed);
    kept += 1;
  }
  return marks.subarray(0, kept);
}

/** Ways to end as members of a set. */
const [SKIPPED, PASSED, FLAKY, FAILED] = [
  1 << TEST_OUTCOME_CODES.skipped,
  1 << TEST_OUTCOME_CODES.passed,
  1 << TEST_OUTCOME_CODES.flaky,
  1 << TEST_OUTCOME_CODES.failed,
];

/** How many of the tests, which `mergeToWorstOutcome` made, are flaky. */
export function sampleFlakyTests(marks: TestEntries, most: number): TestSample {
  const words = wordsOf(marks);
  const flaky = new Tally(marks, most);
  for (let at = 0; at < marks.length; at += 1) if (testOutcome(words, at) === TEST_OUTCOME_CODES.flaky) flaky.add(at);
  return flaky;
}

/** Where the wanted tests stand among marks in any order. */
export function indexesOf(marks: TestEntries, wanted: readonly bigint[]): readonly number[] {
  const words = wordsOf(marks);
  const sought = wordsOf(BigUint64Array.from(wanted));
  const byHighHalf = new Map<number, number[]>();
  for (let at = 0; at < wanted.length; at += 1) {
    const high = half(sought, at, HIGH);
    byHighHalf.set(high, [...(byHighHalf.get(high) ?? []), at]);
  }
  const places: number[] = [];
  for (let at = 0; at < marks.length; at += 1) {
    const like = byHighHalf.get(half(words, at, HIGH));
    if (like?.some((which) => compareTests(sought, which, words, at) === 0) === true) places.push(at);
  }
  return places;
}

class Tally implements TestSample {
  count = 0;
  readonly some: bigint[] = [];

  constructor(
    private readonly marks: TestEntries,
    private readonly most: number,
  ) {}

  add(at: number): void {
    this.count += 1;
    if (this.some.length < this.most) this.some.push(this.marks[at] ?? 0n);
  }
}

function joined(all: readonly TestEntries[]): TestEntries {
  const marks = new BigUint64Array(all.reduce((length, { length: more }) => length + more, 0));
  let at = 0;
  for (const more of all) {
    marks.set(more, at);
    at += more.length;
  }
  return marks;
}

/** The same memory in halves, because numbers of 64 bits are made anew each time one is looked at. */
const wordsOf = (marks: TestEntries): Uint32Array => new Uint32Array(marks.buffer, marks.byteOffset, marks.length * 2);

/** Which half comes first is the machine's affair. */
const [LOW, HIGH] = new Uint32Array(BigUint64Array.of(1n).buffer)[0] === 1 ? [0, 1] : [1, 0];

const half = (words: Uint32Array, at: number, which: number): number => words[2 * at + which] ?? 0;

const testOutcome = (words: Uint32Array, at: number): number => half(words, at, LOW) & 3;

function setOutcome(words: Uint32Array, at: number, outcome: number): void {
  words[2 * at + LOW] = ((half(words, at, LOW) & ~3) | outcome) >>> 0;
}

function copy(words: Uint32Array, from: number, to: number): void {
  words[2 * to] = words[2 * from] ?? 0;
  words[2 * to + 1] = words[2 * from + 1] ?? 0;
}

function compareTests(one: Uint32Array, at: number, other: Uint32Array, otherAt: number): number {
  return (
    half(one, at, HIGH) - half(other, otherAt, HIGH) || (half(one, at, LOW) >>> 2) - (half(other, otherAt, LOW) >>> 2)
  );
}
