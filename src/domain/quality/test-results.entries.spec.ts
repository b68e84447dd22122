import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  diffTests,
  detectFlakyTests,
  sampleFlakyTests,
  indexesOf,
  TEST_OUTCOME_CODES,
  type TestEntries,
  mergeToWorstOutcome,
} from './test-results.js';

type Outcome = keyof typeof TEST_OUTCOME_CODES;
type Roll = readonly (readonly [name: number, outcome: Outcome])[];

/** Spread over the whole range, and some of them apart in their lowest bits alone. */
const digestOf = (name: number): bigint => (BigInt(name % 5) << 60n) | (BigInt(name) << 2n);
const markOf = (digest: bigint, outcome: number): bigint => ((digest >> 2n) << 2n) | BigInt(outcome);
const marksOf = (roll: Roll): TestEntries =>
  BigUint64Array.from(roll.map(([name, outcome]) => markOf(digestOf(name), TEST_OUTCOME_CODES[outcome])));
const namesOf = (marks: Iterable<bigint>): readonly number[] =>
  [...marks].map((mark) => Number((mark & ((1n << 60n) - 1n)) >> 2n)).toSorted((a, b) => a - b);
const once = (...rolls: readonly Roll[]): TestEntries => mergeToWorstOutcome(rolls.map(marksOf));

const outcome = fc.constantFrom<Outcome>('skipped', 'passed', 'flaky', 'failed');
const rolls = fc.array(fc.tuple(fc.nat({ max: 40 }), outcome), { maxLength: 60 });
const worstByName = (roll: Roll): ReadonlyMap<number, Outcome> => {
  const worst = new Map<number, Outcome>();
  for (const [name, ended] of roll) {
    if (TEST_OUTCOME_CODES[ended] >= TEST_OUTCOME_CODES[worst.get(name) ?? 'skipped']) worst.set(name, ended);
  }
  return worst;
};

describe('marks of tests', () => {
  it('hold each test once, by the worst way in which it ended', () => {
    fc.assert(
      fc.property(fc.array(rolls, { maxLength: 4 }), (all) => {
        const expected = worstByName(all.flat());
        const marks = once(...all);
        expect([...marks]).toEqual(
          [...expected]
            .map(([name, ended]) => markOf(digestOf(name), TEST_OUTCOME_CODES[ended]))
            .toSorted((a, b) => (a < b ? -1 : 1)),
        );
      }),
    );
  });

  it('tell which tests fail now and did not, and which ran and do not now', () => {
    fc.assert(
      fc.property(rolls, rolls, (now, before) => {
        const [present, past] = [worstByName(now), worstByName(before)];
        const { newFailures, lostTests } = diffTests(once(now), once(before), 100);
        const failing = [...present].filter(([name, ended]) => ended === 'failed' && past.get(name) !== 'failed');
        const lost = [...past].filter(
          ([name, ended]) => ended !== 'skipped' && (present.get(name) ?? 'skipped') === 'skipped',
        );
        const sorted = (of: typeof failing): readonly number[] => of.map(([name]) => name).toSorted((a, b) => a - b);
        expect([newFailures.count, namesOf(newFailures.some)]).toEqual([failing.length, sorted(failing)]);
        expect([lostTests.count, namesOf(lostTests.some)]).toEqual([lost.length, sorted(lost)]);
      }),
    );
  });

  it.each<[string, readonly Roll[], readonly number[], number]>([
    ['nothing', [], [], 0],
    ['one that always passed', [[[1, 'passed']], [[1, 'passed']]], [], 1],
    ['one that always failed', [[[1, 'failed']], [[1, 'failed']]], [], 1],
    ['one that failed once', [[[1, 'failed']], [[1, 'passed']]], [1], 1],
    ['one that its report calls flaky', [[[1, 'flaky']]], [1], 1],
    ['one that failed, and was skipped then', [[[1, 'failed']], [[1, 'skipped']]], [], 1],
    ['one that never ran', [[[1, 'skipped']], [[1, 'skipped']]], [], 0],
    [
      'two, of which one is flaky',
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
  ])('are flaky by their tries: %s', (_name, tries, flaky, ran) => {
    const marks = detectFlakyTests(tries.map((roll) => once(roll)));
    const found = sampleFlakyTests(marks, 20);
    expect([namesOf(found.some), found.count, marks.length]).toEqual([flaky, flaky.length, ran]);
  });

  it('name no more tests than were asked for, and count them all', () => {
    const many: Roll = Array.from({ length: 50 }, (_, name) => [name, 'failed'] as const);
    const { newFailures } = diffTests(once(many), once(), 20);
    expect([newFailures.count, newFailures.some.length]).toEqual([50, 20]);
  });

  it('are found in any order, whatever the way in which the test ended', () => {
    fc.assert(
      fc.property(rolls, fc.array(fc.nat({ max: 40 }), { maxLength: 5 }), (roll, names) => {
        const wanted = names.map((name) => markOf(digestOf(name), TEST_OUTCOME_CODES.failed));
        const places = [...roll.keys()].filter((at) => names.includes(roll[at]?.[0] ?? -1));
        expect(indexesOf(marksOf(roll), wanted)).toEqual(places);
      }),
    );
  });
});
