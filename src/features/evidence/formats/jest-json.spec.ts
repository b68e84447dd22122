import { describe, expect, it } from '@jest/globals';
import { testsOf } from '../../../../test/report-corpus/decode-test-results.js';
import { jestJson } from './jest-json.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';

const read = (run: unknown): ParsedContent =>
  jestJson.read(
    ReportText.decode('report.json', new TextEncoder().encode(JSON.stringify(run, null, 1))),
    REPORT_LIMITS,
  );

const test = (rest: object = {}): object => ({ ancestorTitles: ['cart'], title: 'adds', status: 'passed', ...rest });
const file = (tests: unknown, rest: object = {}): object => ({
  name: '/home/ci/work/shop/src/cart.test.js',
  status: 'passed',
  message: '',
  assertionResults: tests,
  ...rest,
});
const run = (files: unknown, rest: object = {}): object => ({
  numTotalTests: 1,
  success: true,
  testResults: files,
  ...rest,
});

describe('a test', () => {
  it.each([
    ['passed', {}, 'passed'],
    ['failed', { status: 'failed' }, 'failed'],
    ['pending', { status: 'pending' }, 'skipped'],
    ['skipped', { status: 'skipped' }, 'skipped'],
    ['todo', { status: 'todo' }, 'skipped'],
    ['disabled', { status: 'disabled' }, 'skipped'],
    ['passed at once', { invocations: 1, failureMessages: [] }, 'passed'],
    ['passed at the second try of Jest', { invocations: 2, failureMessages: [] }, 'flaky'],
    ['passed at the second try of Vitest', { failureMessages: ['5 is not 4'] }, 'flaky'],
    ['skipped, with the message of a failure', { status: 'skipped', failureMessages: ['5 is not 4'] }, 'failed'],
    ['failed at every try', { status: 'failed', invocations: 3 }, 'failed'],
  ])('that is %s', (_what, rest, outcome) => {
    const { measure } = read(run([file([test(rest)])]));
    expect(testsOf(measure)).toEqual([{ name: 'shop/src/cart.test.js › cart › adds', outcome }]);
  });

  it('that failed is shown with its file and its first message', () => {
    const failed = test({ status: 'failed', failureMessages: ['5 is not 4', 'and more'] });
    expect(read(run([file([failed])])).details).toMatchObject([
      { title: 'adds', location: '/home/ci/work/shop/src/cart.test.js', message: '5 is not 4' },
    ]);
  });
});

describe('two files whose paths end with the same three parts', () => {
  const inPackage = (name: string, tests: unknown): object =>
    file(tests, { name: `/home/ci/shop/${name}/src/cart/add.test.js` });

  it.each([
    ['first', [test({ status: 'failed' })], [test()]],
    ['second', [test()], [test({ status: 'failed' })]],
  ])('keep the failure of the %s, and the name identifies no test', (_which, first, second) => {
    const { measure } = read(run([inPackage('a', first), inPackage('b', second)]));
    expect(testsOf(measure)).toEqual([{ name: 'src/cart/add.test.js › cart › adds', outcome: 'failed' }]);
    expect(measure).toMatchObject({ value: { total: 2, passed: 1, failed: 1 }, failedTests: [] });
  });
});

describe('a test of Jest, which states its tries', () => {
  it.each([
    ['passed at its only try', { invocations: 1, failureMessages: ['5 is not 4'] }, 'failed'],
    ['passed, without a number of tries', { failureMessages: ['5 is not 4'] }, 'failed'],
    ['passed at its second try', { invocations: 2, failureMessages: ['5 is not 4'] }, 'flaky'],
    ['is pending', { status: 'pending', failureMessages: ['5 is not 4'] }, 'failed'],
  ])('with the message of a failure that %s', (_what, rest, outcome) => {
    const { measure } = read(run([file([test(rest)])], { wasInterrupted: false }));
    expect(testsOf(measure).map((found) => found.outcome)).toEqual([outcome]);
  });
});

describe('a run', () => {
  it('that passed has no message', () => {
    expect(read(run([file([test()])]))).toMatchObject({
      measure: { value: { total: 1, passed: 1, failed: 0, skipped: 0 } },
      failures: [],
      notes: [],
    });
  });

  it.each([
    ['of no tests', run([], { numTotalTests: 0 }), ['no tests']],
    [
      'that did not succeed although every test passed',
      run([file([test()])], { success: false }),
      ['the run reports that it did not succeed'],
    ],
    ['that was interrupted', run([file([test()])], { wasInterrupted: true }), ['the run was interrupted']],
    [
      'with a file that does not load',
      run([file([test()]), file([], { status: 'failed', message: 'no module' })]),
      ['/home/ci/work/shop/src/cart.test.js failed outside of its tests: no module'],
    ],
    [
      'with a failed file without a failed test',
      run([file([test()], { status: 'failed' })]),
      ['/home/ci/work/shop/src/cart.test.js failed outside of its tests: no reason given'],
    ],
    [
      'with the message of a failed hook in a file that passed',
      run([file([test()], { message: 'afterAll: no server' })]),
      ['/home/ci/work/shop/src/cart.test.js failed outside of its tests: afterAll: no server'],
    ],
    [
      'with the message of a failure in a file that was skipped',
      run([file([test()]), file([], { status: 'skipped', failureMessage: 'no module' })]),
      ['/home/ci/work/shop/src/cart.test.js failed outside of its tests: no module'],
    ],
    [
      'with a file that could not be executed',
      run([file([test()], { testExecError: {} })]),
      ['/home/ci/work/shop/src/cart.test.js failed outside of its tests: the file could not be executed'],
    ],
    [
      'with a file of another status for failures',
      run([file([test()], { status: 'error' })]),
      ['/home/ci/work/shop/src/cart.test.js failed outside of its tests: no reason given'],
    ],
    [
      'that states failures',
      run([file([test()])], { numFailedTests: 2 }),
      ['the report states 2 failures that no test has'],
    ],
    [
      'that states a failed file',
      run([file([test()])], { numFailedTestSuites: 1 }),
      ['the run reports failed files or suites'],
    ],
    [
      'that states a file which did not load',
      run([file([test()])], { numRuntimeErrorTestSuites: 1 }),
      ['the run reports failed files or suites'],
    ],
    [
      'of Vitest whose process died before a test ended',
      run([file([test(), test({ status: 'pending' })])]),
      ['1 tests did not end'],
    ],
    [
      'with a file that passed without a test',
      run([file([test()]), file([])]),
      ['/home/ci/work/shop/src/cart.test.js contains no test: it did not run'],
    ],
    [
      'with a file without a status',
      run([file([test()]), file([], { status: undefined })]),
      ['/home/ci/work/shop/src/cart.test.js contains no test: it did not run'],
    ],
  ])('%s fails', (_what, document, failures) => {
    expect(read(document).failures).toEqual(failures);
  });

  it.each([
    ['of Jest with a pending test', run([file([test(), test({ status: 'pending' })])], { wasInterrupted: false })],
    ['of an older Jest', run([file([test(), test({ status: 'pending' })])], { numRuntimeErrorTestSuites: 0 })],
    ['of Vitest with a skipped test', run([file([test(), test({ status: 'skipped' })])])],
    [
      'of Jest with a file that was skipped',
      run([file([test(), test({ status: 'todo' })]), file([], { status: 'skipped' })]),
    ],
  ])('%s passes', (_what, document) => {
    expect(read(document)).toMatchObject({ measure: { value: { passed: 1, skipped: 1 } }, failures: [] });
  });

  it('passes with empty messages of its files', () => {
    const empty = { message: ' ', failureMessage: null, testExecError: null };
    expect(read(run([file([test()], empty)])).failures).toEqual([]);
  });

  it('with a failed test has no other failure', () => {
    const failed = file([test({ status: 'failed' })], { status: 'failed' });
    expect(read(run([failed], { success: false, numFailedTests: 1, numFailedTestSuites: 1 })).failures).toEqual([]);
  });

  it('notes totals that disagree', () => {
    const totals = { numTotalTests: 4, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1 };
    expect(read(run([file([test(), test({ title: 'later', status: 'todo' })])], totals)).notes).toEqual([
      '4 tests stated, 2 counted',
      '2 skipped stated, 1 counted',
    ]);
  });

  it.each([
    ['files that are not an array', run({}), 'testResults: an array'],
    ['a file without a name', run([file([], { name: 1 })]), 'testResults[0].name: a string'],
    ['a file without tests', run([file(undefined)]), 'testResults[0].assertionResults: an array'],
    [
      'a test of no known status',
      run([file([test({ status: 'ok' })])]),
      'testResults[0].assertionResults[0].status: one of',
    ],
    [
      'a test without a title',
      run([file([test({ title: null })])]),
      'testResults[0].assertionResults[0].title: a string',
    ],
    ['a success that is not a boolean', run([], { success: 'yes' }), 'success: true or false'],
    ['tests that cannot be counted', run([], { numTotalTests: 1.5 }), 'numTotalTests: a count'],
  ])('with %s is rejected', (_what, document, reason) => {
    expect(() => read(document)).toThrow(reason);
  });
});
