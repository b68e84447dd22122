import { describe, expect, it } from '@jest/globals';
import { cobertura } from './cobertura.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';

const textOf = (xml: string): ReportText => ReportText.decode('coverage.xml', new TextEncoder().encode(xml));

const document = (classes: string, root = ''): string =>
  `<coverage line-rate="1" ${root}><packages><package name="p"><classes>${classes}</classes></package></packages></coverage>`;

const read = (classes: string, root?: string): ParsedContent =>
  cobertura.read(textOf(document(classes, root)), REPORT_LIMITS);

const file = (lines: string, filename = 'a.py', methods = ''): string =>
  `<class name="c" filename="${filename}"><methods>${methods}</methods><lines>${lines}</lines></class>`;

const method = (lines: string): string => `<method name="m" signature="()V"><lines>${lines}</lines></method>`;

const line = (number: number, hits: number, conditions?: string): string =>
  `<line number="${number}" hits="${hits}"${conditions === undefined ? '' : ` branch="true" condition-coverage="${conditions}"`}/>`;

describe('Cobertura', () => {
  it.each([
    ['<coverage line-rate="0.5"/>', true],
    [
      '<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">\n<coverage line-rate="1">',
      true,
    ],
    ['<coverage generated="1700000000" clover="3.2.0"/>', false],
    ['<coverage version="1"><file path="a"/></coverage>', false],
    ['<report line-rate="1"/>', false],
  ])('is detected by its root: %s', (xml, expected) => {
    expect(cobertura.detect(textOf(xml))).toBe(expected);
  });

  it('counts lines and conditions', () => {
    expect(read(file(line(1, 1) + line(2, 0) + line(3, 7, '75% (3/4)')) + file(line(1, 0), 'b.py')).measure).toEqual({
      of: 'coverage',
      value: {
        line_percent: 50,
        branch_percent: 75,
        lines: { covered: 2, total: 4 },
        branches: { covered: 3, total: 4 },
      },
    });
  });

  it('adds up the lines of one file from several classes and packages', () => {
    const twice = file(line(1, 0) + line(2, 1, '50% (1/2)')) + file(line(1, 3) + line(2, 0, '0% (0/2)'));
    expect(read(`${twice}${file(line(9, 0), 'a\\b.py')}${file(line(9, 1), 'a/b.py')}`).measure).toMatchObject({
      value: { lines: { covered: 3, total: 3 }, branches: { covered: 1, total: 2 } },
    });
  });

  it('reads the lines of methods only if a class has none', () => {
    expect(read(file(line(1, 1), 'a.js', method(line(7, 0)))).measure).toMatchObject({
      value: { lines: { covered: 1, total: 1 } },
    });
    expect(read(file('', 'a.cs', method(line(7, 0) + line(8, 1)))).measure).toMatchObject({
      value: { lines: { covered: 1, total: 2 } },
    });
  });

  it('ignores rates and totals, and notes a difference', () => {
    const totals = 'lines-valid="4" lines-covered="4" branches-valid="0" branches-covered="0"';
    expect(read(file(line(1, 0)), totals)).toMatchObject({
      measure: { value: { line_percent: 0 } },
      notes: ['4 of 4 lines stated, 0 of 1 counted'],
    });
  });

  it('is no coverage without lines, though coverage.py states a rate of 1 then', () => {
    expect(read(file(''), 'lines-valid="0" lines-covered="0"')).toMatchObject({
      failures: ['no lines'],
      measure: { value: { line_percent: null } },
      notes: [],
    });
  });

  it('has no branches if a line has no branch counts', () => {
    expect(
      read(file('<line number="1" hits="1" branch="true"/><line number="2" hits="1" condition-coverage="100%"/>')),
    ).toMatchObject({ measure: { value: { branch_percent: null } } });
  });

  it.each([
    [file('<line number="1"/>'), 'hits is missing'],
    [file('<line hits="1"/>'), 'number is missing'],
    [file('<line number="1" hits="-1"/>'), 'hits: a count is expected'],
    [file('<line number="1" hits="1e999"/>'), 'hits: a count is expected'],
    [file('<line number="1" hits="9007199254740993"/>'), 'hits: a count beyond 2^53'],
    [file(line(1, 1, '200% (2/1)')), 'condition-coverage: the covered count exceeds the total'],
    [file(line(1, 1, '0% (1/99999999999999999999)')), 'condition-coverage: a count beyond 2^53'],
    ['<class name="c"><lines/></class>', 'a class without a filename'],
    [`<class name="c" filename="a">${file('')}</class>`, 'a class inside a class'],
    [line(1, 1), 'a line outside of a class'],
  ])('rejects %s', (classes, reason) => {
    expect(() => read(classes)).toThrow(reason);
  });

  it('rejects totals that are not counts', () => {
    expect(() => read('', 'lines-valid="many" lines-covered="0"')).toThrow('coverage.xml:1:');
  });

  it('skips a DOCTYPE, and rejects an internal subset', () => {
    const doctype = '<!DOCTYPE coverage SYSTEM "http://localhost/coverage-04.dtd">';
    expect(cobertura.read(textOf(doctype + document(file(line(1, 1)))), REPORT_LIMITS).failures).toEqual([]);
    const subset = '<!DOCTYPE coverage [<!ENTITY a "1">]>';
    expect(() => cobertura.read(textOf(subset + document(file(line(1, 1)))), REPORT_LIMITS)).toThrow('internal DTD');
  });

  it('rejects a truncated report', () => {
    expect(() => cobertura.read(textOf(document(file(line(1, 1))).slice(0, -12)), REPORT_LIMITS)).toThrow(
      'not well-formed',
    );
  });
});
