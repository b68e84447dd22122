import { describe, expect, it } from '@jest/globals';
import { testsOf } from '../../../../test/report-corpus/decode-test-results.js';
import { goTest } from './go-test.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';

const textOf = (lines: readonly string[]): ReportText =>
  ReportText.decode('report.json', new TextEncoder().encode(`${lines.join('\n')}\n`));

const event = (Action: string, rest: object = {}): string => JSON.stringify({ Action, Package: 'shop/cart', ...rest });

/**
 * Builds events from lines such as `run TestA`, `pass TestA` and `output TestA text`. Without a test it is an event of the
 * package.
 */
function events(...received: readonly string[]): string[] {
  return received.map((line) => {
    const [action = '', name, ...output] = line.split(' ');
    const Test = name?.startsWith('-') === true ? {} : { Test: name };
    return event(action, { ...Test, ...(output.length > 0 && { Output: `${output.join(' ')}\n` }) });
  });
}

const read = (...lines: readonly string[]): ParsedContent => goTest.read(textOf(lines), REPORT_LIMITS);

/** Lists every test with its outcome, then the failures outside of the tests. */
function received(...lines: readonly string[]): readonly string[] {
  const { measure, failures } = read(...lines);
  return [
    ...testsOf(measure).map(({ name, outcome }) => `${name.replace('shop/cart › ', '')} ${outcome}`),
    ...failures,
  ];
}

describe('a test', () => {
  it.each([
    ['passes', events('run A', 'pass A', 'pass'), ['A passed']],
    ['fails', events('run A', 'fail A', 'fail'), ['A failed']],
    ['is skipped', events('run A', 'skip A', 'pass'), ['A skipped']],
    ['pauses', events('run A', 'pause A', 'cont A', 'pass A', 'pass'), ['A passed']],
    ['has unknown actions', events('run A', 'attr A', 'artifacts A', 'pass A', 'pass'), ['A passed']],
    ['began and never ended', events('run A', 'pass'), ['A failed']],
    ['has only output', events('output A hello', 'pass'), ['A failed']],
    [
      'began, and the report ends',
      events('run A'),
      ['A failed', 'shop/cart did not end: the run was interrupted, or the file is truncated'],
    ],
    [
      'passed, and its output says that it failed',
      events('run A', 'output A --- FAIL: A (0.00s)', 'pass A', 'pass'),
      ['A failed'],
    ],
    [
      'passed, and its output says that another one failed',
      events('run A', 'output A --- FAIL: AB (0.00s)', 'pass A', 'pass'),
      ['A passed'],
    ],
    ['ran twice', events('run A', 'pass A', 'run A', 'pass A', 'pass'), ['A passed']],
    ['failed at first in one run', events('run A', 'fail A', 'run A', 'pass A', 'fail'), ['A failed']],
    ['failed at first in a run that passed', events('run A', 'fail A', 'run A', 'pass A', 'pass'), ['A failed']],
    ['began twice and ended once', events('run A', 'run A', 'pass A', 'pass'), ['A failed']],
    ['never ended the second time', events('run A', 'pass A', 'run A', 'pass'), ['A failed']],
    ['passed and then was skipped', events('run A', 'pass A', 'run A', 'skip A', 'pass'), ['A passed']],
  ])('%s', (_what, lines, expected) => {
    expect(received(...lines)).toEqual(expected);
  });

  it.each([
    ['does not count besides its subtests', events('run A', 'run A/x', 'pass A/x', 'pass A', 'pass'), ['A/x passed']],
    ['does not fail besides its subtests', events('run A', 'run A/x', 'fail A/x', 'fail A', 'fail'), ['A/x failed']],
    [
      'fails if no subtest failed',
      events('run A', 'run A/x', 'pass A/x', 'fail A', 'fail'),
      ['A failed', 'A/x passed'],
    ],
    [
      'does not fail besides a nested subtest',
      events('run A', 'run A/x', 'run A/x/y', 'fail A/x/y', 'fail A/x', 'fail A', 'fail'),
      ['A/x/y failed'],
    ],
    [
      'has subtests with slashes in their names',
      events('run A', 'run A/x/y', 'pass A/x/y', 'pass A', 'pass'),
      ['A/x/y passed'],
    ],
    [
      'is no subtest of one whose name it begins with',
      events('run A', 'pass A', 'run AB', 'pass AB', 'pass'),
      ['A passed', 'AB passed'],
    ],
    ['never ended, nor did its subtest', events('run A', 'run A/x', 'fail'), ['A/x failed']],
    ['is skipped after its subtests', events('run A', 'run A/x', 'pass A/x', 'skip A', 'pass'), ['A/x passed']],
  ])('%s', (_what, lines, expected) => {
    expect(received(...lines)).toEqual(expected);
  });

  it('is distinguished from one with the same name in another package', () => {
    const other = { Package: 'shop/till' };
    const lines = [
      ...events('run A', 'pass A', 'pass'),
      event('run', { ...other, Test: 'A' }),
      event('pass', { ...other, Test: 'A' }),
      event('pass', other),
    ];
    expect(received(...lines)).toEqual(['A passed', 'shop/till › A passed']);
  });

  it('that failed is shown with its package and its output', () => {
    const lines = events(
      'run A',
      'output A === RUN A',
      'output A cart_test.go:3: 5 is not 4',
      'output A --- FAIL: A',
      'fail A',
      'fail',
    );
    expect(read(...lines).details).toMatchObject([
      { title: 'A', location: 'shop/cart', message: 'cart_test.go:3: 5 is not 4' },
    ]);
  });
});

describe('a test that gotestsum runs again', () => {
  const failed = events('run A', 'fail A', 'run B', 'pass B', 'fail');
  const cut = 'shop/cart did not end: the run was interrupted, or the file is truncated';

  it.each([
    ['passes', [...failed, ...events('run A', 'pass A', 'pass')], ['A flaky', 'B passed']],
    [
      'passes with the events of Go 1.20 and later',
      [...events('start'), ...failed, ...events('start', 'run A', 'pass A', 'pass')],
      ['A flaky', 'B passed'],
    ],
    [
      'passes at the third run',
      [...failed, ...events('run A', 'fail A', 'fail', 'run A', 'pass A', 'pass')],
      ['A flaky', 'B passed'],
    ],
    ['fails again', [...failed, ...events('run A', 'fail A', 'fail')], ['A failed', 'B passed']],
    [
      'fails after it passed',
      [...failed, ...events('run A', 'pass A', 'pass', 'run A', 'fail A', 'fail')],
      ['A failed', 'B passed'],
    ],
    [
      'passes once of two times in one run',
      [...failed, ...events('run A', 'fail A', 'run A', 'pass A', 'fail')],
      ['A failed', 'B passed'],
    ],
    ['is skipped then', [...failed, ...events('run A', 'skip A', 'pass')], ['A failed', 'B passed']],
    ['did not run again', [...failed, ...events('pass')], ['A failed', 'B passed']],
    ['began and is cut', [...failed, ...events('run A')], ['A failed', 'B passed', cut]],
    ['passes, and its package is cut', [...failed, ...events('run A', 'pass A')], ['A flaky', 'B passed', cut]],
    ['only began again', [...failed, ...events('start')], ['A failed', 'B passed', cut]],
    [
      'is not the only one that failed',
      events('run A', 'fail A', 'run B', 'fail B', 'fail', 'run A', 'pass A', 'pass'),
      ['A flaky', 'B failed'],
    ],
    [
      'is one of two that pass, each in a run of its own',
      events('run A', 'fail A', 'run B', 'fail B', 'fail', 'run A', 'pass A', 'pass', 'run B', 'pass B', 'pass'),
      ['A flaky', 'B flaky'],
    ],
    [
      'passes, and its package fails',
      [...failed, ...events('run A', 'pass A', 'output - no database', 'fail')],
      ['A flaky', 'B passed', 'shop/cart failed outside of its tests: no database'],
    ],
    [
      'passes after its package failed outside of the tests',
      events('run A', 'pass A', 'output - no database', 'fail', 'run A', 'fail A', 'fail', 'run A', 'pass A', 'pass'),
      ['A flaky', 'shop/cart failed outside of its tests: no database'],
    ],
    [
      'passes after a run without an end',
      events('start', 'run A', 'fail A', 'start', 'run A', 'pass A', 'pass'),
      ['A failed', cut],
    ],
    [
      'had panicked',
      events('run A', 'output A panic: no cart', 'fail A', 'fail', 'run A', 'pass A', 'pass'),
      ['A flaky', 'shop/cart panicked, so some tests may not have run: no reason given'],
    ],
    ['had ended the process', events('run A', 'fail', 'run A', 'pass A', 'pass'), ['A failed']],
    [
      'is distinguished from one of the same name in another package',
      [...failed, event('run', { Package: 'b', Test: 'A' }), event('pass', { Package: 'b', Test: 'A' })],
      ['A failed', 'B passed', 'b › A passed', 'b did not end: the run was interrupted, or the file is truncated'],
    ],
    [
      'is a subtest',
      events('run A', 'run A/x', 'fail A/x', 'run A/y', 'pass A/y', 'fail A', 'fail').concat(
        events('run A', 'run A/x', 'pass A/x', 'pass A', 'pass'),
      ),
      ['A/x flaky', 'A/y passed'],
    ],
    [
      'has subtests that passed before',
      events('run A', 'run A/x', 'pass A/x', 'fail A', 'fail', 'run A', 'run A/x', 'pass A/x', 'pass A', 'pass'),
      ['A flaky', 'A/x passed'],
    ],
    [
      'has a failed subtest that does not run again',
      events('run A', 'run A/x', 'fail A/x', 'fail A', 'fail', 'run A', 'pass A', 'pass'),
      ['A/x failed'],
    ],
  ])('%s', (_what, lines, expected) => {
    expect(received(...lines)).toEqual(expected);
  });

  it('is passed, and counted as flaky', () => {
    expect(read(...failed, ...events('run A', 'pass A', 'pass'))).toMatchObject({
      measure: { value: { total: 2, passed: 2, failed: 0, skipped: 0, flaky: 1 } },
      failures: [],
      details: [],
    });
  });

  it('fails if the file is cut at any line before its end', () => {
    const lines = [...failed, ...events('run A', 'pass A', 'pass')];
    const isRed = (count: number): boolean => {
      const { measure, failures } = read(...lines.slice(0, count));
      return failures.length > 0 || testsOf(measure).some(({ outcome }) => outcome === 'failed');
    };
    expect(lines.map((_, index) => isRed(index + 1))).toEqual(lines.map((_, index) => index + 1 < lines.length));
  });

  it('remains failed if its package did not build before', () => {
    const build = { ImportPath: 'shop/cart [shop/cart.test]' };
    const lines = [event('build-fail', build), event('fail', { FailedBuild: build.ImportPath })];
    expect(received(...lines, ...events('run A', 'pass A', 'pass'))).toEqual([
      'A passed',
      'shop/cart does not build: no reason given',
    ]);
  });
});

describe('a benchmark', () => {
  const rest = events('run A', 'pass A');

  it.each([
    ['is no test', events('run BenchmarkB', 'pass BenchmarkB', 'pass'), []],
    ['has no end event', events('run BenchmarkB', 'output BenchmarkB 10 ns/op', 'pass'), []],
    ['may have events of its own', events('bench BenchmarkB', 'pass'), []],
    ['fails', events('run BenchmarkB', 'fail BenchmarkB', 'fail'), ['BenchmarkB failed']],
    ['did not end in a package that failed', events('run BenchmarkB', 'fail'), ['BenchmarkB failed']],
    ['runs twice without end events', events('run BenchmarkB', 'run BenchmarkB', 'pass'), []],
  ])('%s', (_what, lines, expected) => {
    expect(received(...rest, ...lines)).toEqual(['A passed', ...expected]);
  });

  it('is not a report without tests', () => {
    expect(received(...events('run BenchmarkB', 'pass'))).toEqual(['no tests']);
  });
});

describe('a package', () => {
  const build = { ImportPath: 'shop/cart [shop/cart.test]' };

  it.each([
    ['without tests', events('output - ?', 'skip'), ['no tests']],
    [
      'that fails outside of its tests',
      events('run A', 'pass A', 'output - panic: no database', 'fail'),
      ['A passed', 'shop/cart failed outside of its tests: panic: no database'],
    ],
    [
      'that fails without output',
      events('run A', 'pass A', 'fail'),
      ['A passed', 'shop/cart failed outside of its tests: no reason given'],
    ],
    ['that fails by its tests', events('run A', 'fail A', 'output - FAIL', 'fail'), ['A failed']],
    [
      'that never ended',
      events('start', 'run A', 'pass A'),
      ['A passed', 'shop/cart did not end: the run was interrupted, or the file is truncated'],
    ],
    [
      'that never ended the second time',
      events('run A', 'pass A', 'pass', 'run A', 'pass A'),
      ['A passed', 'shop/cart did not end: the run was interrupted, or the file is truncated'],
    ],
    [
      'that only began the second time',
      events('start', 'run A', 'pass A', 'pass', 'start'),
      ['A passed', 'shop/cart did not end: the run was interrupted, or the file is truncated'],
    ],
    [
      'that failed the first time',
      events('run A', 'pass A', 'fail', 'run A', 'pass A', 'pass'),
      ['A passed', 'shop/cart failed outside of its tests: no reason given'],
    ],
    [
      'that does not build',
      [
        event('build-output', { ...build, Output: 'cart.go:3: undefined: Total\n' }),
        event('build-fail', build),
        event('fail', { FailedBuild: build.ImportPath }),
      ],
      ['shop/cart does not build: cart.go:3: undefined: Total', 'no tests'],
    ],
    [
      'whose build failed and that has no further events',
      [event('build-fail', build), ...events('run A', 'pass A', 'pass')],
      ['A passed', 'shop/cart [shop/cart.test] does not build: no reason given'],
    ],
    [
      'that does not build, in the format before Go 1.24',
      ['FAIL\tshop/till [build failed]', ...events('run A', 'pass A', 'pass'), 'FAIL\tshop/bill [setup failed]'],
      ['A passed', 'shop/till does not build: no reason given', 'shop/bill does not build: no reason given'],
    ],
  ])('%s', (_what, lines, expected) => {
    expect(received(...lines)).toEqual(expected);
  });
});

describe('a file', () => {
  it.each([
    ['events', [event('start')], true],
    ['events of a build', [JSON.stringify({ ImportPath: 'a', Action: 'build-output', Output: '' })], true],
    ['a package that does not build, and events', ['FAIL\tshop/till [build failed]', event('start')], true],
    ['a package that does not build, alone', ['FAIL\tshop/till [build failed]'], true],
    ['the output of go test without -json', ['FAIL\tshop/till 0.1s', event('start')], false],
    ['lines of another log', ['{"level":"info","Action":"x"}'], false],
    ['a log with an object in it', ['hello', event('start')], false],
  ])('of %s', (_what, lines, isOne) => {
    expect(goTest.detect(textOf(lines))).toBe(isOne);
  });

  it.each([
    ['a line of text', [event('start'), 'go: downloading example.com/a v1.0.0'], 2, 'not JSON: a value is expected'],
    ['half an event', [event('start'), '', event('pass').slice(0, 20)], 3, 'not JSON: '],
    ['a list', [event('start'), '[]'], 2, 'an object is expected'],
    ['no action', [event('start'), '{"Package":"a"}'], 2, 'Action: an action is expected'],
    ['a number for a name', [event('start'), '{"Action":"run","Test":1}'], 2, 'Test: a string is expected'],
    [
      'depth',
      [event('start'), `{"Action":"run","x":${'['.repeat(100)}${']'.repeat(100)}}`],
      2,
      'not JSON: nested more than 64',
    ],
  ])('with %s is rejected at this line', (_what, lines, line, reason) => {
    expect(() => read(...lines)).toThrow(new RegExp(`^report\\.json:${line}:\\d+: ${reason}`));
  });

  it('may end its lines as Windows does', () => {
    expect(
      received(`${event('run', { Test: 'A' })}\r`, `${event('pass', { Test: 'A' })}\r`, `${event('pass')}\r`),
    ).toEqual(['A passed']);
  });
});
