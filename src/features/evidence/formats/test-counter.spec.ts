import { describe, expect, it } from '@jest/globals';
import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { type Measure, REPORT_LIMITS } from './report-format.js';
import { TestCounter } from './test-counter.js';

type Test = readonly [name: string, outcome: TestOutcome['outcome'], suite?: string];

function measureOf(tests: readonly Test[]): Extract<Measure, { readonly of: 'tests' }> {
  const counter = new TestCounter(REPORT_LIMITS);
  for (const [name, outcome, suite = ''] of tests) {
    counter.add({ name: counter.root.within(suite).nameTest(name), outcome, location: null, message: '' });
  }
  const { measure } = counter.result();
  if (measure.of !== 'tests') throw new Error('no tests');
  return measure;
}

const named = (tests: readonly Test[]): readonly [names: readonly string[], unnamed: number] => {
  const { failedTests, value } = measureOf(tests);
  return [failedTests.map(({ name }) => name), value.failed - failedTests.length];
};

describe('the failed tests of a report', () => {
  it.each<[string, readonly Test[], readonly string[], number]>([
    [
      'are none without a failure',
      [
        ['a', 'passed'],
        ['b', 'flaky'],
        ['c', 'skipped'],
      ],
      [],
      0,
    ],
    [
      'keep the order of the report',
      [
        ['b', 'failed', 's'],
        ['a', 'failed'],
      ],
      ['s › b', 'a'],
      0,
    ],
    [
      'lack a name that fails twice',
      [
        ['a', 'failed'],
        ['b', 'failed'],
        ['a', 'failed'],
      ],
      ['b'],
      2,
    ],
    [
      'lack a name that passes later',
      [
        ['a', 'failed'],
        ['b', 'failed'],
        ['a', 'passed'],
      ],
      ['b'],
      1,
    ],
    [
      'lack a name that was skipped before',
      [
        ['a', 'skipped'],
        ['a', 'failed'],
      ],
      [],
      1,
    ],
    [
      'lack a name that occurs three times',
      [
        ['a', 'failed'],
        ['a', 'passed'],
        ['a', 'failed'],
      ],
      [],
      2,
    ],
    [
      'have the same name in two suites',
      [
        ['a', 'failed', 's'],
        ['a', 'failed', 't'],
      ],
      ['s › a', 't › a'],
      0,
    ],
    [
      'lack a test without an own name',
      [
        ['', 'failed', 's'],
        [' ', 'failed'],
      ],
      [],
      2,
    ],
  ])('%s', (_what, tests, names, unnamed) => {
    expect(named(tests)).toEqual([names, unnamed]);
  });

  it('are at most 200, and the others are counted', () => {
    const [names, unnamed] = named(Array.from({ length: 203 }, (_, n) => [`t${n}`, 'failed'] as const));
    expect([names.length, names[0], names.at(-1), unnamed]).toEqual([200, 't0', 't199', 3]);
  });

  it('have different ids and names of at most 300 characters, which end with the name of the test', () => {
    const { failedTests } = measureOf(['x', 'y'].map((end) => [`${'t'.repeat(160)}${end}`, 'failed', 's'.repeat(500)]));
    expect(new Set(failedTests.map(({ id }) => id)).size).toBe(2);
    for (const { name } of failedTests) expect(name).toMatch(/^s{1,146}… › t{149}…$/);
  });
});
