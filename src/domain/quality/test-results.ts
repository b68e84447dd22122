/**
 * Whether the tests of two releases were compared by name. `pending`: the comparison is queued. `unknown`: it is not
 * possible.
 */
export const COMPARISON_STATUSES = ['known', 'pending', 'unknown'] as const;
export type ComparisonStatus = (typeof COMPARISON_STATUSES)[number];

/**
 * The number of tests in each part except the last. Large enough for few parts per report, small enough to read the
 * names of one part quickly.
 */
export const TESTS_PER_PART = 4_096;

/** One part of the tests of a report. */
export interface EncodedTestResultsPart {
  readonly tests: number;
  /** `TestEntries` in little-endian order on every machine. */
  readonly marks: Uint8Array;
  /** The names in the same order, as a JSON array compressed with gzip. */
  readonly names: Uint8Array;
}

/** The stored tests of a report with their outcomes. */
export interface EncodedTestResults {
  /** Whether it contains all tests of the report. */
  readonly complete: boolean;
  readonly parts: readonly EncodedTestResultsPart[];
}

/**
 * Tests as 64-bit numbers: the upper 62 bits stand for the name and the lower two for the outcome. Two hundred thousand
 * tests take two megabytes and are compared without their names.
 */
export type TestEntries = BigUint64Array;

/** The codes of the outcomes, worst last, so that sorting puts the worst outcome of a test last. */
export const TEST_OUTCOME_CODES = { skipped: 0, passed: 1, flaky: 2, failed: 3 } as const;

/** A number of tests with a sample of them. The order has no meaning. */
export interface TestSample {
  readonly count: number;
  /** At most the requested number of tests. */
  readonly some: readonly bigint[];
}

/** Returns each test once with its worst outcome, in ascending order. */
export function mergeToWorstOutcome(all: readonly TestEntries[]): TestEntries {
  const marks = joined(all).sort();
  const halves = toHalves(marks);
  let written = 0;
  for (let at = 0; at < marks.length; at += 1) {
    if (at + 1 < marks.length && compareTests(halves, at, halves, at + 1) === 0) continue;
    copy(halves, at, written);
    written += 1;
  }
  return marks.subarray(0, written);
}

/** Compares the tests of two releases. Both must come from `mergeToWorstOutcome`. */
export function diffTests(
  now: TestEntries,
  before: TestEntries,
  most: number,
): { readonly newFailures: TestSample; readonly lostTests: TestSample } {
  const [present, past] = [toHalves(now), toHalves(before)];
  const newFailures = new SampleCollector(now, most);
  const lostTests = new SampleCollector(before, most);
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
 * Returns every test that ran in one of the attempts, each of which must come from `mergeToWorstOutcome`. A test is
 * flaky if its report says so, or if it failed in one attempt and passed in another. Otherwise it is marked as passed.
 */
export function detectFlakyTests(tries: readonly TestEntries[]): TestEntries {
  const marks = joined(tries).sort();
  const halves = toHalves(marks);
  let written = 0;
  for (let at = 0; at < marks.length;) {
    const first = at;
    let ended = 0;
    for (; at < marks.length && compareTests(halves, first, halves, at) === 0; at += 1)
      ended |= 1 << testOutcome(halves, at);
    if (ended === SKIPPED) continue;
    const isFlaky = (ended & FLAKY) !== 0 || ((ended & FAILED) !== 0 && (ended & PASSED) !== 0);
    copy(halves, first, written);
    setOutcome(halves, written, isFlaky ? TEST_OUTCOME_CODES.flaky : TEST_OUTCOME_CODES.passed);
    written += 1;
  }
  return marks.subarray(0, written);
}

/** The outcomes as bits of a set. */
const [SKIPPED, PASSED, FLAKY, FAILED] = [
  1 << TEST_OUTCOME_CODES.skipped,
  1 << TEST_OUTCOME_CODES.passed,
  1 << TEST_OUTCOME_CODES.flaky,
  1 << TEST_OUTCOME_CODES.failed,
];

/** Counts and samples the flaky tests. `marks` must come from `mergeToWorstOutcome`. */
export function sampleFlakyTests(marks: TestEntries, most: number): TestSample {
  const halves = toHalves(marks);
  const flaky = new SampleCollector(marks, most);
  for (let at = 0; at < marks.length; at += 1) if (testOutcome(halves, at) === TEST_OUTCOME_CODES.flaky) flaky.add(at);
  return flaky;
}

/** Returns the positions of the given tests among marks in any order. */
export function findIndexes(marks: TestEntries, tests: readonly bigint[]): readonly number[] {
  const halves = toHalves(marks);
  const testHalves = toHalves(BigUint64Array.from(tests));
  const byHighHalf = new Map<number, number[]>();
  for (let at = 0; at < tests.length; at += 1) {
    const high = half(testHalves, at, HIGH);
    byHighHalf.set(high, [...(byHighHalf.get(high) ?? []), at]);
  }
  const places: number[] = [];
  for (let at = 0; at < marks.length; at += 1) {
    const like = byHighHalf.get(half(halves, at, HIGH));
    if (like?.some((which) => compareTests(testHalves, which, halves, at) === 0) === true) places.push(at);
  }
  return places;
}

class SampleCollector implements TestSample {
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

/** Views the same memory as 32-bit halves, because every read of a 64-bit element allocates a new bigint. */
const toHalves = (marks: TestEntries): Uint32Array => new Uint32Array(marks.buffer, marks.byteOffset, marks.length * 2);

/** The order of the halves depends on the machine. */
const [LOW, HIGH] = new Uint32Array(BigUint64Array.of(1n).buffer)[0] === 1 ? [0, 1] : [1, 0];

const half = (halves: Uint32Array, at: number, which: number): number => halves[2 * at + which] ?? 0;

const testOutcome = (halves: Uint32Array, at: number): number => half(halves, at, LOW) & 3;

function setOutcome(halves: Uint32Array, at: number, outcome: number): void {
  halves[2 * at + LOW] = ((half(halves, at, LOW) & ~3) | outcome) >>> 0;
}

function copy(halves: Uint32Array, from: number, to: number): void {
  halves[2 * to] = halves[2 * from] ?? 0;
  halves[2 * to + 1] = halves[2 * from + 1] ?? 0;
}

function compareTests(one: Uint32Array, at: number, other: Uint32Array, otherAt: number): number {
  return (
    half(one, at, HIGH) - half(other, otherAt, HIGH) || (half(one, at, LOW) >>> 2) - (half(other, otherAt, LOW) >>> 2)
  );
}
