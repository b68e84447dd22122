import { describe, expect, it } from '@jest/globals';
import { expectedMutationResult } from '../../../../test/report-corpus/expected-mutation-result.js';

type Outcome = 'read' | 'refused';

const MILLION = 1_000_000;
/** The number of repetitions of a slow part. A parser that needs quadratic time would not end. */
const MANY = 200_000;

const FLOODS: readonly (readonly [string, string, Outcome])[] = [
  ['nested suites', '<testsuite>'.repeat(MILLION), 'refused'],
  ['nested elements', `<testsuite><testcase>${'<a>'.repeat(MILLION)}`, 'refused'],
  ['sibling cases', `<testsuite>${'<testcase/>'.repeat(100_000)}</testsuite>`, 'read'],
  ['failing cases', `<testsuite>${'<testcase><failure>no</failure></testcase>'.repeat(100_000)}</testsuite>`, 'read'],
  ['unclosed tags', `<testsuite>${'<testcase'.repeat(MILLION)}`, 'refused'],
  ['attributes', `<testsuite ${Array.from({ length: 100_000 }, (_, n) => `a${n}=""`).join(' ')}/>`, 'refused'],
  ['one attribute', `<testsuite name="${'n'.repeat(MILLION)}`, 'refused'],
  ['references in an attribute', `<testsuite name="${'&lt;'.repeat(MANY)}"/>`, 'read'],
  [
    'references in text',
    `<testsuite><testcase><failure>${'&amp;'.repeat(MANY)}</failure></testcase></testsuite>`,
    'read',
  ],
  ['one reference', `<testsuite>&${'a'.repeat(MILLION)};</testsuite>`, 'refused'],
  ['a digit-only reference', `<testsuite>&#${'9'.repeat(MILLION)};</testsuite>`, 'refused'],
  [
    'output',
    `<testsuite><testcase><system-out><![CDATA[${'line\n'.repeat(MANY)}]]></system-out></testcase></testsuite>`,
    'read',
  ],
  ['brackets in text', `<testsuite>${']'.repeat(MILLION)}</testsuite>`, 'read'],
  ['an unclosed comment', `<!--${'-'.repeat(MILLION)}`, 'refused'],
  ['comments', `${'<!---->'.repeat(MANY)}<testsuite/>`, 'read'],
  ['an unclosed instruction', `<?${'x '.repeat(MILLION)}`, 'refused'],
  ['an unclosed DOCTYPE', `<!DOCTYPE testsuite ${'"a" '.repeat(MILLION)}`, 'refused'],
  ['DOCTYPEs', `${'<!DOCTYPE a>'.repeat(100_000)}<testsuite/>`, 'refused'],
  ['an unclosed subset', `<!DOCTYPE testsuite [${'<!ENTITY a "b">'.repeat(100_000)}`, 'refused'],
  [
    'a billion laughs',
    `<!DOCTYPE testsuite [<!ENTITY a "ha">${'<!ENTITY b "&a;&a;">'.repeat(1_000)}]><testsuite>&b;</testsuite>`,
    'refused',
  ],
  ['one element name', `<${'a'.repeat(MILLION)}`, 'refused'],
  ['a long prefix', `<${'a.'.repeat(MILLION)}:testsuite/>`, 'read'],
  ['space', ' \n'.repeat(MANY), 'refused'],
  ['space before a suite', `${'\n'.repeat(MILLION)}<testsuite/>`, 'read'],
  ['comment lines', '#\n'.repeat(MANY), 'refused'],
  ['empty records', 'SF:a\nend_of_record\n'.repeat(100_000), 'read'],
  ['records that disagree', 'SF:a\nLF:7\nend_of_record\n'.repeat(100_000), 'read'],
  ['lines', `SF:a\n${Array.from({ length: 100_000 }, (_, n) => `DA:${n},1`).join('\n')}\nend_of_record`, 'read'],
  ['one line', `SF:${'a'.repeat(MILLION)}`, 'refused'],
  ['digits', `SF:a\nDA:1,${'9'.repeat(MILLION)}`, 'refused'],
  ['commas', `SF:a\nBRDA:${','.repeat(MILLION)}`, 'refused'],
  ['nested arrays', `{"version":"2.1.0","runs":${'['.repeat(MILLION)}`, 'refused'],
  ['nested objects', `{"version":"2.1.0","runs":${'{"a":'.repeat(MILLION)}`, 'refused'],
  [
    'keys',
    `{"version":"2.1.0","runs":[],${Array.from({ length: 100_000 }, (_, n) => `"k${n}":0`).join(',')}}`,
    'refused',
  ],
  ['an unclosed string', `{"version":"2.1.0","runs":"${'\\"'.repeat(MILLION)}`, 'refused'],
  ['a long number', `{"version":"2.1.0","runs":${'9'.repeat(MILLION)}}`, 'refused'],
  [
    'results',
    `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"S"}},"results":[${'{},'.repeat(100_000)}{}]}]}`,
    'read',
  ],
  [
    'runs',
    `{"version":"2.1.0","runs":[${'{"tool":{"driver":{"name":"S"}},"results":null},'.repeat(50_000)}1]}`,
    'refused',
  ],
];

const EVENT = '{"Action":"run","Package":"p","Test":';

const FLOODS_OF_TESTS: readonly (readonly [string, string, Outcome])[] = [
  [
    'tests',
    `{"reportFormat":"CTRF","results":{"tests":[${'{"name":"a","status":"passed"},'.repeat(100_000)}1]}}`,
    'refused',
  ],
  [
    'suites of one test',
    `{"results":{"tests":[{"name":"a","status":"passed","suite":[${'"s",'.repeat(MANY)}"t"]}]}}`,
    'read',
  ],
  ['values', `{"results":{"tests":[${'{},'.repeat(MILLION)}{}]}}`, 'refused'],
  [
    'empty files',
    `{"numTotalTests":0,"testResults":[${'{"name":"a","assertionResults":[]},'.repeat(100_000)}1]}`,
    'refused',
  ],
  [
    'nested suites of Playwright',
    `{"config":{},"errors":[],"suites":${'[{"title":"a","suites":'.repeat(MILLION)}`,
    'refused',
  ],
  ['errors beside the tests', `{"config":{},"suites":[],"errors":[${'{},'.repeat(MANY)}{}]}`, 'read'],
  ['tests that never end', Array.from({ length: 100_000 }, (_, n) => `${EVENT}"T${n}"}`).join('\n'), 'read'],
  ['nested tests', Array.from({ length: 2_000 }, (_, n) => `${EVENT}"T${'/a'.repeat(n)}"}`).join('\n'), 'read'],
  ['slashes', `${EVENT}"T${'/'.repeat(MILLION)}"}\n${EVENT}"T${'/'.repeat(MILLION)}"}`, 'read'],
  ['packages', Array.from({ length: 100_000 }, (_, n) => `{"Action":"start","Package":"p${n}"}`).join('\n'), 'read'],
  [
    'builds',
    Array.from({ length: 100_000 }, (_, n) => `{"Action":"build-fail","ImportPath":"p${n}"}`).join('\n'),
    'read',
  ],
  ['packages that do not build', 'FAIL\tp [build failed]\n'.repeat(100_000), 'read'],
  ['a package with a long name', `FAIL\t${'p'.repeat(MILLION)}`, 'refused'],
  ['blank lines', `${EVENT}"T"}${'\n'.repeat(MILLION)}`, 'read'],
  ['values in an event', `${EVENT}"T","x":[${'{},'.repeat(MILLION)}{}]}`, 'refused'],
  ['test points', `TAP version 14\n${'ok\n'.repeat(MANY)}`, 'read'],
  ['plans', '1..1\n'.repeat(MANY), 'read'],
  [
    'nested blocks',
    `TAP version 14\n${Array.from({ length: 1_500 }, (_, n) => `${' '.repeat(4 * n)}ok`).join('\n')}`,
    'read',
  ],
  ['a deep block', `TAP version 14\n${' '.repeat(MILLION)}ok`, 'read'],
  ['braces', `TAP version 14\n${'ok a {\n'.repeat(MANY)}`, 'read'],
  ['hashes', `TAP version 14\nok ${'#'.repeat(MILLION)}`, 'read'],
  ['backslashes', `TAP version 14\nok ${'\\'.repeat(MILLION)}`, 'read'],
  ['YAML', `TAP version 14\nok\n  ---\n${'  a\n'.repeat(MANY)}`, 'read'],
  ['npm', '> a\n'.repeat(MANY), 'refused'],
];

describe('a flood', () => {
  it.each([...FLOODS, ...FLOODS_OF_TESTS])('of %s ends soon', (_name, text, expected) => {
    const begun = process.hrtime.bigint();
    expect(expectedMutationResult(text) === 'refused' ? 'refused' : 'read').toBe(expected);
    // Much longer than linear time on a busy machine, and much shorter than any other time.
    expect(Number(process.hrtime.bigint() - begun) / 1e6).toBeLessThan(30_000);
  });
});
