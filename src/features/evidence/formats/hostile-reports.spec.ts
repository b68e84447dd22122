import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { parseReport } from './formats.js';
import { ReportError } from './report-error.js';

const FIXTURES = new URL('../../../../test/fixtures/reports/', import.meta.url);
const PATHS = ['junit', 'lcov', 'sarif', 'html'].flatMap((folder) =>
  readdirSync(new URL(folder, FIXTURES)).map((name) => `${folder}/${name}`),
);
const SEED = 20_261_121;

/** Mulberry32: the same mutations on every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Outcome = 'read' | 'refused';

/** Reads a report; fails the test where it neither reads soundly nor is refused with file, line and cause. */
function outcomeOf(content: Uint8Array | string): Outcome {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  try {
    const report = parseReport({ filename: 'hostile', content: bytes });
    if ('metrics' in report) expectSound(report.metrics);
    return 'read';
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    expect(error.message).toMatch(/^hostile:[1-9]\d*(?::[1-9]\d*)?: [^]+/);
    return 'refused';
  }
}

/** Every number is a finite count or a share, and the parts of tests add up. */
function expectSound(metrics: unknown): void {
  JSON.stringify(metrics, (key, value: unknown) => {
    if (typeof value === 'number' && !(Number.isFinite(value) && value >= 0)) throw new Error(`${key} is ${value}`);
    return value;
  });
  const { unit_tests: tests, coverage } = metrics as {
    unit_tests?: { total: number; passed: number; failed: number; skipped: number };
    coverage?: { line_percent: number | null; lines?: { covered: number; total: number } };
  };
  if (tests) expect(tests.passed + tests.failed + tests.skipped).toBe(tests.total);
  if (coverage) expect(coverage.line_percent ?? 0).toBeLessThanOrEqual(100);
}

describe.each(PATHS)('%s, damaged', (path) => {
  const bytes = readFileSync(new URL(path, FIXTURES));
  const text = bytes.toString('utf8');
  const next = random(SEED);

  it('is refused where it was cut, unless nothing of weight is missing', () => {
    const whole = text.trimEnd().replace(/(?:\s*<!--[^]*?-->)+$/, '');
    for (let place = 0; place < 50; place += 1) {
      const cut = text.slice(0, Math.floor((whole.length * place) / 50));
      const completeLcov = path.startsWith('lcov/') && /end_of_record\s*(?:TN:\w*)?$/.test(cut);
      const outcome = outcomeOf(cut);
      if (path.startsWith('html/') || completeLcov || /^(?:\s|#.*|TN:.*)*$/.test(cut)) continue;
      expect([cut.slice(-40), outcome]).toEqual([cut.slice(-40), 'refused']);
    }
  });

  it('reads or is refused when bytes change', () => {
    for (let round = 0; round < 200; round += 1) {
      const damaged = Buffer.from(bytes);
      for (let change = 0; change <= next(4); change += 1) damaged[next(damaged.length)] = next(256);
      outcomeOf(damaged);
    }
  });

  it('reads or is refused when pieces swap places', () => {
    for (let round = 0; round < 100; round += 1) {
      const [a = 0, b = 0, c = 0] = [next(text.length), next(text.length), next(text.length)].sort((x, y) => x - y);
      outcomeOf(text.slice(0, a) + text.slice(b, c) + text.slice(a, b) + text.slice(c));
    }
  });

  it('reads or is refused when tags, keys and numbers change', () => {
    const replacements = [
      '1e999',
      '-1',
      '99999999999999999999',
      '&xxe;',
      '<![CDATA[',
      ']]>',
      '<!--',
      '"',
      '{',
      '\u0000',
      '\ud800',
    ];
    for (const token of ['testcase', 'failure', 'DA', 'LF', 'level', 'results', 'name', '0', '1', '"', '>']) {
      for (const replacement of replacements) outcomeOf(text.replaceAll(token, replacement));
    }
  });
});

const MILLION = 1_000_000;

const FLOODS: readonly (readonly [string, string, Outcome])[] = [
  ['nested suites', '<testsuite>'.repeat(MILLION), 'refused'],
  ['nested elements', `<testsuite><testcase>${'<a>'.repeat(MILLION)}`, 'refused'],
  ['sibling cases', `<testsuite>${'<testcase/>'.repeat(500_000)}</testsuite>`, 'read'],
  ['failing cases', `<testsuite>${'<testcase><failure>no</failure></testcase>'.repeat(100_000)}</testsuite>`, 'read'],
  ['unclosed tags', `<testsuite>${'<testcase'.repeat(MILLION)}`, 'refused'],
  ['attributes', `<testsuite ${Array.from({ length: 300_000 }, (_, n) => `a${n}=""`).join(' ')}/>`, 'refused'],
  ['one attribute', `<testsuite name="${'n'.repeat(5 * MILLION)}`, 'refused'],
  ['references in an attribute', `<testsuite name="${'&lt;'.repeat(MILLION)}"/>`, 'read'],
  [
    'references in text',
    `<testsuite><testcase><failure>${'&amp;'.repeat(MILLION)}</failure></testcase></testsuite>`,
    'read',
  ],
  ['one reference', `<testsuite>&${'a'.repeat(5 * MILLION)};</testsuite>`, 'refused'],
  ['a digit-only reference', `<testsuite>&#${'9'.repeat(5 * MILLION)};</testsuite>`, 'refused'],
  [
    'output',
    `<testsuite><testcase><system-out><![CDATA[${'line\n'.repeat(MILLION)}]]></system-out></testcase></testsuite>`,
    'read',
  ],
  ['brackets in text', `<testsuite>${']'.repeat(5 * MILLION)}</testsuite>`, 'read'],
  ['an unclosed comment', `<!--${'-'.repeat(5 * MILLION)}`, 'refused'],
  ['comments', `${'<!---->'.repeat(MILLION)}<testsuite/>`, 'read'],
  ['an unclosed instruction', `<?${'x '.repeat(2 * MILLION)}`, 'refused'],
  ['an unclosed DOCTYPE', `<!DOCTYPE testsuite ${'"a" '.repeat(MILLION)}`, 'refused'],
  ['DOCTYPEs', `${'<!DOCTYPE a>'.repeat(400_000)}<testsuite/>`, 'refused'],
  ['an unclosed subset', `<!DOCTYPE testsuite [${'<!ENTITY a "b">'.repeat(300_000)}`, 'refused'],
  [
    'a billion laughs',
    `<!DOCTYPE testsuite [<!ENTITY a "ha">${'<!ENTITY b "&a;&a;">'.repeat(1_000)}]><testsuite>&b;</testsuite>`,
    'refused',
  ],
  ['one element name', `<${'a'.repeat(5 * MILLION)}`, 'refused'],
  ['a long prefix', `<${'a.'.repeat(2 * MILLION)}:testsuite/>`, 'read'],
  ['space', ' \n'.repeat(2 * MILLION), 'refused'],
  ['space before a suite', `${'\n'.repeat(5 * MILLION)}<testsuite/>`, 'read'],
  ['comment lines', '#\n'.repeat(2 * MILLION), 'refused'],
  ['empty records', 'SF:a\nend_of_record\n'.repeat(200_000), 'read'],
  ['records that disagree', 'SF:a\nLF:7\nend_of_record\n'.repeat(150_000), 'read'],
  ['lines', `SF:a\n${Array.from({ length: 500_000 }, (_, n) => `DA:${n},1`).join('\n')}\nend_of_record`, 'read'],
  ['one line', `SF:${'a'.repeat(5 * MILLION)}`, 'refused'],
  ['digits', `SF:a\nDA:1,${'9'.repeat(5 * MILLION)}`, 'refused'],
  ['commas', `SF:a\nBRDA:${','.repeat(5 * MILLION)}`, 'refused'],
  ['nested arrays', `{"version":"2.1.0","runs":${'['.repeat(5 * MILLION)}`, 'refused'],
  ['nested objects', `{"version":"2.1.0","runs":${'{"a":'.repeat(MILLION)}`, 'refused'],
  [
    'keys',
    `{"version":"2.1.0","runs":[],${Array.from({ length: 300_000 }, (_, n) => `"k${n}":0`).join(',')}}`,
    'refused',
  ],
  ['an unclosed string', `{"version":"2.1.0","runs":"${'\\"'.repeat(2 * MILLION)}`, 'refused'],
  ['a long number', `{"version":"2.1.0","runs":${'9'.repeat(5 * MILLION)}}`, 'refused'],
  [
    'results',
    `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"S"}},"results":[${'{},'.repeat(300_000)}{}]}]}`,
    'read',
  ],
  [
    'runs',
    `{"version":"2.1.0","runs":[${'{"tool":{"driver":{"name":"S"}},"results":null},'.repeat(50_000)}1]}`,
    'refused',
  ],
];

describe('a flood', () => {
  it.each(FLOODS)('of %s ends soon', (_name, text, expected) => {
    const begun = process.hrtime.bigint();
    expect(outcomeOf(text)).toBe(expected);
    expect(Number(process.hrtime.bigint() - begun) / 1e6).toBeLessThan(5_000);
  });
});
