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

  it('unites classes of one file with the same lines, with any separator in its name', () => {
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

  it.each<[string, string, readonly [number, number]]>([
    ['another line', file(line(1, 1)) + file(line(1, 0) + line(2, 0)), [1, 3]],
    ['other lines, as inner classes have', file(line(1, 1) + line(2, 1)) + file(line(7, 0)), [2, 3]],
    ['another method', file(line(1, 1), 'a.py', method('')) + file(line(1, 0)), [1, 2]],
  ])('has two files for classes of one file, of which one has %s', (_name, classes, [covered, total]) => {
    expect(read(classes).measure).toMatchObject({ value: { lines: { covered, total } } });
  });

  it('separates files of the same name in other packages', () => {
    const other = `</classes></package><package name="q"><classes>${file(line(1, 0))}`;
    expect(read(file(line(1, 1)) + other).measure).toMatchObject({ value: { lines: { covered: 1, total: 2 } } });
  });

  it('separates files of the same name if there are several source roots', () => {
    const both = file(line(1, 1)) + file(line(1, 0));
    const roots = (...paths: readonly string[]): string =>
      document(both).replace(
        '<packages>',
        `<sources>${paths.map((path) => `<source>${path}</source>`).join('')}</sources><packages>`,
      );
    const linesOf = (xml: string): unknown => cobertura.read(textOf(xml), REPORT_LIMITS).measure;
    expect(linesOf(roots('/w/a', '/w/b'))).toMatchObject({ value: { lines: { covered: 1, total: 2 } } });
    expect(linesOf(roots('/w/a', ' /w/a\n'))).toMatchObject({ value: { lines: { covered: 1, total: 1 } } });
  });

  it('counts a line for each method that shares it, as Coverlet does', () => {
    expect(read(file(line(5, 1) + line(5, 0))).measure).toMatchObject({ value: { lines: { covered: 1, total: 2 } } });
  });

  it.each<[string, string, string, readonly [number, number], readonly string[]]>([
    [
      'totals of the report',
      'lines-valid="12" lines-covered="6"',
      '',
      [6, 12],
      ['6 of 12 lines stated, 2 of 2 counted'],
    ],
    ['a total alone', 'lines-valid="8"', '', [2, 8], ['2 of 8 lines stated, 2 of 2 counted']],
    ['exchanged totals', 'lines-valid="2" lines-covered="8"', '', [2, 8], ['8 of 2 lines stated, 2 of 2 counted']],
    ['a rate of a class', '', 'line-rate="0.5"', [1, 2], ['a.py: a line rate of 0.5 stated, 2 of 2 counted']],
    ['a rate with a comma', '', 'line-rate="0,5"', [1, 2], ['a.py: a line rate of 0.5 stated, 2 of 2 counted']],
  ])('counts lower %s', (_name, root, attributes, [covered, total], notes) => {
    const classes = file(line(1, 1) + line(2, 1)).replace('name="c"', `name="c" ${attributes}`);
    expect(read(classes, root)).toMatchObject({ measure: { value: { lines: { covered, total } } } });
    expect(read(classes, root).notes).toEqual(expect.arrayContaining([...notes]));
  });

  it.each([
    ['of the report', '<coverage line-rate="0.25"><packages><package name="p">', ''],
    ['of a package', '<coverage line-rate="1"><packages><package name="p" line-rate="0.25">', 'p: '],
  ])('counts a lower rate %s', (_name, begin, label) => {
    const classes = file([1, 2, 3, 4].map((number) => line(number, 1)).join(''));
    const xml = `${begin}<classes>${classes}</classes></package></packages></coverage>`;
    const { measure, notes } = cobertura.read(textOf(xml), REPORT_LIMITS);
    expect(measure).toMatchObject({ value: { lines: { covered: 1, total: 4 } } });
    expect(notes).toContain(`${label}a line rate of 0.25 stated, 4 of 4 counted`);
  });

  it('counts the totals of a report that has lost a file, not the rate of its package, which is also of the lost file', () => {
    const header = 'lines-valid="15" lines-covered="7"';
    const counted = file([1, 2, 3, 4, 5, 6, 7].map((number) => line(number, 1)).join(''));
    const other = `</classes></package><package name="q" line-rate="0"><classes>${file(line(1, 0), 'b.py')}`;
    const withRate = (xml: string): string => xml.replace('name="p"', 'name="p" line-rate="0.4667"');
    const linesOf = (xml: string): unknown => cobertura.read(textOf(withRate(xml)), REPORT_LIMITS);
    expect(linesOf(document(counted, header))).toMatchObject({
      measure: { value: { line_percent: 46.66, lines: { covered: 7, total: 15 } } },
      notes: expect.arrayContaining(['7 of 15 lines stated, 7 of 7 counted']),
    });
    expect(linesOf(document(counted + other, 'lines-valid="16" lines-covered="7"'))).toMatchObject({
      measure: { value: { lines: { covered: 7, total: 16 } } },
    });
  });

  it.each([
    ['0.2', 'lines-valid="10" lines-covered="9"', { covered: 2, total: 10 }],
    ['0', 'lines-valid="12" lines-covered="10"', { covered: 0, total: 10 }],
    ['0.5', 'lines-valid="15" lines-covered="10"', { covered: 5, total: 10 }],
  ])('counts the rate %s of a package if the lost lines of the totals %s do not explain it', (rate, header, lines) => {
    const tenLines = Array.from({ length: 10 }, (_, index) => line(index + 1, 1)).join('');
    const xml = document(file(tenLines), header).replace('name="p"', `name="p" line-rate="${rate}"`);
    expect(cobertura.read(textOf(xml), REPORT_LIMITS).measure).toMatchObject({ value: { lines } });
  });

  it('reads a report of more packages than a call can have arguments', () => {
    const packages = `<package name="p"/>`.repeat(200_000);
    const xml = document(file(line(1, 1))).replace('</packages>', `${packages}</packages>`);
    expect(cobertura.read(textOf(xml), REPORT_LIMITS).measure).toMatchObject({ value: { line_percent: 100 } });
  });

  it.each(['0.67', '0.66', '0.6667', '0.6666', '0.66666666', '0.6666999999999999', 'NaN', ''])(
    'does not count the rate %j of 2 of 3 lines, which is rounded or no number',
    (rate) => {
      const classes = file(line(1, 1) + line(2, 1) + line(3, 0)).replace('name="c"', `name="c" line-rate="${rate}"`);
      expect(read(classes, 'lines-valid="3" lines-covered="2"').measure).toMatchObject({
        value: { lines: { covered: 2, total: 3 } },
      });
    },
  );

  it('counts the lower of the percentage and the counts of a condition', () => {
    expect(read(file(line(1, 1, '25% (4/4)') + line(2, 1, '66% (2/3)')))).toMatchObject({
      measure: { value: { branches: { covered: 3, total: 7 } } },
      notes: ['a.py: the conditions of line 1 are 25% (4/4)'],
    });
  });

  it('does not count covered branches of a line that was not hit', () => {
    const { measure, notes } = read(file(line(1, 0, '100% (2/2)')));
    expect(measure).toMatchObject({ value: { branches: { covered: 0, total: 2 } } });
    expect(notes).toContain('a.py: line 1 was not hit, but its branches were');
  });

  it('does not count higher totals, and notes the difference', () => {
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
