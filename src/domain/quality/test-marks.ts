/**
 * Tests as numbers of 64 bits: the upper 62 stand for a test's name, the lower two for how it ended. So two hundred thousand
 * tests take two megabytes, and are compared without their names.
 */
export type TestMarks = BigUint64Array;

/** The worse the higher, so that of a test which ended in several ways the worst way comes last. */
export const TEST_MARK = { skipped: 0, passed: 1, flaky: 2, failed: 3 } as const;

/** Some of the tests that were counted, in no meaningful order. */
export interface MarkedTests {
  readonly count: number;
  /** At most as many as were asked for. */
  readonly some: readonly bigint[];
}

/** Each test once, with the worst way in which it ended; ascending. */
export function worstOf(all: readonly TestMarks[]): TestMarks {
  const marks = joined(all).sort();
  const words = wordsOf(marks);
  let kept = 0;
  for (let at = 0; at < marks.length; at += 1) {
    if (at + 1 < marks.length && compareTests(words, at, words, at + 1) === 0) continue;
    marks.copyWithin(kept, at, at + 1);
    kept += 1;
  }
  return marks.subarray(0, kept);
}

/** What became of tests, of marks that `worstOf` made. */
export function changeOfTests(
  now: TestMarks,
  before: TestMarks,
  most: number,
): { readonly newFailures: MarkedTests; readonly lostTests: MarkedTests } {
  const [present, past] = [wordsOf(now), wordsOf(before)];
  const newFailures = new Tally(now, most);
  const lostTests = new Tally(before, most);
  let [at, then] = [0, 0];
  while (at < now.length || then < before.length) {
    const order = at >= now.length ? 1 : then >= before.length ? -1 : compareTests(present, at, past, then);
    const ended = order <= 0 ? outcomeOf(present, at) : TEST_MARK.skipped;
    const endedThen = order >= 0 ? outcomeOf(past, then) : TEST_MARK.skipped;
    if (ended === TEST_MARK.failed && endedThen !== TEST_MARK.failed) newFailures.add(at);
    if (ended === TEST_MARK.skipped && endedThen !== TEST_MARK.skipped) lostTests.add(then);
    if (order <= 0) at += 1;
    if (order >= 0) then += 1;
  }
  return { newFailures, lostTests };
}

/**
 * Every test that ran in one of the tries, each of which `worstOf` made: flaky where its report says so or where it
 * failed in one try and passed in another, else passed.
 */
export function flakinessOf(tries: readonly TestMarks[]): TestMarks {
  const marks = joined(tries).sort();
  const words = wordsOf(marks);
  const found: bigint[] = [];
  for (let at = 0; at < marks.length;) {
    const first = at;
    const ended = new Set<number>();
    for (; at < marks.length && compareTests(words, first, words, at) === 0; at += 1) ended.add(outcomeOf(words, at));
    const { skipped, passed, flaky, failed } = TEST_MARK;
    if (ended.size === 1 && ended.has(skipped)) continue;
    const isFlaky = ended.has(flaky) || (ended.has(failed) && ended.has(passed));
    found.push(markOf(marks[first] ?? 0n, isFlaky ? flaky : passed));
  }
  return BigUint64Array.from(found);
}

/** How many of the tests, which `worstOf` made, are flaky. */
export function flakyAmong(marks: TestMarks, most: number): MarkedTests {
  const words = wordsOf(marks);
  const flaky = new Tally(marks, most);
  for (let at = 0; at < marks.length; at += 1) if (outcomeOf(words, at) === TEST_MARK.flaky) flaky.add(at);
  return flaky;
}

/** The mark of a test whose name has this digest, of which the upper 62 bits count. */
export const markOf = (digest: bigint, outcome: number): bigint => ((digest >> 2n) << 2n) | BigInt(outcome);

/** Whether two marks are of the same test. */
export const isSameTest = (one: bigint, other: bigint): boolean => one >> 2n === other >> 2n;

class Tally implements MarkedTests {
  count = 0;
  readonly some: bigint[] = [];

  constructor(
    private readonly marks: TestMarks,
    private readonly most: number,
  ) {}

  add(at: number): void {
    this.count += 1;
    if (this.some.length < this.most) this.some.push(this.marks[at] ?? 0n);
  }
}

function joined(all: readonly TestMarks[]): TestMarks {
  const marks = new BigUint64Array(all.reduce((length, { length: more }) => length + more, 0));
  let at = 0;
  for (const more of all) {
    marks.set(more, at);
    at += more.length;
  }
  return marks;
}

/** The same memory in halves, because numbers of 64 bits are made anew each time one is looked at. */
const wordsOf = (marks: TestMarks): Uint32Array => new Uint32Array(marks.buffer, marks.byteOffset, marks.length * 2);

/** Which half comes first is the machine's affair. */
const [LOW, HIGH] = new Uint32Array(BigUint64Array.of(1n).buffer)[0] === 1 ? [0, 1] : [1, 0];

const half = (words: Uint32Array, at: number, which: number): number => words[2 * at + which] ?? 0;

const outcomeOf = (words: Uint32Array, at: number): number => half(words, at, LOW) & 3;

function compareTests(one: Uint32Array, at: number, other: Uint32Array, otherAt: number): number {
  return (
    half(one, at, HIGH) - half(other, otherAt, HIGH) || (half(one, at, LOW) >>> 2) - (half(other, otherAt, LOW) >>> 2)
  );
}
