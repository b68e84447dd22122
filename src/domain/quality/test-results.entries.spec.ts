import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  diffTests,
  detectFlakyTests,
  sampleFlakyTests,
  findIndexes,
  findRepeatedTests,
  findTestName,
  TEST_OUTCOME_CODES,
  type TestEntries,
  mergeToWorstOutcome,
} from './test-results.js';

type Outcome = keyof typeof TEST_OUTCOME_CODES;
type TestList = readonly (readonly [name: number, outcome: Outcome])[];

/** Spread over the whole range. Some differ only in their lowest bits. */
const digestOf = (name: number): bigint => (BigInt(name % 5) << 60n) | (BigInt(name) << 2n);
const entryOf = (digest: bigint, outcome: number): bigint => ((digest >> 2n) << 2n) | BigInt(outcome);
const entriesOf = (tests: TestList): TestEntries =>
  BigUint64Array.from(tests.map(([name, outcome]) => entryOf(digestOf(name), TEST_OUTCOME_CODES[outcome])));
const namesOf = (entries: Iterable<bigint>): readonly number[] =>
  [...entries].map((entry) => Number((entry & ((1n << 60n) - 1n)) >> 2n)).toSorted((a, b) => a - b);
const worstOf = (...lists: readonly TestList[]): TestEntries => mergeToWorstOutcome(lists.map(entriesOf));

const outcome = fc.constantFrom<Outcome>('skipped', 'passed', 'flaky', 'failed');
const lists = fc.array(fc.tuple(fc.nat({ max: 40 }), outcome), { maxLength: 60 });
const worstByName = (tests: TestList): ReadonlyMap<number, Outcome> => {
  const worst = new Map<number, Outcome>();
  for (const [name, ended] of tests) {
    if (TEST_OUTCOME_CODES[ended] >= TEST_OUTCOME_CODES[worst.get(name) ?? 'skipped']) worst.set(name, ended);
  }
  return worst;
};

describe('test results', () => {
  it('contains each test once with its worst outcome', () => {
    fc.assert(
      fc.property(fc.array(lists, { maxLength: 4 }), (all) => {
        const expected = worstByName(all.flat());
        const entries = worstOf(...all);
        expect([...entries]).toEqual(
          [...expected]
            .map(([name, ended]) => entryOf(digestOf(name), TEST_OUTCOME_CODES[ended]))
            .toSorted((a, b) => (a < b ? -1 : 1)),
        );
      }),
    );
  });

  it('finds new failures, fixed tests and lost tests', () => {
    fc.assert(
      fc.property(lists, lists, (now, before) => {
        const [present, past] = [worstByName(now), worstByName(before)];
        const { newFailures, fixedTests, lostTests } = diffTests(worstOf(now), worstOf(before), 100);
        const failing = [...present].filter(([name, ended]) => ended === 'failed' && past.get(name) !== 'failed');
        const fixed = [...present].filter(
          ([name, ended]) => past.get(name) === 'failed' && (ended === 'passed' || ended === 'flaky'),
        );
        const lost = [...past].filter(
          ([name, ended]) => ended !== 'skipped' && (present.get(name) ?? 'skipped') === 'skipped',
        );
        const sorted = (of: typeof failing): readonly number[] => of.map(([name]) => name).toSorted((a, b) => a - b);
        expect([newFailures.count, namesOf(newFailures.some)]).toEqual([failing.length, sorted(failing)]);
        expect([fixedTests.count, namesOf(fixedTests.some)]).toEqual([fixed.length, sorted(fixed)]);
        expect([lostTests.count, namesOf(lostTests.some)]).toEqual([lost.length, sorted(lost)]);
      }),
    );
  });

  it.each<[string, readonly TestList[], readonly number[], number]>([
    ['nothing', [], [], 0],
    ['a test that always passed', [[[1, 'passed']], [[1, 'passed']]], [], 1],
    ['a test that always failed', [[[1, 'failed']], [[1, 'failed']]], [], 1],
    ['a test that failed once', [[[1, 'failed']], [[1, 'passed']]], [1], 1],
    ['a test that its report marks as flaky', [[[1, 'flaky']]], [1], 1],
    ['a test that failed and was then skipped', [[[1, 'failed']], [[1, 'skipped']]], [], 1],
    ['a test that never ran', [[[1, 'skipped']], [[1, 'skipped']]], [], 0],
    [
      'two tests, of which one is flaky',
      [
        [
          [1, 'failed'],
          [2, 'passed'],
        ],
        [
          [1, 'passed'],
          [2, 'passed'],
        ],
      ],
      [1],
      2,
    ],
  ])('finds flaky tests by their attempts: %s', (_name, tries, flaky, ran) => {
    const entries = detectFlakyTests(tries.map((tests) => worstOf(tests)));
    const found = sampleFlakyTests(entries, 20);
    expect([namesOf(found.some), found.count, entries.length]).toEqual([flaky, flaky.length, ran]);
  });

  it('returns at most the requested number of tests, and counts all of them', () => {
    const many: TestList = Array.from({ length: 50 }, (_, name) => [name, 'failed'] as const);
    const { newFailures } = diffTests(worstOf(many), worstOf(), 20);
    expect([newFailures.count, newFailures.some.length]).toEqual([50, 20]);
  });

  it('finds tests by name in any order and with any outcome', () => {
    fc.assert(
      fc.property(lists, fc.array(fc.nat({ max: 40 }), { maxLength: 5 }), (tests, names) => {
        const searched = names.map((name) => entryOf(digestOf(name), TEST_OUTCOME_CODES.failed));
        const places = [...tests.keys()].filter((at) => names.includes(tests[at]?.[0] ?? -1));
        expect(findIndexes(entriesOf(tests), searched)).toEqual(places);
      }),
    );
  });

  it('finds the tests that are in several lists', () => {
    fc.assert(
      fc.property(fc.array(lists, { maxLength: 4 }), fc.array(fc.nat({ max: 40 }), { maxLength: 5 }), (all, names) => {
        const worst = all.map(worstByName);
        const repeated = names.filter((name) => worst.filter((tests) => tests.has(name)).length > 1);
        const found = findRepeatedTests(
          all.map((tests) => worstOf(tests)),
          names.map((name) => entryOf(digestOf(name), 0)),
        );
        expect(namesOf(found)).toEqual([...new Set(repeated)].toSorted((a, b) => a - b));
      }),
    );
  });

  it.each([
    [0, 'cart › adds'],
    [1, 'cart › pays'],
    [2, 'opens'],
    [3, 'cart'],
    [4, ''],
  ])('finds the name of test %i in its group', (index, name) => {
    expect(
      findTestName(
        [
          ['cart', 'adds', 'pays'],
          ['', 'opens'],
          ['cart', ''],
        ],
        index,
      ),
    ).toBe(name);
  });
});
