import { describe, expect, it } from '@jest/globals';
import { testsOf } from '../../../../test/report-corpus/decode-test-results.js';
import { playwright } from './playwright.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';

const read = (run: unknown): ParsedContent =>
  playwright.read(
    ReportText.decode('report.json', new TextEncoder().encode(JSON.stringify(run, null, 1))),
    REPORT_LIMITS,
  );

const results = (...statuses: readonly string[]): object[] => statuses.map((status, retry) => ({ status, retry }));
const test = (status: string, expectedStatus: string, runs: object[], rest: object = {}): object => ({
  projectName: 'desktop',
  status,
  expectedStatus,
  results: runs,
  ...rest,
});
const spec = (tests: unknown): object => ({ title: 'adds', file: 'cart.spec.js', line: 3, tests });
const run = (tests: unknown, rest: object = {}): object => ({
  config: {},
  suites: [{ title: 'cart.spec.js', suites: [{ title: 'cart', specs: [spec(tests)] }] }],
  errors: [],
  ...rest,
});

describe('a test', () => {
  it.each([
    ['passed', 'expected', 'passed', ['passed'], 'passed'],
    ['failed', 'unexpected', 'passed', ['failed'], 'failed'],
    ['failed at every try', 'unexpected', 'passed', ['failed', 'timedOut'], 'failed'],
    ['passed at the second try', 'flaky', 'passed', ['failed', 'passed'], 'flaky'],
    ['was skipped', 'skipped', 'skipped', ['skipped'], 'skipped'],
    ['never ran', 'skipped', 'passed', [], 'skipped'],
    ['failed as expected', 'expected', 'failed', ['failed'], 'passed'],
    ['passed although a failure was expected', 'unexpected', 'failed', ['passed'], 'failed'],
    ['timed out as expected', 'expected', 'timedOut', ['timedOut'], 'passed'],
    ['has the status expected, but failed', 'expected', 'passed', ['failed'], 'failed'],
    ['has the status skipped, but failed', 'skipped', 'passed', ['failed'], 'failed'],
    ['has the status expected, but never ran', 'expected', 'passed', [], 'skipped'],
    ['has the status expected, but failed at first', 'expected', 'passed', ['failed', 'passed'], 'flaky'],
    ['has the status flaky, but failed at the last try', 'flaky', 'passed', ['passed', 'failed'], 'failed'],
    ['failed, and was interrupted at its second try', 'unexpected', 'passed', ['failed', 'interrupted'], 'failed'],
  ])('that %s', (_what, status, expected, statuses, outcome) => {
    const { measure } = read(run([test(status, expected, results(...statuses))]));
    expect(testsOf(measure)).toEqual([{ name: 'desktop › cart.spec.js › cart › adds', outcome }]);
  });

  it.each([
    [
      'failed at its last retry, which is listed first',
      [
        ['failed', 1],
        ['passed', 0],
      ],
      'failed',
    ],
    [
      'failed at its last position, which is no retry',
      [
        ['passed', 1],
        ['failed', 0],
      ],
      'failed',
    ],
    [
      'passed at its last retry and at its last position',
      [
        ['passed', 2],
        ['failed', 0],
        ['passed', 1],
      ],
      'flaky',
    ],
    [
      'has two last retries of which one failed',
      [
        ['failed', 1],
        ['passed', 1],
      ],
      'failed',
    ],
    [
      'states no retry',
      [
        ['failed', undefined],
        ['passed', undefined],
      ],
      'flaky',
    ],
  ] as const)('that %s', (_what, runs, outcome) => {
    const { measure } = read(
      run([
        test(
          'expected',
          'passed',
          runs.map(([status, retry]) => ({ status, retry })),
        ),
      ]),
    );
    expect(testsOf(measure).map((found) => found.outcome)).toEqual([outcome]);
  });

  it.each([
    ['expected', { ok: false }, 'failed'],
    ['flaky', { ok: false }, 'failed'],
    ['flaky', { ok: true }, 'flaky'],
  ])('of the status %s with %j', (status, rest, outcome) => {
    const { measure } = read(run([test(status, 'passed', results('failed', 'passed'), rest)]));
    expect(testsOf(measure).map((found) => found.outcome)).toEqual([outcome]);
  });

  it('is one for each project that ran it', () => {
    const tests = ['desktop', 'phone'].map((projectName) =>
      test('expected', 'passed', results('passed'), { projectName }),
    );
    const { measure } = read(run(tests));
    expect(measure.value).toMatchObject({ total: 2, passed: 2 });
    expect(testsOf(measure).map(({ name }) => name.split(' ')[0])).toEqual(['desktop', 'phone']);
  });

  it('that failed is shown with its line and the message of its last attempt', () => {
    const runs = [
      { status: 'failed', error: { message: 'first' } },
      { status: 'failed', error: { message: '\u001b[31m5 is not 4\u001b[39m' } },
    ];
    expect(read(run([test('unexpected', 'passed', runs)])).details).toMatchObject([
      { title: 'adds', location: 'cart.spec.js:3', message: '5 is not 4' },
    ]);
  });
});

const PASSED = test('expected', 'passed', results('passed'));
const FLAKY = test('flaky', 'passed', results('failed', 'passed'));

describe('a run', () => {
  it('that passed has no message', () => {
    expect(read(run([PASSED], { stats: { expected: 1, unexpected: 0, flaky: 0, skipped: 0 } }))).toMatchObject({
      failures: [],
      notes: [],
    });
  });

  it.each([
    ['of no tests', run([]), ['no tests']],
    [
      'with an error outside of its tests',
      run([PASSED], { errors: [{ message: 'no browser' }] }),
      ['an error outside of the tests: no browser'],
    ],
    [
      'with a thrown value',
      run([PASSED], { errors: [{ value: '42' }, null] }),
      ['an error outside of the tests: 42', 'an error outside of the tests: no reason given'],
    ],
    [
      'with an interrupted test, which Playwright calls skipped',
      run([PASSED, test('skipped', 'passed', results('interrupted'))]),
      ['interrupted: desktop › cart.spec.js › cart › adds'],
    ],
    [
      'with a test whose last retry was interrupted, which is listed first',
      run([PASSED, test('flaky', 'passed', [...results('passed', 'interrupted')].toReversed())]),
      ['interrupted: desktop › cart.spec.js › cart › adds'],
    ],
    [
      'that ended before a test began',
      run([PASSED, test('skipped', 'passed', []), test('expected', 'passed', [])]),
      ['2 tests did not run'],
    ],
    [
      'that may have no flaky tests and has one',
      run([PASSED, FLAKY], { config: { failOnFlakyTests: true } }),
      ['1 flaky tests, which fail this run (failOnFlakyTests)'],
    ],
    [
      'that states failures',
      run([PASSED], { stats: { unexpected: 1 } }),
      ['the report states 1 failures that no test has'],
    ],
  ])('%s fails', (_what, document, failures) => {
    expect(read(document).failures).toEqual(failures);
  });

  it('that skipped a test deliberately passes without it', () => {
    expect(read(run([PASSED, test('skipped', 'skipped', [])]))).toMatchObject({
      measure: { value: { passed: 1, skipped: 1 } },
      failures: [],
    });
  });

  it('that may have flaky tests passes with one', () => {
    expect(read(run([FLAKY], { config: { failOnFlakyTests: false } }))).toMatchObject({
      measure: { value: { total: 1, passed: 1, flaky: 1 } },
      failures: [],
    });
  });

  it('that may have no flaky tests passes with none', () => {
    expect(read(run([PASSED], { config: { failOnFlakyTests: true } })).failures).toEqual([]);
  });

  it('notes totals that disagree', () => {
    const stats = { expected: 3, unexpected: 0, flaky: 0, skipped: 1 };
    expect(read(run([PASSED], { stats })).notes).toEqual(['4 tests stated, 1 counted', '1 skipped stated, 0 counted']);
  });

  it.each([
    ['a test of no known status', run([test('passed', 'passed', [])]), '.tests[0].status: one of expected'],
    [
      'a test with an unknown expected status',
      run([test('expected', 'ok', [])]),
      '.tests[0].expectedStatus: one of passed',
    ],
    ['a try of no known status', run([test('expected', 'passed', results('ok'))]), '.results[0].status: one of passed'],
    ['a test without tries', run([{ status: 'expected', expectedStatus: 'passed' }]), '.results: an array'],
    ['a spec without tests', run(undefined), 'suites[0].suites[0].specs[0].tests: an array'],
    ['errors that are not an array', run([PASSED], { errors: 'none' }), 'errors: an array'],
  ])('with %s is rejected', (_what, document, reason) => {
    expect(() => read(document)).toThrow(reason);
  });
});
