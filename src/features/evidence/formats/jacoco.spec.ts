import { describe, expect, it } from '@jest/globals';
import { jacoco } from './jacoco.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';

const textOf = (xml: string): ReportText => ReportText.decode('jacoco.xml', new TextEncoder().encode(xml));

const read = (content: string): ParsedContent =>
  jacoco.read(textOf(`<report name="cart">${content}</report>`), REPORT_LIMITS);

const line = (nr: number, [mi, ci, mb, cb]: readonly [number, number, number, number]): string =>
  `<line nr="${nr}" mi="${mi}" ci="${ci}" mb="${mb}" cb="${cb}"/>`;

const source = (name: string, lines: string): string =>
  `<package name="shop"><sourcefile name="${name}">${lines}</sourcefile></package>`;

const counter = (type: string, missed: number, covered: number): string =>
  `<counter type="${type}" missed="${missed}" covered="${covered}"/>`;

describe('JaCoCo', () => {
  it.each([
    ['<!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="cart">', true],
    ["<?xml version='1.0' ?>\n<report name='Kover'>", true],
    ['<report/>', false],
    ['<reports name="a"/>', false],
  ])('is detected by its root: %s', (xml, expected) => {
    expect(jacoco.detect(textOf(xml))).toBe(expected);
  });

  it('counts a line as covered if any of its instructions ran', () => {
    const lines = line(1, [0, 3, 0, 0]) + line(2, [4, 1, 1, 1]) + line(3, [2, 0, 2, 0]) + line(4, [0, 0, 0, 0]);
    expect(read(source('Cart.java', lines)).measure).toEqual({
      of: 'coverage',
      value: {
        line_percent: 66.66,
        branch_percent: 25,
        lines: { covered: 2, total: 3 },
        branches: { covered: 1, total: 4 },
      },
    });
  });

  it('separates files of the same name in different modules', () => {
    const module = (name: string, inner: string): string => `<group name="${name}">${inner}</group>`;
    const both =
      module('a', source('Cart.java', line(1, [0, 1, 0, 0]))) + module('b', source('Cart.java', line(1, [1, 0, 0, 0])));
    const { measure, details } = read(module('all', both));
    expect(measure).toMatchObject({ value: { lines: { covered: 1, total: 2 } } });
    expect(details).toEqual([{ title: 'all/b/shop/Cart.java', location: null, message: '1 of 1 lines not covered' }]);
  });

  it('prefers lines to higher counters, and notes a difference', () => {
    const counters = counter('INSTRUCTION', 9, 9) + counter('LINE', 0, 5) + counter('BRANCH', 0, 0);
    expect(read(source('Cart.java', line(1, [1, 0, 0, 0]) + counter('LINE', 7, 7)) + counters)).toMatchObject({
      measure: { value: { line_percent: 0 } },
      notes: ['shop/Cart.java: 7 of 14 lines stated, 0 of 1 counted', '5 of 5 lines stated, 0 of 1 counted'],
    });
  });

  it.each([
    [
      'a source file',
      `<package name="p"><sourcefile name="A">LINE${counter('LINE', 3, 1)}</sourcefile></package>`,
      'p/A: ',
    ],
    ['a package', `<package name="p"><sourcefile name="A">LINE</sourcefile>${counter('LINE', 3, 1)}</package>`, 'p: '],
    [
      'a group',
      `<group name="g"><package name="p"><sourcefile name="A">LINE</sourcefile></package>${counter('LINE', 3, 1)}</group>`,
      'g: ',
    ],
    ['the report', `<package name="p"><sourcefile name="A">LINE</sourcefile></package>${counter('LINE', 3, 1)}`, ''],
  ])('counts lower counters of %s, and notes them', (_name, content, label) => {
    expect(read(content.replace('LINE', line(1, [0, 1, 0, 0])))).toMatchObject({
      measure: { value: { lines: { covered: 1, total: 4 } } },
      notes: [`${label}1 of 4 lines stated, 1 of 1 counted`],
    });
  });

  it('counts the counters of a source file without lines', () => {
    expect(read(source('A.java', counter('LINE', 9, 1)) + source('B.java', line(1, [0, 1, 0, 0])))).toMatchObject({
      measure: { value: { lines: { covered: 2, total: 11 } } },
      notes: ['shop/A.java: 1 of 10 lines stated, 0 of 0 counted'],
    });
  });

  it('counts the counters of a class without a source file', () => {
    const inner = `<class name="shop/A">${counter('LINE', 9, 1)}</class><class name="shop/B" sourcefilename="B.java">${counter('LINE', 0, 9)}</class>`;
    const listed = `<sourcefile name="B.java">${line(1, [0, 1, 0, 0])}</sourcefile>`;
    expect(read(`<package name="shop">${inner}${listed}</package>`).measure).toMatchObject({
      value: { lines: { covered: 2, total: 11 } },
    });
  });

  it('unites the entries of a source file only if their classes have the same methods', () => {
    const entry = (method: string, ci: number): string =>
      `<package name="p"><class name="p/A" sourcefilename="A"><method name="${method}" desc="()V"/></class>
       <sourcefile name="A">${line(1, [1 - ci, ci, 0, 0])}</sourcefile></package>`;
    expect(read(entry('m', 0) + entry('m', 1)).measure).toMatchObject({ value: { lines: { covered: 1, total: 1 } } });
    expect(read(entry('m', 0) + entry('n', 1)).measure).toMatchObject({ value: { lines: { covered: 1, total: 2 } } });
  });

  it('does not count covered branches of a line that was not hit', () => {
    expect(read(source('A.java', line(1, [1, 0, 0, 2])))).toMatchObject({
      measure: { value: { branches: { covered: 0, total: 2 } } },
      notes: ['shop/A.java: line 1 was not hit, but its branches were'],
    });
  });

  it('reads a missing count as zero', () => {
    expect(read(source('A.java', '<line nr="1" ci="2"/><line nr="2" mi="1" cb="1"/>')).measure).toMatchObject({
      value: { lines: { covered: 1, total: 2 }, branches: { covered: 1, total: 1 } },
    });
  });

  it('is no coverage without lines and counters of files, as of classes compiled without their line numbers', () => {
    expect(read(source('Cart.java', '') + counter('LINE', 0, 100))).toMatchObject({
      failures: ['no lines'],
      measure: { value: { line_percent: null } },
    });
  });

  it.each([
    ['<testcase/>', '<testcase> is not part of a JaCoCo report'],
    ['<package><sourcefile name="a"/></package>', 'a package without a name'],
    ['<package name="p"><sourcefile/></package>', 'a sourcefile without a name'],
    [`<package name="p">${line(1, [0, 1, 0, 0])}</package>`, 'a line outside of a source file'],
    [source('A.java', '<line mi="0" ci="1"/>'), 'nr is missing'],
    [source('A.java', '<line nr="1" mi="0" ci="1" mb="0" cb=""/>'), 'cb: a count is expected'],
    [source('A.java', '<line nr="1" mi="0" ci="1e9" mb="0" cb="0"/>'), 'ci: a count is expected'],
    [source('A.java', line(1, [-1, 1, 0, 0])), 'mi: a count is expected'],
    ['<counter type="LINE" missed="one"/>', 'missed: a count is expected'],
  ])('rejects %s', (content, reason) => {
    expect(() => read(content)).toThrow(reason);
  });
});
