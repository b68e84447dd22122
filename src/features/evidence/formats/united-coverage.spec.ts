import { describe, expect, it } from '@jest/globals';
import { parseReport } from './formats.js';
import type { ReportCoverage } from './report-format.js';
import { uniteReports } from './united-coverage.js';

function read(content: string): ReportCoverage {
  const report = parseReport({ filename: 'report', content: [new TextEncoder().encode(content)] });
  if (!('coverage' in report) || report.coverage === undefined) throw new Error('no coverage');
  return report.coverage;
}

const linesOf = (...reports: readonly string[]): unknown => {
  const { lines } = uniteReports(reports.map(read)).metrics;
  return lines && [lines.covered, lines.total];
};

const DIGITS = { first: '1100', second: '0011' } as const;
type Half = keyof typeof DIGITS;
const each = (half: Half, one: (line: number, hits: string) => string): string =>
  Array.from({ length: 4 }, (_, at) => one(at + 1, DIGITS[half].charAt(at))).join('');

const lcov = (half: Half, path = 'a'): string =>
  `SF:${path}\n${each(half, (line, hits) => `DA:${line},${hits}\n`)}end_of_record\n`;
const cobertura = (half: Half, root = '/w', inPackage = 'p'): string =>
  `<coverage line-rate=""><sources><source>${root}</source></sources><packages><package name="${inPackage}"><classes>` +
  `<class filename="a"><lines>${each(half, (line, hits) => `<line number="${line}" hits="${hits}"/>`)}</lines></class>` +
  '</classes></package></packages></coverage>';
const jacoco = (half: Half, name = 'r', group = 'g'): string =>
  `<report name="${name}"><group name="${group}"><package name="p"><sourcefile name="A">` +
  `${each(half, (line, hits) => `<line nr="${line}" mi="${1 - Number(hits)}" ci="${hits}"/>`)}</sourcefile></package></group></report>`;
const clover = (half: Half, inPackage = 'p', project = 'all'): string =>
  `<coverage generated="1"><project name="${project}"><package name="${inPackage}"><file name="a" path="/w/a">` +
  `${each(half, (line, hits) => `<line num="${line}" type="stmt" count="${hits}"/>`)}</file></package></project></coverage>`;
const goCover = (half: Half, path = 'm/a.go'): string =>
  `mode: set\n${each(half, (line, hits) => `${path}:${line}.1,${line}.9 1 ${hits}\n`)}`;

describe('several reports of one upload', () => {
  it.each([
    ['LCOV', lcov('first'), lcov('second')],
    ['Cobertura', cobertura('first'), cobertura('second')],
    ['JaCoCo', jacoco('first'), jacoco('second')],
    ['Clover', clover('first'), clover('second')],
    ['Go', goCover('first'), goCover('second')],
  ])('count a file of %s once, with the hits of all', (_name, first, second) => {
    expect(linesOf(first, second)).toEqual([4, 4]);
  });

  it.each([
    ['path in LCOV', lcov('first'), lcov('second', 'b')],
    ['source root in Cobertura', cobertura('first'), cobertura('second', '/v')],
    ['package in Cobertura', cobertura('first'), cobertura('second', '/w', 'q')],
    ['name of the report in JaCoCo', jacoco('first'), jacoco('second', 's')],
    ['group in JaCoCo', jacoco('first'), jacoco('second', 'r', 'h')],
    ['package in Clover', clover('first'), clover('second', 'q')],
    ['project in Clover', clover('first'), clover('second', 'p', 'other')],
    ['path in Go', goCover('first'), goCover('second', 'm/b.go')],
    ['format', lcov('first'), goCover('second', 'a')],
  ])('have two files if another %s names them', (_name, first, second) => {
    expect(linesOf(first, second)).toEqual([4, 8]);
  });

  it('add the lower totals of a file to the others', () => {
    expect(linesOf(lcov('first'), lcov('second').replace('end', 'LF:8\nLH:1\nend'))).toEqual([3, 12]);
  });

  it('add the lower totals of a report to the others', () => {
    const lower = cobertura('second').replace('line-rate=""', 'line-rate="" lines-valid="10" lines-covered="1"');
    expect(linesOf(cobertura('first'), lower)).toEqual([3, 14]);
  });

  it('state no lines if one of them has none', () => {
    expect(uniteReports([read(lcov('first')), read('TN:\n')])).toMatchObject({
      metrics: { line_percent: null },
      lines: null,
    });
  });
});
