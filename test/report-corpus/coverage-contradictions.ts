import type { Contradiction, Reading } from './contradiction.js';

/** Returns the text of the reading. */
const pick = (reading: Reading, good: string, bad: string): string => (reading === 'good' ? good : bad);

type Row = readonly [pair: string, write: Contradiction['write']];

const toContradictions = (format: string, rows: readonly Row[]): readonly Contradiction[] =>
  rows.map(([pair, write]) => ({ format, pair, write }));

/** Four lines, of which the last two are hit only if the reading is good. */
const lines = (reading: Reading, one: (number: number, hits: number) => string): string =>
  [1, 2, 3, 4].map((number) => one(number, number <= 2 || reading === 'good' ? 1 : 0)).join('');

/** Two listings of one line. The number of hits replaces the sign in the template. */
const sameLine = (template: string, ...readings: readonly Reading[]): string =>
  readings.map((reading) => template.replace('%', pick(reading, '1', '0'))).join('');

interface CoberturaParts {
  readonly root?: string;
  readonly package?: string;
  readonly class?: string;
  readonly hits?: Reading;
  readonly conditions?: string;
  readonly more?: string;
}

const cobertura = ({
  root = 'line-rate=""',
  hits = 'good',
  conditions = '',
  more = '',
  ...attributes
}: CoberturaParts): string =>
  `<coverage ${root}><packages><package name="p" ${attributes.package ?? ''}><classes>` +
  `<class name="c" filename="a.py" ${attributes.class ?? ''}><lines>` +
  lines(hits, (number, count) => `<line number="${number}" hits="${count}" ${number === 1 ? conditions : ''}/>`) +
  `${more}</lines></class></classes></package></packages></coverage>`;

const rate = (reading: Reading): string => `line-rate="${pick(reading, '1', '0.5')}"`;
const COBERTURA = toContradictions('cobertura', [
  ['line-rate of a class, and its lines', (first, hits) => cobertura({ class: rate(first), hits })],
  ['line-rate of a package, and its classes', (first, hits) => cobertura({ package: rate(first), hits })],
  ['line-rate of the report, and its classes', (first, hits) => cobertura({ root: rate(first), hits })],
  [
    'lines-covered, and the lines',
    (first, hits) => cobertura({ root: `line-rate="" lines-valid="4" lines-covered="${pick(first, '4', '2')}"`, hits }),
  ],
  [
    'lines-valid, and the lines',
    (first, hits) => cobertura({ root: `line-rate="" lines-covered="4" lines-valid="${pick(first, '4', '8')}"`, hits }),
  ],
  [
    'lines-covered, and lines-valid',
    (first, second) =>
      cobertura({
        root: `line-rate="" lines-covered="${pick(first, '4', '8')}" lines-valid="${pick(second, '4', '2')}"`,
      }),
  ],
  [
    'branches-covered, and the conditions',
    (first, second) =>
      cobertura({
        root: `line-rate="" branches-valid="2" branches-covered="${pick(first, '2', '1')}"`,
        conditions: `condition-coverage="${pick(second, '100% (2/2)', '50% (1/2)')}"`,
      }),
  ],
  [
    'a line, and the same line',
    (first, second) => cobertura({ more: sameLine('<line number="9" hits="%"/>', first, second) }),
  ],
  [
    'the percentage of a condition, and its counts',
    (first, second) =>
      cobertura({ conditions: `condition-coverage="${pick(first, '100', '25')}% (${pick(second, '4', '1')}/4)"` }),
  ],
]);

const counter = (reading: Reading, type = 'LINE'): string =>
  `<counter type="${type}" ${pick(reading, 'missed="0" covered="4"', 'missed="2" covered="2"')}/>`;

interface JacocoParts {
  readonly hits?: Reading;
  readonly source?: string;
  readonly package?: string;
  readonly group?: string;
  readonly report?: string;
}

const jacoco = ({
  hits = 'good',
  source = '',
  package: inPackage = '',
  group = '',
  report = '',
}: JacocoParts): string =>
  '<report name="r"><group name="g"><package name="p"><sourcefile name="A.java">' +
  lines(hits, (nr, hit) => `<line nr="${nr}" mi="${1 - hit}" ci="${hit}" mb="${1 - hit}" cb="${hit}"/>`) +
  `${source}</sourcefile>${inPackage}</package>${group}</group>${report}</report>`;

const JACOCO = toContradictions('jacoco', [
  ['LINE of a source file, and its lines', (first, hits) => jacoco({ source: counter(first), hits })],
  ['LINE of a package, and its source files', (first, hits) => jacoco({ package: counter(first), hits })],
  ['LINE of a group, and its packages', (first, hits) => jacoco({ group: counter(first), hits })],
  ['LINE of the report, and its packages', (first, hits) => jacoco({ report: counter(first), hits })],
  ['BRANCH of a source file, and its lines', (first, hits) => jacoco({ source: counter(first, 'BRANCH'), hits })],
  ['two LINE counters of one element', (first, second) => jacoco({ source: counter(first) + counter(second) })],
  [
    'a line, and the same line',
    (first, second) => jacoco({ source: sameLine('<line nr="9" mi="1" ci="%"/>', first, second) }),
  ],
]);

const lcov = (totals: string, hits: Reading = 'good', branch: Reading = 'good'): string =>
  `SF:a\n${lines(hits, (line, count) => `DA:${line},${count}\n`)}BRDA:1,0,0,${pick(branch, '1', '0')}\nBRDA:1,0,1,1\n${totals}end_of_record\n`;

const LCOV = toContradictions('lcov', [
  ['LH, and the lines', (first, hits) => lcov(`LF:4\nLH:${pick(first, '4', '2')}\n`, hits)],
  ['LF, and the lines', (first, hits) => lcov(`LH:4\nLF:${pick(first, '4', '8')}\n`, hits)],
  ['LH, and LF', (first, second) => lcov(`LH:${pick(first, '4', '8')}\nLF:${pick(second, '4', '2')}\n`)],
  [
    'two LH of one record',
    (first, second) => lcov(`LF:4\nLH:${pick(first, '4', '2')}\nLH:${pick(second, '4', '2')}\n`),
  ],
  ['a line, and the same line', (first, second) => lcov(sameLine('DA:9,%\n', first, second))],
  ['a branch, and the same branch', (first, second) => lcov(sameLine('BRDA:2,0,0,%\n', first, second))],
  ['BRH, and the branches', (first, branch) => lcov(`BRF:2\nBRH:${pick(first, '2', '1')}\n`, 'good', branch)],
]);

const metrics = (reading: Reading): string =>
  `<metrics ${pick(reading, 'statements="4" coveredstatements="4"', 'statements="8" coveredstatements="4"')}/>`;
const conditionals = (reading: Reading): string =>
  `<metrics conditionals="2" coveredconditionals="${pick(reading, '2', '1')}"/>`;

interface CloverParts {
  readonly project?: string;
  readonly package?: string;
  readonly file?: string;
  readonly hits?: Reading;
  readonly more?: string;
}

const clover = ({ project = '', package: inPackage = '', file = '', hits = 'good', more = '' }: CloverParts): string =>
  `<coverage generated="1"><project name="a">${project}<package name="p">${inPackage}<file name="a.js">${file}` +
  lines(hits, (number, count) => `<line num="${number}" count="${count}" type="stmt"/>`) +
  `${more}</file></package></project></coverage>`;

const CLOVER = toContradictions('clover', [
  ['statements of a file, and its lines', (first, hits) => clover({ file: metrics(first), hits })],
  ['statements of a package, and its files', (first, hits) => clover({ package: metrics(first), hits })],
  ['statements of a project, and its files', (first, hits) => clover({ project: metrics(first), hits })],
  [
    'coveredstatements, and statements',
    (first, second) =>
      clover({
        file: `<metrics coveredstatements="${pick(first, '4', '8')}" statements="${pick(second, '4', '2')}"/>`,
      }),
  ],
  [
    'a line, and the same line',
    (first, second) => clover({ more: sameLine('<line num="9" count="%" type="stmt"/>', first, second) }),
  ],
  [
    'conditionals of a project, and its files',
    (first, second) => clover({ project: conditionals(first), file: conditionals(second) }),
  ],
]);

const block = (reading: Reading): string => `a.go:1.1,2.2 ${pick(reading, '1 1', '2 0')}\n`;

/** Contradictions in reports of coverage. */
export const COVERAGE_CONTRADICTIONS: readonly Contradiction[] = [
  ...COBERTURA,
  ...JACOCO,
  ...LCOV,
  ...CLOVER,
  {
    format: 'go-cover',
    pair: 'a block, and the same block',
    write: (first, second) => `mode: set\n${block(first)}${block(second)}`,
  },
];
