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
  /** `EncodedTestNames` in the same order, as JSON compressed with gzip. */
  readonly names: Uint8Array;
}

/**
 * The names of tests in groups: first the suites of a group as one text, then the names of its tests. So the suites of many
 * tests are stored once.
 */
export type EncodedTestNames = readonly (readonly [suites: string, ...tests: string[]])[];

const SEPARATOR = ' › ';

/** Joins the suites of a test and its own name. Either may be empty. */
export function formatTestName(suites: string, test: string): string {
  if (suites === '' || test === '') return suites + test || 'a test without a name';
  return suites + SEPARATOR + test;
}

/** Returns the name of the test at an index, which starts at 0; an empty text if there is none. */
export function findTestName(names: EncodedTestNames, index: number): string {
  let left = index;
  for (const [suites, ...tests] of names) {
    const test = tests[left];
    if (test !== undefined) return formatTestName(suites, test);
    left -= tests.length;
  }
  return '';
}

/** Returns the mark of a test without its outcome. `id` is the id of a `FailedTest`. */
export const toTestMark = (id: string): bigint => BigInt(`0x${id.slice(0, 16)}`) & ~3n;

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

/** Joins the marks of consecutive parts. */
export function toTestEntries(parts: readonly Uint8Array[]): TestEntries {
  const entries = new BigUint64Array(parts.reduce((sum, { length }) => sum + length, 0) / BYTES_PER_TEST);
  const bytes = new Uint8Array(entries.buffer);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  if (LOW !== 0)
    for (let from = 0; from < at; from += BYTES_PER_TEST) bytes.subarray(from, from + BYTES_PER_TEST).reverse();
  return entries;
}

const BYTES_PER_TEST = BigUint64Array.BYTES_PER_ELEMENT;

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
): { readonly newFailures: TestSample; readonly fixedTests: TestSample; readonly lostTests: TestSample } {
  const [present, past] = [toHalves(now), toHalves(before)];
  const newFailures = new SampleCollector(now, most);
  const fixedTests = new SampleCollector(now, most);
  const lostTests = new SampleCollector(before, most);
  let [at, then] = [0, 0];
  while (at < now.length || then < before.length) {
    const order = at >= now.length ? 1 : then >= before.length ? -1 : compareTests(present, at, past, then);
    const ended = order <= 0 ? testOutcome(present, at) : TEST_OUTCOME_CODES.skipped;
    const endedThen = order >= 0 ? testOutcome(past, then) : TEST_OUTCOME_CODES.skipped;
    if (ended === TEST_OUTCOME_CODES.failed && endedThen !== TEST_OUTCOME_CODES.failed) newFailures.add(at);
    if (
      ended !== TEST_OUTCOME_CODES.failed &&
      ended !== TEST_OUTCOME_CODES.skipped &&
      endedThen === TEST_OUTCOME_CODES.failed
    )
      fixedTests.add(at);
    if (ended === TEST_OUTCOME_CODES.skipped && endedThen !== TEST_OUTCOME_CODES.skipped) lostTests.add(then);
    if (order <= 0) at += 1;
    if (order >= 0) then += 1;
  }
  return { newFailures, fixedTests, lostTests };
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

/** Finds given tests in lists. It is built once, because an upload may have hundreds of reports and a run thousands of failed tests. */
class TestFinder {
  private readonly tests: Uint32Array;
  private readonly byUpperHalf = new Map<number, number[]>();

  constructor(tests: readonly bigint[]) {
    this.tests = toHalves(BigUint64Array.from(tests));
    for (let which = 0; which < tests.length; which += 1) {
      const upper = half(this.tests, which, HIGH);
      const alike = this.byUpperHalf.get(upper);
      if (alike) alike.push(which);
      else this.byUpperHalf.set(upper, [which]);
    }
  }

  /** Calls `visit` for each mark of one of the tests, with its position and that of its test. The marks may have any order. */
  search(marks: TestEntries, visit: (at: number, which: number) => void): void {
    const halves = toHalves(marks);
    for (let at = 0; at < marks.length; at += 1) {
      const alike = this.byUpperHalf.get(half(halves, at, HIGH));
      const which = alike?.find((position) => compareTests(this.tests, position, halves, at) === 0);
      if (which !== undefined) visit(at, which);
    }
  }

  /** Returns the positions of the marks of the tests. */
  findIndexes(marks: TestEntries): readonly number[] {
    const places: number[] = [];
    this.search(marks, (at) => places.push(at));
    return places;
  }
}

/** Returns the positions of the given tests among marks in any order. */
export const findIndexes = (marks: TestEntries, tests: readonly bigint[]): readonly number[] =>
  new TestFinder(tests).findIndexes(marks);

/** Returns those of the tests that are in more than one of the lists. A list has each test at most once. */
export function findRepeatedTests(lists: Iterable<TestEntries>, tests: Iterable<bigint>): ReadonlySet<bigint> {
  const unique = [...new Set(tests)];
  const finder = new TestFinder(unique);
  const counts = unique.map(() => 0);
  for (const marks of lists) {
    finder.search(marks, (_at, which) => {
      counts[which] = (counts[which] ?? 0) + 1;
    });
  }
  return new Set(unique.filter((_, which) => (counts[which] ?? 0) > 1));
}

/** Finds the worst outcome of tests in several lists. */
export class TestOutcomes {
  private readonly idsByMark = new Map<bigint, string[]>();
  private readonly finder: TestFinder;
  private readonly worst = new Map<string, number>();

  /** `ids` are ids of `FailedTest`. Each may be given several times. */
  constructor(ids: Iterable<string>) {
    for (const id of new Set(ids)) {
      const mark = toTestMark(id);
      const same = this.idsByMark.get(mark);
      if (same) same.push(id);
      else this.idsByMark.set(mark, [id]);
    }
    this.finder = new TestFinder([...this.idsByMark.keys()]);
  }

  /** The worst outcome of each test that was in one of the lists, by its id. */
  get found(): ReadonlyMap<string, number> {
    return this.worst;
  }

  add(marks: TestEntries): void {
    for (const at of this.finder.findIndexes(marks)) {
      const mark = marks[at] ?? 0n;
      for (const id of this.idsByMark.get(mark & ~3n) ?? []) {
        this.worst.set(id, Math.max(Number(mark & 3n), this.worst.get(id) ?? 0));
      }
    }
  }
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
