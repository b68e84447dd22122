import { describe, expect, it } from '@jest/globals';
import { clover } from './clover.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';

const textOf = (xml: string): ReportText => ReportText.decode('clover.xml', new TextEncoder().encode(xml));

const read = (project: string, after = ''): ParsedContent =>
  clover.read(
    textOf(`<coverage generated="1700000000"><project>${project}</project>${after}</coverage>`),
    REPORT_LIMITS,
  );

describe('Clover', () => {
  it.each([
    ['<coverage generated="1700000000" clover="3.2.0">', true],
    ['<coverage generated="1700000000">', true],
    ['<coverage line-rate="1" generated="1">', false],
    ['<coverage>', false],
    ['<project generated="1">', false],
  ])('is detected by its root: %s', (xml, expected) => {
    expect(clover.detect(textOf(xml))).toBe(expected);
  });

  it('counts lines of statements and conditions as Istanbul writes them', () => {
    const file = `<package name="src"><file name="a.js" path="/home/ci/work/src/a.js">
      <metrics statements="3" coveredstatements="2" conditionals="4" coveredconditionals="3" methods="1" coveredmethods="1"/>
      <line num="1" count="1" type="stmt"/><line num="2" count="1" type="cond" truecount="3" falsecount="1"/>
      <line num="3" count="0" type="stmt"/></file></package>`;
    expect(read(file)).toMatchObject({
      measure: {
        value: {
          line_percent: 66.66,
          branch_percent: 75,
          lines: { covered: 2, total: 3 },
          branches: { covered: 3, total: 4 },
        },
      },
      details: [{ title: '/home/ci/work/src/a.js', message: '1 of 3 lines not covered' }],
    });
  });

  it('leaves out declarations of methods, which PHPUnit lists among the lines', () => {
    const file = `<file name="/app/Cart.php"><class name="Cart"><metrics conditionals="8" coveredconditionals="8"/></class>
      <line num="3" type="method" name="add" count="1"/><line num="4" type="stmt" count="0"/></file>`;
    expect(read(file).measure).toMatchObject({
      value: { line_percent: 0, branch_percent: null, lines: { covered: 0, total: 1 } },
    });
  });

  it('counts a condition of OpenClover as covered if it was ever evaluated', () => {
    const file = `<file name="A.java"><line num="1" type="cond" truecount="0" falsecount="2"/>
      <line num="2" type="cond" truecount="0" falsecount="0"/></file>`;
    expect(read(file).measure).toMatchObject({ value: { lines: { covered: 1, total: 2 } } });
  });

  it('leaves out the code of the tests, which covers itself', () => {
    const source = '<file name="A.java"><line num="1" type="stmt" count="0"/></file>';
    const tests = `<testproject><package name="t"><metrics/><file name="ATest.java"><line num="1" type="stmt" count="9"/></file><file name="BTest.java"><line num="1" type="stmt" count="9"/></file></package></testproject>`;
    expect(read(source, tests).measure).toMatchObject({ value: { lines: { covered: 0, total: 1 } } });
  });

  it('adds up the parts of one file, and separates files of other packages', () => {
    const lines = (hits: number): string => `<line num="1" type="stmt" count="${hits}"/>`;
    const same = `<file name="a" path="x/a">${lines(0)}</file><file name="a" path="x\\a">${lines(1)}</file>`;
    const named = (name: string): string => `<package name="${name}"><file name="b">${lines(0)}</file></package>`;
    expect(read(same + named('p') + named('q')).measure).toMatchObject({ value: { lines: { covered: 1, total: 3 } } });
  });

  it('prefers lines to higher totals of the project, and notes the difference', () => {
    const totals = '<metrics statements="9" coveredstatements="9" conditionals="0" coveredconditionals="0"/>';
    expect(read(`${totals}<file name="a"><line num="1" type="stmt" count="0"/></file>`)).toMatchObject({
      measure: { value: { line_percent: 0 } },
      notes: ['9 of 9 statements stated, 0 of 1 lines counted'],
    });
  });

  it('counts the totals of a file without lines, and notes them', () => {
    const listed = '<file name="b"><line num="1" type="stmt" count="1"/></file>';
    expect(read(`<file name="a"><metrics statements="9" coveredstatements="1"/></file>${listed}`)).toMatchObject({
      measure: { value: { lines: { covered: 2, total: 10 } } },
      notes: ['a: 1 of 9 statements stated, 0 of 0 lines counted'],
    });
  });

  it.each([
    ['a file', '<file name="a"><metrics statements="4" coveredstatements="1"/>LINE</file>', 'a'],
    [
      'a package',
      '<package name="p"><metrics statements="4" coveredstatements="1"/><file name="a">LINE</file></package>',
      'p',
    ],
    ['the project', '<metrics statements="4" coveredstatements="1"/><file name="a">LINE</file>', ''],
  ])('counts lower totals of %s, and notes them', (_name, project, label) => {
    expect(read(project.replace('LINE', '<line num="1" type="stmt" count="1"/>'))).toMatchObject({
      measure: { value: { lines: { covered: 1, total: 4 } } },
      notes: [`${label === '' ? '' : `${label}: `}1 of 4 statements stated, 1 of 1 lines counted`],
    });
  });

  it('separates files of the same path in other packages', () => {
    const named = (name: string, hits: number): string =>
      `<package name="${name}"><file name="b" path="/w/b"><line num="1" type="stmt" count="${hits}"/></file></package>`;
    expect(read(named('p', 1) + named('q', 0)).measure).toMatchObject({ value: { lines: { covered: 1, total: 2 } } });
  });

  it('is no coverage without a file', () => {
    expect(read('<metrics statements="9" coveredstatements="9"/>')).toMatchObject({ failures: ['no lines'] });
  });

  it.each([
    ['<line num="1" count="1"/>', 'a line outside of a file'],
    ['<file name="a"><line count="1"/></file>', 'num is missing'],
    ['<file name="a"><line num="1" type="stmt"/></file>', 'truecount is missing'],
    ['<file name="a"><line num="1" count="-1"/></file>', 'count: a count is expected'],
    [
      '<file name="a"><metrics conditionals="1" coveredconditionals="2"/></file>',
      'coveredconditionals: the covered count exceeds',
    ],
    ['<file/>', 'a file without a name'],
  ])('rejects %s', (project, reason) => {
    expect(() => read(project)).toThrow(reason);
  });
});
