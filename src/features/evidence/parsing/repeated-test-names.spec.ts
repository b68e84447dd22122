import { describe, expect, it } from '@jest/globals';
import { toBlocks } from '../../../http/body/byte-blocks.js';
import { getTestMetrics } from '../../../domain/evidence/evidence-status.js';
import { parseFiles } from './report-parsing.js';

type Outcome = 'passed' | 'failed' | 'skipped';
type Tests = Readonly<Record<string, Outcome>>;

const ELEMENTS: Readonly<Record<Outcome, string>> = { passed: '', failed: '<failure/>', skipped: '<skipped/>' };
const junit = (tests: Tests): string =>
  `<testsuite>${Object.entries(tests)
    .map(([name, outcome]) => `<testcase name="${name}">${ELEMENTS[outcome]}</testcase>`)
    .join('')}</testsuite>`;
const playwright = JSON.stringify({
  config: {},
  errors: [],
  suites: [
    {
      title: '',
      specs: [
        { title: 'a', tests: [{ status: 'expected', expectedStatus: 'passed', results: [{ status: 'passed' }] }] },
      ],
    },
  ],
});

function namesIn(...contents: readonly string[]): readonly (readonly [names: readonly string[], unnamed: number])[] {
  const files = contents.map((content, at) => ({ filename: `${at}`, content: toBlocks(Buffer.from(content)) }));
  const parsed = parseFiles({ files, kind: undefined });
  if ('rejected' in parsed) throw new Error(parsed.rejected);
  return parsed.files.map(({ failedTests, report }) => {
    const tests = 'kind' in report ? getTestMetrics(report) : undefined;
    return [failedTests.map(({ name }) => name), (tests?.failed ?? 0) - failedTests.length];
  });
}

describe('the failed tests of the files of an upload', () => {
  it.each<[string, readonly string[], ReturnType<typeof namesIn>]>([
    ['keep their names in one file', [junit({ a: 'failed', b: 'failed' })], [[['a', 'b'], 0]]],
    [
      'keep names that no other file has',
      [junit({ a: 'failed' }), junit({ b: 'failed' })],
      [
        [['a'], 0],
        [['b'], 0],
      ],
    ],
    [
      'lose a name that fails in two files',
      [junit({ a: 'failed', c: 'failed' }), junit({ a: 'failed' })],
      [
        [['c'], 1],
        [[], 1],
      ],
    ],
    [
      'lose a name that passes in another file',
      [junit({ a: 'failed' }), junit({ a: 'passed' })],
      [
        [[], 1],
        [[], 0],
      ],
    ],
    [
      'lose a name that is skipped in another file',
      [junit({ a: 'skipped' }), junit({ a: 'failed' })],
      [
        [[], 0],
        [[], 1],
      ],
    ],
    [
      'keep a name that a file of another kind has',
      [junit({ a: 'failed' }), playwright],
      [
        [['a'], 0],
        [[], 0],
      ],
    ],
    [
      'keep their names beside a page',
      [junit({ a: 'failed' }), '<html></html>'],
      [
        [['a'], 0],
        [[], 0],
      ],
    ],
  ])('%s', (_what, contents, expected) => {
    expect(namesIn(...contents)).toEqual(expected);
  });

  it('lose their names beside a file that does not list all of its tests, which may have any name', () => {
    const tests = Array.from({ length: 250_001 }, (_, n) => [`t${n}`, 'passed'] as const);
    const incomplete = junit({ ...Object.fromEntries(tests), z: 'failed', t1: 'failed' });
    expect(namesIn(junit({ a: 'failed' }), incomplete)).toEqual([
      [[], 1],
      [['t1'], 1],
    ]);
  });
});
