import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decodeTestResults } from '../../../../test/report-corpus/decode-test-results.js';
import type { TestOutcome } from '../../../domain/evidence/evidence.js';
import { TESTS_PER_PART } from '../../../domain/quality/test-results.js';
import { TestResultsEncoder } from './test-results-encoder.js';

const OUTCOMES = ['skipped', 'passed', 'flaky', 'failed'] as const;

const testsOn = (testResults: TestResultsEncoder): readonly TestOutcome[] => decodeTestResults(testResults.packed());

/** The stored name of a test. */
function nameOf(...steps: readonly string[]): string {
  const testResults = new TestResultsEncoder();
  testResults.add(steps, 'passed');
  const [test] = testsOn(testResults);
  if (test === undefined) throw new Error('there is no test');
  return test.name;
}

describe('the name of a test', () => {
  it.each([
    ['its suites, its class and itself', ['cart', 'CartTest', 'adds'], 'cart › CartTest › adds'],
    ['its parts that are neither empty nor repeated', ['', 'cart', 'cart', ' ', 'adds'], 'cart › adds'],
    ['a repeated part after another part', ['cart', 'adds', 'cart'], 'cart › adds › cart'],
    ['a placeholder if all parts are empty', ['', ' \n'], 'a test without a name'],
    ['one line', ['cart', ' adds\r\n  two\t\u2028items\u00a0'], 'cart › adds two items'],
    ['no control characters', ['a\u0000b\u001b[31m\u009fc'], 'a b [31m c'],
    ['no lone surrogates', ['a\ud800b', 'c\udc00'], 'a b › c'],
    ['any script', ['Warenkörbe', '買い物 🛒'], 'Warenkörbe › 買い物 🛒'],
  ])('is built from %s', (_what, steps, name) => {
    expect(nameOf(...steps)).toBe(name);
  });

  it.each([
    '/home/runner/work/payments/payments/src/cart.test.js',
    '/__w/payments/payments/src/cart.test.js',
    'D:\\a\\payments\\payments\\src\\cart.test.js',
  ])('does not depend on the folder of the project: %s', (path) => {
    expect(nameOf(path, 'adds')).toBe('payments/src/cart.test.js › adds');
  });

  it.each([
    '/api/admin/users/list answers',
    'src/deep/down/cart.test.js',
    '/',
    'C:',
    '//',
    'Tests\\Unit\\Shop\\CartTest',
  ])('preserves a text that is not an absolute file path: %s', (step) => {
    expect(nameOf(step)).toBe(step);
  });

  it('is shortened if it is long, and distinguishes long names', () => {
    const [first, second] = [nameOf('n'.repeat(600)), nameOf(`${'n'.repeat(599)}m`)];
    expect(first).toMatch(/^n{483}…[\da-f]{16}$/);
    expect(second).toHaveLength(500);
    expect(second).not.toBe(first);
    expect(nameOf('n'.repeat(500))).toBe('n'.repeat(500));
  });

  it('is not cut through a character', () => {
    expect(nameOf(`${'n'.repeat(482)}🛒${'n'.repeat(100)}`)).toMatch(/^n{482}…[\da-f]{16}$/);
  });
});

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
    testResults.add(['adds'], first);
    testResults.add(['adds'], second);
    expect(testsOn(testResults)).toEqual([{ name: 'adds', outcome }]);
  });

  it('has the position of its first appearance, however many are in between', () => {
    const testResults = new TestResultsEncoder();
    const names = Array.from({ length: 3 * TESTS_PER_PART }, (_, at) => `test ${at}`);
    for (const name of [...names, ...names.toReversed()]) testResults.add([name], 'passed');
    for (const name of names) if (name.endsWith('7')) testResults.add([name], 'failed');
    expect(testsOn(testResults)).toEqual(
      names.map((name) => ({ name, outcome: name.endsWith('7') ? 'failed' : 'passed' })),
    );
  });
});

describe('results with many tests', () => {
  const LIMITS = { tests: 3, characters: 20 };

  it('is cut with a note, and still contains the results of its tests', () => {
    const testResults = new TestResultsEncoder(LIMITS);
    for (const name of ['a', 'b', 'c', 'd', 'e']) testResults.add([name], 'passed');
    testResults.add(['b'], 'failed');
    expect(testsOn(testResults).map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'a passed',
      'b failed',
      'c passed',
    ]);
    expect(testResults.notes).toEqual(['only the first 3 tests are stored by name; all are counted']);
  });

  it('is cut if its names are long', () => {
    const testResults = new TestResultsEncoder(LIMITS);
    for (const name of ['a', 'b'.repeat(19), 'c']) testResults.add([name], 'passed');
    expect(testsOn(testResults)).toHaveLength(2);
    expect(testResults.packed().complete).toBe(false);
    expect(testResults.notes).toHaveLength(1);
  });

  it('has no note while it is complete', () => {
    const testResults = new TestResultsEncoder(LIMITS);
    for (const name of ['a', 'b', 'c']) testResults.add([name], 'passed');
    expect(testResults.notes).toEqual([]);
  });
});

describe('encoded test results', () => {
  /** Builds the expected mark in a slow and simple way: the first 62 bits of the name's digest, and the outcome. */
  function markOf({ name, outcome }: TestOutcome): bigint {
    const digest = createHash('sha256').update(name, 'utf8').digest().readBigUInt64LE(0);
    return (digest & ~3n) | BigInt(OUTCOMES.indexOf(outcome));
  }

  it.each([1, 5, TESTS_PER_PART, TESTS_PER_PART + 1, 2 * TESTS_PER_PART + 3])(
    'contains all tests in their order, of %i',
    (count) => {
      const tests = Array.from({ length: count }, (_, at) => ({
        name: `cart › keeps "the order" ${at} 漢`,
        outcome: OUTCOMES[at % 4] ?? 'failed',
      }));
      const testResults = new TestResultsEncoder();
      for (const { name, outcome } of tests) testResults.add([name], outcome);
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
      for (let at = 0; at < count; at += 1) testResults.add([String(at)], 'passed');
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
    for (let at = 0; at < 64_001; at += 1) testResults.add([String(at).padStart(500, 'x')], 'passed');
    expect(testResults.packed().complete).toBe(false);
  });
});
