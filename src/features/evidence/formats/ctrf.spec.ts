import { describe, expect, it } from '@jest/globals';
import { testsOf } from '../../../../test/report-corpus/decode-test-results.js';
import { ctrf } from './ctrf.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';

function readText(text: string): ParsedContent {
  return ctrf.read(ReportText.decode('report.json', new TextEncoder().encode(text)), REPORT_LIMITS);
}

const document = (tests: unknown, summary?: unknown): object => ({
  reportFormat: 'CTRF',
  specVersion: '1.0.0',
  results: { tool: { name: 'runner' }, ...(summary !== undefined && { summary }), tests },
});

const read = (tests: unknown, summary?: unknown): ParsedContent =>
  readText(JSON.stringify(document(tests, summary), null, 1));

/** The outcome of one passed test, with the given changes. */
function outcomeOf(rest: object): string | undefined {
  const { measure } = read([{ name: 'adds', status: 'passed', duration: 1, ...rest }]);
  return testsOf(measure)[0]?.outcome;
}

const tries = (...statuses: readonly string[]): object[] =>
  statuses.map((status, index) => ({ attempt: index + 1, status }));

describe('a test', () => {
  it.each([
    ['that passed', {}, 'passed'],
    ['that failed', { status: 'failed' }, 'failed'],
    ['that failed, though flaky', { status: 'failed', flaky: true }, 'failed'],
    ['that was skipped', { status: 'skipped' }, 'skipped'],
    ['that is pending', { status: 'pending' }, 'skipped'],
    ['of another status', { status: 'other' }, 'failed'],
    ['that was interrupted', { status: 'other', rawStatus: 'interrupted' }, 'failed'],
    ['that is a todo', { status: 'other', rawStatus: 'todo' }, 'skipped'],
    ['that is disabled', { status: 'other', rawStatus: 'Disabled' }, 'skipped'],
    ['whose raw status only contains a word for skipped', { status: 'other', rawStatus: 'todo failed' }, 'failed'],
    ['that is flaky', { flaky: true, retries: 1 }, 'flaky'],
    ['that was tried again', { retries: 2 }, 'flaky'],
    ['that was not tried again', { retries: 0 }, 'passed'],
    ['that is marked as not flaky, though it was tried again', { flaky: false, retries: 2 }, 'flaky'],
    ['whose raw status is a failure', { rawStatus: 'timed out' }, 'failed'],
    ['that was skipped, with a raw status that is a failure', { status: 'skipped', rawStatus: 'failed' }, 'failed'],
    ['whose raw status passed', { rawStatus: 'pass' }, 'passed'],
    ['whose first try failed', { flaky: true, retryAttempts: [{ attempt: 1, status: 'failed' }] }, 'flaky'],
    ['whose first try failed before a listed one passed', { retryAttempts: tries('failed', 'passed') }, 'flaky'],
    ['whose last try failed', { flaky: true, retries: 1, retryAttempts: tries('failed', 'failed') }, 'failed'],
    [
      'whose tries all failed before one that is not listed',
      { retries: 2, retryAttempts: tries('failed', 'failed') },
      'flaky',
    ],
    ['whose only try failed', { retryAttempts: tries('failed') }, 'failed'],
    ['whose only try failed, without a retry', { flaky: true, retries: 0, retryAttempts: tries('failed') }, 'failed'],
    ['whose last try was skipped', { retries: 1, retryAttempts: tries('failed', 'skipped') }, 'failed'],
    [
      'whose last try by its number failed',
      { retries: 1, retryAttempts: tries('failed', 'passed').toReversed() },
      'failed',
    ],
    [
      'whose try of the highest number failed',
      { retries: 1, retryAttempts: [{ attempt: 2, status: 'failed' }] },
      'failed',
    ],
    ['with a failed step', { steps: [{ status: 'passed' }, { status: 'failed' }] }, 'failed'],
    ['with a step of the status error', { steps: [{ status: 'Error' }] }, 'failed'],
    ['with steps that passed or were skipped', { steps: [{ status: 'passed' }, { status: 'skipped' }] }, 'passed'],
    ['with a failed step, though flaky', { flaky: true, steps: [{ status: 'failed' }] }, 'failed'],
    ['that is flaky although every try passed', { flaky: true, retryAttempts: [{ status: 'passed' }] }, 'failed'],
  ])('%s is counted as such: %j', (_what, rest, outcome) => {
    expect(outcomeOf(rest)).toBe(outcome);
  });

  it.each([
    ['suites', { suite: ['cart', 'with a discount'] }, 'cart › with a discount › adds'],
    ['a suite, as before version 1', { suite: 'cart > with a discount' }, 'cart > with a discount › adds'],
    [
      'a file and no suite',
      { filePath: '/home/ci/work/shop/cart.test.js', suite: [] },
      'work/shop/cart.test.js › adds',
    ],
    ['suites and a file', { suite: ['cart'], filePath: '/home/ci/work/shop/cart.test.js' }, 'cart › adds'],
    ['neither', {}, 'adds'],
  ])('of %s has its name', (_what, rest, name) => {
    const { measure } = read([{ name: 'adds', status: 'passed', ...rest }]);
    expect(testsOf(measure)).toEqual([{ name, outcome: 'passed' }]);
  });

  it('that failed is shown with its message, or else its trace, without colors', () => {
    const { details } = read([
      {
        name: 'adds',
        status: 'failed',
        message: '\u001b[31mfive\u001b[0m is not four',
        trace: 'at cart',
        filePath: 'a.js',
      },
      { name: 'pays', status: 'failed', trace: 'at till' },
      { name: 'waits', status: 'other' },
    ]);
    expect(details).toMatchObject([
      { title: 'adds', location: 'a.js', message: 'five is not four' },
      { title: 'pays', location: null, message: 'at till' },
      { title: 'waits', location: null, message: 'neither passed nor failed' },
    ]);
  });
});

const PASSED = { name: 'adds', status: 'passed' };

describe('a report', () => {
  it('of Playwright counts an expected failure with its failed step as passed', () => {
    const test = { name: 'adds', status: 'passed', rawStatus: 'failed', steps: [{ name: 'pays', status: 'failed' }] };
    const report = document([test]) as { results: { tool: { name: string } } };
    expect(readText(JSON.stringify(report)).measure.value).toMatchObject({ failed: 1 });
    report.results.tool.name = 'playwright';
    expect(readText(JSON.stringify(report)).measure.value).toMatchObject({ passed: 1, failed: 0 });
  });

  it('of no tests fails', () => {
    expect(read([], { tests: 0, passed: 0, failed: 0 }).failures).toEqual(['no tests']);
  });

  it('fails if it states failures that no test has', () => {
    expect(read([PASSED], { tests: 3, failed: 2 })).toMatchObject({
      measure: { value: { total: 1, passed: 1, failed: 0 } },
      failures: ['the report states 2 failures that no test has'],
      notes: ['3 tests stated, 1 counted', '2 failures stated, 0 counted'],
    });
  });

  it('agrees with totals that are right, missing, or count the rest as other', () => {
    const todo = { name: 'later', status: 'other', rawStatus: 'todo' };
    for (const summary of [{ tests: 2, passed: 1, failed: 0, other: 1, skipped: 0, pending: 0 }, {}, undefined]) {
      expect(read([PASSED, todo], summary)).toMatchObject({ failures: [], notes: [] });
    }
  });

  it('notes if it skipped other tests than it states', () => {
    expect(read([PASSED], { skipped: 1, pending: 1 }).notes).toEqual(['2 skipped stated, 0 counted']);
  });

  it.each([
    ['a test without a status', [{ name: 'adds' }], 'results.tests[0].status: one of passed, failed'],
    ['a test of no known status', [{ name: 'adds', status: 'Passed' }], 'results.tests[0].status: one of passed'],
    ['a test without a name', [{ status: 'passed' }], 'results.tests[0].name: a string is expected'],
    ['a test that is not an object', [PASSED, 1], 'results.tests[1]: an object is expected'],
    ['tests that are not an array', {}, 'results.tests: an array is expected'],
    ['no tests at all', undefined, 'results.tests: an array is expected'],
    ['a text instead of a boolean', [{ ...PASSED, flaky: 'no' }], 'results.tests[0].flaky: true or false is expected'],
  ])('with %s is rejected at this position', (_what, tests, reason) => {
    expect(() => read(tests)).toThrow(new RegExp(`^report\\.json:\\d+:\\d+: ${reason.replaceAll(/[[\]]/g, '\\$&')}`));
  });

  it.each(['1e999', '-1', '1.5', '"2"', '9007199254740993'])('may not state %s tests', (count) => {
    const text = JSON.stringify(document([PASSED], { tests: 0 })).replace('"tests":0', `"tests":${count}`);
    expect(() => readText(text)).toThrow('results.summary.tests: a count is expected');
  });
});
