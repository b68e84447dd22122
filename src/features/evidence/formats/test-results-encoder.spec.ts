import { describe, expect, it } from '@jest/globals';
import { decodeTestResults } from '../../../../test/report-corpus/decode-test-results.js';
import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { TESTS_PER_PART, toTestMark } from '../../../domain/quality/test-results.js';
import { TestResultsEncoder } from './test-results-encoder.js';
import { type TestName, TestSuite } from './test-suite.js';

const OUTCOMES = ['skipped', 'passed', 'flaky', 'failed'] as const;

const testsOn = (testResults: TestResultsEncoder): readonly TestOutcome[] => decodeTestResults(testResults.packed());

const nameTest = (name: string): TestName => TestSuite.createRoot().nameTest(name);

describe('a test that occurs twice', () => {
  it.each([
    ['passed', 'failed', 'failed'],
    ['failed', 'passed', 'failed'],
    ['failed', 'flaky', 'failed'],
    ['flaky', 'passed', 'flaky'],
    ['passed', 'flaky', 'flaky'],
    ['skipped', 'passed', 'passed'],
    ['skipped', 'failed', 'failed'],
    ['skipped', 'skipped', 'skipped'],
  ] as const)('%s and %s, is stored once, as %s', (first, second, outcome) => {
    const testResults = new TestResultsEncoder();
    testResults.add(nameTest('adds'), first);
    testResults.add(nameTest('adds'), second);
    expect(testsOn(testResults)).toEqual([{ name: 'adds', outcome }]);
  });

  it('has the position of its first appearance, however many are in between', () => {
    const testResults = new TestResultsEncoder();
    const names = Array.from({ length: 3 * TESTS_PER_PART }, (_, at) => `test ${at}`);
    for (const name of [...names, ...names.toReversed()]) testResults.add(nameTest(name), 'passed');
    for (const name of names) if (name.endsWith('7')) testResults.add(nameTest(name), 'failed');
    expect(testsOn(testResults)).toEqual(
      names.map((name) => ({ name, outcome: name.endsWith('7') ? 'failed' : 'passed' })),
    );
  });
});

describe('results with many tests', () => {
  const LIMITS = { tests: 3, characters: 20 };

  it('is cut with a note, and still contains the results of its tests', () => {
    const testResults = new TestResultsEncoder(LIMITS);
    for (const name of ['a', 'b', 'c', 'd', 'e']) testResults.add(nameTest(name), 'passed');
    testResults.add(nameTest('b'), 'failed');
    expect(testsOn(testResults).map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'a passed',
      'b failed',
      'c passed',
    ]);
    expect(testResults.notes).toEqual(['only the first 3 tests are stored by name; all are counted']);
  });

  it('is cut if its names are long', () => {
    const testResults = new TestResultsEncoder(LIMITS);
    for (const name of ['a', 'b'.repeat(19), 'c']) testResults.add(nameTest(name), 'passed');
    expect(testsOn(testResults)).toHaveLength(2);
    expect(testResults.packed().complete).toBe(false);
    expect(testResults.notes).toHaveLength(1);
  });

  it('has no note while it is complete', () => {
    const testResults = new TestResultsEncoder(LIMITS);
    for (const name of ['a', 'b', 'c']) testResults.add(nameTest(name), 'passed');
    expect(testResults.notes).toEqual([]);
  });
});

describe('encoded test results', () => {
  /** Builds the expected mark in a slow and simple way: the first 62 bits of the id of the name, and the outcome. */
  const markOf = ({ name, outcome }: TestOutcome): bigint =>
    toTestMark(nameTest(name).id) | BigInt(OUTCOMES.indexOf(outcome));

  it.each([1, 5, TESTS_PER_PART, TESTS_PER_PART + 1, 2 * TESTS_PER_PART + 3])(
    'contains all tests in their order, of %i',
    (count) => {
      const tests = Array.from({ length: count }, (_, at) => ({
        name: `cart › keeps "the order" ${at} 漢`,
        outcome: OUTCOMES[at % 4] ?? 'failed',
      }));
      const testResults = new TestResultsEncoder();
      for (const { name, outcome } of tests) testResults.add(nameTest(name), outcome);
      const { complete, parts } = testResults.packed();
      expect(complete).toBe(true);
      expect(parts.slice(0, -1).every((part) => part.tests === TESTS_PER_PART)).toBe(true);
      expect(testsOn(testResults)).toEqual(tests);
      const entries = parts.flatMap((part) => {
        const bytes = Buffer.from(part.marks);
        return Array.from({ length: part.tests }, (_, at) => bytes.readBigUInt64LE(8 * at));
      });
      expect(entries).toEqual(tests.map(markOf));
    },
  );

  it('of no test has no part', () => {
    expect(new TestResultsEncoder().packed()).toEqual({ complete: true, parts: [] });
  });

  it('may be incomplete at the maximum number of tests', () => {
    const testResultsWith = (count: number): readonly unknown[] => {
      const testResults = new TestResultsEncoder();
      for (let at = 0; at < count; at += 1) testResults.add(nameTest(String(at)), 'passed');
      const { complete, parts } = testResults.packed();
      return [complete, parts.reduce((sum, { tests }) => sum + tests, 0)];
    };
    expect([249_999, 250_000, 250_001].map(testResultsWith)).toEqual([
      [true, 249_999],
      [false, 250_000],
      [false, 250_000],
    ]);
  });

  it('is incomplete at the maximum length of names', () => {
    const testResults = new TestResultsEncoder();
    for (let at = 0; at < 165_000; at += 1) testResults.add(nameTest(String(at).padStart(197, 'x')), 'passed');
    expect(testResults.packed().complete).toBe(false);
  });
});
