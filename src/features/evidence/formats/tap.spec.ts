import { describe, expect, it } from '@jest/globals';
import { testsOf } from '../../../../test/report-corpus/decode-test-results.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';
import { tap } from './tap.js';

const textOf = (...lines: readonly string[]): ReportText =>
  ReportText.decode('report.tap', new TextEncoder().encode(`${lines.join('\n')}\n`));

const read = (...lines: readonly string[]): ParsedContent => tap.read(textOf(...lines), REPORT_LIMITS);

/** Lists every test with its outcome, then the failures outside of the tests. */
function received(...lines: readonly string[]): readonly string[] {
  const { measure, failures } = read(...lines);
  return [...testsOf(measure).map(({ name, outcome }) => `${name} ${outcome}`), ...failures];
}

describe('a test point', () => {
  it.each([
    ['ok 1 - adds', 'adds passed'],
    ['ok 1 adds', 'adds passed'],
    ['ok - adds', 'adds passed'],
    ['ok adds', 'adds passed'],
    ['ok', 'test 1 passed'],
    ['ok 1', 'test 1 passed'],
    ['not ok 1 - adds', 'adds failed'],
    ['not ok', 'test 1 failed'],
    ['ok 1 - adds # SKIP no cents yet', 'adds skipped'],
    ['ok 1 # skip', 'test 1 skipped'],
    ['ok 1 # Skipped: no cents', 'test 1 skipped'],
    ['not ok 1 - adds # SKIP', 'adds skipped'],
    ['not ok 1 - adds # skip: no cents yet', 'adds skipped'],
    ['not ok 1 # SKIP no cents yet', 'test 1 skipped'],
    ['not ok 1 - adds # Skipped: no cents', 'adds failed'],
    ['not ok 1 - adds # skipping cents loses money', 'adds failed'],
    ['not ok 1 - adds \\# SKIP', 'adds # SKIP failed'],
    ['ok 1 - adds # TODO', 'adds skipped'],
    ['not ok 1 - adds # todo not yet', 'adds skipped'],
    ['not ok 1 - adds # not TODO', 'adds # not TODO failed'],
    ['not ok 1 - adds # todos to the list', 'adds # todos to the list failed'],
    ['not ok 1 - adds # TODO: not yet', 'adds skipped'],
    ['ok 1 - adds \\# TODO', 'adds # TODO passed'],
    ['not ok 1 - adds \\# TODO', 'adds # TODO failed'],
    ['not ok 1 - adds#TODO', 'adds#TODO failed'],
    ['ok 1 - C\\\\C# and F#', 'C\\C# and F# passed'],
    ['ok 1 - nothing # of anything', 'nothing # of anything passed'],
    ['ok 1 - adds # time=2.62ms', 'adds passed'],
    ['ok 1 - 2 and 3 make 5', '2 and 3 make 5 passed'],
    ['not ok 1 - adds\u2028cents', 'adds cents failed'],
  ])('%s', (line, expected) => {
    expect(received('TAP version 14', '1..1', line)).toEqual([expected]);
  });

  it.each(['okay', 'not okay', 'OK 1', 'Not ok 1', 'notok', 'nok 1', '  ok 1 - two columns in', 'ok1', '# ok 1'])(
    'is not %s',
    (line) => {
      expect(received('TAP version 14', 'ok 1 - adds', line, '1..1')).toEqual(['adds passed']);
    },
  );
});

describe('a plan', () => {
  it.each([
    ['before', ['1..2', 'ok 1 - a', 'ok 2 - b'], []],
    ['after', ['ok 1 - a', 'ok 2 - b', '1..2'], []],
    ['with a comment', ['1..2 # two', 'ok 1 - a', 'ok 2 - b'], []],
    ['of more tests than ran', ['1..3', 'ok 1 - a', 'ok 2 - b'], ['3 tests planned, 2 run']],
    ['of fewer tests than ran', ['ok 1 - a', 'ok 2 - b', '1..1'], ['1 tests planned, 2 run']],
    ['that is missing', ['ok 1 - a', 'ok 2 - b'], ['the plan with the number of tests is missing']],
    ['that occurs twice', ['1..2', 'ok 1 - a', 'ok 2 - b', '1..2'], ['a second plan']],
    ['in the middle', ['ok 1 - a', '1..2', 'ok 2 - b'], ['a test after the final plan']],
    [
      'with a number that was run before',
      ['1..2', 'ok 1 - a', 'ok 1 - b'],
      ['test 1 instead of test 2', '2 tests planned, 1 run'],
    ],
    ['with a number that is left out', ['1..3', 'ok 1 - a', 'ok 3 - b'], ['test 3 instead of test 2']],
    ['without numbers', ['1..2', 'ok - a', 'ok - b'], []],
  ])('%s', (_what, lines, failures) => {
    expect(received('TAP version 13', ...lines)).toEqual(['a passed', 'b passed', ...failures]);
  });

  it.each(['1..0', '1..0 # SKIP not on this machine'])('of no tests is not a test: %s', (plan) => {
    expect(received('TAP version 13', plan)).toEqual(['no tests']);
  });
});

describe('a comment of the whole run', () => {
  const exited = 'Looks like your test exited with 255 just after 2.';
  const planned = 'Looks like you planned 3 tests but ran 2.';

  it.each<[string, readonly string[], readonly string[]]>([
    ['about an exit', [`# ${exited}`], [exited]],
    ['about two exits', [`# ${exited}`, '# Looks like your test died just after 1.'], [exited]],
    [
      'about an exit before the tests',
      ['# Looks like your test exited with 2 before it could output anything.'],
      ['Looks like your test exited with 2 before it could output anything.'],
    ],
    ['about a plan', [`# ${planned}`], [planned]],
    ['of Raku about a plan', ['# You planned 3 tests, but ran 2'], ['You planned 3 tests, but ran 2']],
    [
      'about a missing plan',
      ['# Tests were run but no plan was declared and done_testing() was not seen.'],
      ['Tests were run but no plan was declared and done_testing() was not seen.'],
    ],
    ['about a plan and an exit', [`# ${planned}`, `# ${exited}`], [planned, exited]],
    ['about failures', ['# Looks like you failed 1 test of 2.'], ['the report states 1 failures that no test has']],
    ['of Raku about failures', ['# You failed 2 tests of 2'], ['the report states 2 failures that no test has']],
    ['with a fraction', ['# FAILED 1/2'], ['the report states 1 failures that no test has']],
    ['with a fraction of tests', ['# Failed tests: 2 / 2'], ['the report states 2 failures that no test has']],
    ['with a fraction of none', ['# FAILED 0/2'], []],
    ['of a failed test', ["#   Failed test 'adds'", '#   at t/cart.t line 3.'], []],
    ['of a subtest', [`    # ${planned}`], []],
    ['that looks like another one', ['# Looks like you paid 2 times'], []],
  ])('%s', (_what, comments, failures) => {
    expect(received('TAP version 13', '1..2', 'ok 1 - a', 'ok 2 - b', ...comments)).toEqual([
      'a passed',
      'b passed',
      ...failures,
    ]);
  });

  it('adds no failure to a wrong plan or to a failed test', () => {
    const lines = ['1..3', 'not ok 1 - a', 'ok 2 - b', `# ${planned}`, '# Looks like you failed 1 test of 2 run.'];
    expect(received(...lines)).toEqual(['a failed', 'b passed', '3 tests planned, 2 run']);
  });

  it('about an exit adds a failure to a failed test, because the exit has another reason', () => {
    expect(received('1..2', 'not ok 1 - a', 'ok 2 - b', `# ${exited}`)).toEqual(['a failed', 'b passed', exited]);
  });
});

describe('a run that ends early', () => {
  it.each([
    ['Bail out!', 'bailed out: no reason given'],
    ['Bail out!  the warehouse is on fire', 'bailed out: the warehouse is on fire'],
    ['bail out! now', 'bailed out: now'],
    ['    Bail out! within', 'bailed out: within'],
  ])('%s', (line, failure) => {
    expect(received('TAP version 14', '1..3', 'ok 1 - adds', line, 'not ok 2 - is no more')).toEqual([
      'adds passed',
      failure,
    ]);
  });
});

describe('a subtest', () => {
  const inner = ['    # Subtest: deep down', '    ok 1 - rounds', '    1..1'];

  it.each([
    [
      'is named by the comment before it',
      ['# Subtest: cart', '    ok 1 - adds', '    1..1', 'ok 1 - cart', '1..1'],
      ['cart › adds passed'],
    ],
    [
      'is named by its test point otherwise',
      ['    ok 1 - adds', '    1..1', 'ok 1 - cart', '1..1'],
      ['subtest 1 › adds passed'],
    ],
    [
      'has subtests',
      [
        '# Subtest: cart',
        '    # Subtest: deep',
        '        ok 1 - adds',
        '        1..1',
        '    ok 1 - deep',
        '    1..1',
        'ok 1 - cart',
        '1..1',
      ],
      ['cart › deep › adds passed'],
    ],
    [
      'counts only by its tests',
      ['# Subtest: cart', '    not ok 1 - adds', '    1..1', 'not ok 1 - cart', '1..1'],
      ['cart › adds failed'],
    ],
    [
      'counts if none of its tests failed',
      ['# Subtest: cart', '    ok 1 - adds', '    1..1', 'not ok 1 - cart', '1..1'],
      ['cart › adds passed', 'cart failed'],
    ],
    ['counts if it has no tests', ['# Subtest: cart', '    1..0', 'ok 1 - cart # SKIP', '1..1'], ['cart skipped']],
    [
      'fails by its tests, though it is marked as skipped',
      ['# Subtest: cart', '    not ok 1 - adds', '    1..1', 'not ok 1 - cart # SKIP', '1..1'],
      ['cart › adds failed'],
    ],
    [
      'fails although its only failed test was skipped, as in the output of node:test',
      ['# Subtest: cart', '    not ok 1 - adds # SKIP', '    1..1', 'not ok 1 - cart', '1..1'],
      ['cart › adds skipped', 'cart failed'],
    ],
    [
      'fails by its tests, though it is marked as ok',
      ['# Subtest: cart', '    not ok 1 - adds', '    1..1', 'ok 1 - cart', '1..1'],
      ['cart › adds failed'],
    ],
    [
      'has a plan of its own',
      ['# Subtest: cart', '    ok 1 - adds', '    1..2', 'ok 1 - cart', '1..1'],
      ['cart › adds passed', 'cart: 2 tests planned, 1 run'],
    ],
    [
      'needs a plan',
      ['# Subtest: cart', '    ok 1 - adds', 'ok 1 - cart', '1..1'],
      ['cart › adds passed', 'cart: the plan with the number of tests is missing'],
    ],
    [
      'needs a summary test point',
      ['1..0', '# Subtest: cart', '    ok 1 - adds', '    1..1'],
      ['cart › adds passed', 'a subtest has no summary test point'],
    ],
    [
      'is cut off',
      ['# Subtest: cart', '    ok 1 - adds'],
      [
        'cart › adds passed',
        'cart: the plan with the number of tests is missing',
        'a subtest has no summary test point',
        'the plan with the number of tests is missing',
      ],
    ],
    [
      'is announced for one test point only',
      ['# Subtest: adds', 'ok 1 - adds', '    ok 1 - rounds', '    1..1', 'ok 2 - b', '1..2'],
      ['adds passed', 'subtest 2 › rounds passed'],
    ],
    ['is in braces', ['ok 1 - cart {', ...inner.slice(1), '}', '1..1'], ['cart › rounds passed']],
    ['is in braces that are not closed', ['1..1', 'ok 1 - cart {', ...inner.slice(1)], ['cart › rounds passed']],
    ['is in empty braces', ['not ok 1 - cart {', '}', '1..1'], ['cart failed']],
  ])('%s', (_what, lines, expected) => {
    expect(received('TAP version 14', ...lines)).toEqual(expected);
  });

  it.each([
    'Bail out! no database',
    '  Bail out! no database',
    '\tBail out! no database',
    `${' '.repeat(12)}bail out! no database`,
  ])('ends the run at a bail out, at any depth: %j', (line) => {
    expect(received('TAP version 14', '1..1', 'ok 1 - adds', line)).toEqual(['adds passed', 'bailed out: no database']);
  });

  it('begins exactly four columns further in', () => {
    expect(received('TAP version 14', 'ok 1 - adds', '        ok 1 - is output', '1..1')).toEqual(['adds passed']);
  });
});

describe('YAML', () => {
  it('is not TAP, though it is similar', () => {
    const yaml = ['  ---', '  got: |', '    not ok 1 - never', 'not ok 2 - never', 'Bail out!', '  ...'];
    expect(received('TAP version 14', 'ok 1 - adds', ...yaml, '1..1')).toEqual(['adds passed']);
  });

  it('without an end is truncated, regardless of the following lines', () => {
    expect(received('TAP version 14', '1..1', 'ok 1 - adds', '  ---', '  got: 5', 'not ok 2 - pays')).toEqual([
      'adds passed',
      'a YAML block does not end: the report is truncated',
    ]);
  });

  it('belongs to a subtest by its columns', () => {
    const yaml = ['      ---', '  ...', '    not ok 2 - never', '      ...'];
    const lines = ['# Subtest: cart', '    ok 1 - adds', ...yaml, '    1..1', 'ok 1 - cart', '1..1'];
    expect(received('TAP version 14', ...lines)).toEqual(['cart › adds passed']);
  });

  it('must follow its test point directly, so a line of output hides nothing', () => {
    expect(received('TAP version 14', 'ok 1 - adds', '# hello', '  ---', 'not ok 2 - pays', '1..2')).toEqual([
      'adds passed',
      'pays failed',
    ]);
  });
});

describe('a file', () => {
  it.each([
    ['TAP 14', ['TAP version 14', 'ok 1'], true],
    ['TAP after the output of npm', ['', '> shop@1.0.0 test', '> tape test', '', 'TAP version 13', 'ok 1'], true],
    ['TAP 12 that begins with its plan', ['1..1', 'ok 1'], true],
    ['TAP 12 that ends with its plan', ['# adds', 'not ok 1 - adds', '1..1'], true],
    ['TAP 12 without a plan', ['ok 1 - adds'], false],
    ['the output of go test', ['ok  \tshop/cart\t0.01s', 'ok  \tshop/till\t0.02s'], false],
    ['a log', ['starting', 'TAP version 13', '1..1', 'ok 1'], false],
    ['a list of versions', ['1..2 of 3', 'ok'], false],
    ['an LCOV tracefile', ['TN:', 'SF:a', 'end_of_record'], false],
  ])('of %s', (_what, lines, isOne) => {
    expect(tap.detect(textOf(...lines))).toBe(isOne);
  });

  it('may end a line with a single carriage return, which hides no test', () => {
    expect(received('1..1', 'ok 1 - adds\rnot ok 2 - loses')).toEqual([
      'adds passed',
      'loses failed',
      '1 tests planned, 2 run',
    ]);
  });

  it('reports that the run bailed out, whatever the reason contains', () => {
    expect(received('1..1', 'ok 1 - adds', 'Bail out! no\u2028cents')).toEqual([
      'adds passed',
      expect.stringContaining('bailed out: no'),
    ]);
  });

  it('may end its lines as Windows does', () => {
    expect(tap.detect(textOf('TAP version 13\r', '1..1\r'))).toBe(true);
    expect(received('TAP version 13\r', 'ok 1 - adds\r', '1..1\r')).toEqual(['adds passed']);
  });

  it('shows the failed tests with their subtests', () => {
    const lines = ['# Subtest: cart', '    not ok 1 - adds', '    1..1', 'not ok 1 - cart', 'not ok 2 - pays', '1..2'];
    expect(read('TAP version 14', ...lines).details).toMatchObject([
      { title: 'adds', location: 'cart', message: '' },
      { title: 'pays', location: null, message: '' },
    ]);
  });
});
