import { describe, expect, it } from '@jest/globals';
import { CoverageEntry } from './coverage-entry.js';
import { type CoverageGroup, CoverageReport } from './coverage-report.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import type { StatedTotals } from './coverage.js';

/** The hits of the lines of an entry, from line 1: one digit for each line, `0` if it was not hit. */
type Hits = string;

interface Stated {
  readonly lines?: StatedTotals;
  readonly branches?: StatedTotals;
  readonly functions?: readonly string[];
}

function entry(hits: Hits, { lines, branches, functions = [] }: Stated = {}): CoverageEntry {
  const built = new CoverageEntry();
  for (let at = 0; at < hits.length; at += 1) built.addLine(at + 1, hits[at] !== '0');
  for (const name of functions) built.addFunction(name);
  if (lines) built.state('lines', lines);
  if (branches) built.state('branches', branches);
  return built;
}

const of = (covered: number, total: number): StatedTotals => ({ covered, total });

function read(fill: (root: CoverageGroup, report: CoverageReport) => void, limits = REPORT_LIMITS): ParsedContent {
  const report = new CoverageReport(limits);
  fill(report.root, report);
  return report.result();
}

/** Reads a report whose root has these files. */
const files = (...entries: readonly (readonly [string, CoverageEntry])[]): ParsedContent =>
  read((root) => {
    for (const [name, each] of entries) root.addEntry(each, name);
  });

const linesOf = ({ measure }: ParsedContent): unknown =>
  measure.of === 'coverage' && measure.value.lines ? [measure.value.lines.covered, measure.value.lines.total] : null;

describe('the entries of one file', () => {
  it.each<[string, CoverageEntry, CoverageEntry, readonly [number, number]]>([
    ['are united if they have the same lines', entry('1100'), entry('0110'), [3, 4]],
    ['are two files if one has another line', entry('1100'), entry('01101'), [5, 9]],
    [
      'are united if they have the same functions in another order',
      entry('10', { functions: ['a', 'b'] }),
      entry('01', { functions: ['b', 'a'] }),
      [2, 2],
    ],
    ['are two files if one has another function', entry('10', { functions: ['a'] }), entry('01'), [2, 4]],
    [
      'are united if their totals state what they list',
      entry('10', { lines: of(1, 2) }),
      entry('01', { lines: of(1, 2) }),
      [2, 2],
    ],
    ['are two files if the totals of one are lower', entry('10', { lines: of(0, 2) }), entry('01'), [1, 4]],
  ])('%s', (_name, first, second, expected) => {
    expect(linesOf(files(['a', first], ['a', second]))).toEqual(expected);
  });

  it('are united whatever the order of their lines', () => {
    const reversed = new CoverageEntry();
    for (const [line, hit] of [
      [3, true],
      [1, false],
      [2, false],
    ] as const)
      reversed.addLine(line, hit);
    expect(linesOf(files(['a', entry('100')], ['a', reversed]))).toEqual([2, 3]);
  });

  it('count a line for each time that one entry lists it', () => {
    const twice = entry('10');
    twice.addLine(1, false);
    expect(linesOf(files(['a', twice]))).toEqual([1, 3]);
  });

  it('are found by names with any separator', () => {
    expect(linesOf(files(['a/b', entry('10')], ['a\\b', entry('01')]))).toEqual([2, 2]);
  });

  it.each<[string, (root: CoverageGroup, report: CoverageReport) => void, readonly [number, number]]>([
    [
      'of groups with the same name are united',
      (root) => {
        root.addGroup('p').addEntry(entry('10'), 'a');
        root.addGroup('p').addEntry(entry('01'), 'a');
      },
      [2, 2],
    ],
    [
      'of groups with other names are two files',
      (root) => {
        root.addGroup('p').addEntry(entry('11'), 'a');
        root.addGroup('q').addEntry(entry('00'), 'a');
      },
      [2, 4],
    ],
    [
      'are two files if the group and the name differ, but not the path',
      (root) => {
        root.addGroup('p').addEntry(entry('11'), 'q/a');
        root.addGroup('p').addGroup('q').addEntry(entry('00'), 'a');
      },
      [2, 4],
    ],
    [
      'are two files if the report has two directories of source code',
      (root, report) => {
        report.addDirectory('/w/one');
        report.addDirectory('/w/two');
        root.addEntry(entry('11'), 'a');
        root.addEntry(entry('00'), 'a');
      },
      [2, 4],
    ],
    [
      'are united if the report names one directory twice',
      (root, report) => {
        report.addDirectory('/w/one');
        report.addDirectory('/w/one');
        root.addEntry(entry('10'), 'a');
        root.addEntry(entry('01'), 'a');
      },
      [2, 2],
    ],
  ])('%s', (_name, fill, expected) => {
    expect(linesOf(read(fill))).toEqual(expected);
  });
});

describe('the totals of a file', () => {
  it.each<[string, Hits, StatedTotals, readonly [number, number], readonly string[]]>([
    ['count if they are lower', '1111', of(2, 8), [2, 8], ['a: 2 of 8 lines stated, 4 of 4 counted']],
    ['do not count if they are higher', '1000', of(8, 8), [1, 4], ['a: 8 of 8 lines stated, 1 of 4 counted']],
    ['count if there is no line', '', of(2, 8), [2, 8], ['a: 2 of 8 lines stated, 0 of 0 counted']],
    ['are completed by the listed lines', '1111', { total: 8 }, [4, 8], ['a: 4 of 8 lines stated, 4 of 4 counted']],
    ['are completed by no hit without lines', '', { total: 8 }, [0, 8], ['a: 0 of 8 lines stated, 0 of 0 counted']],
    ['change places if more is covered', '1111', of(8, 2), [2, 8], ['a: 8 of 2 lines stated, 4 of 4 counted']],
    ['are not noted if they agree', '1100', of(2, 4), [2, 4], []],
    [
      'count by their rate if it is lower',
      '1111',
      { rate: { value: 0.5, tolerance: 0.01 } },
      [2, 4],
      ['a: a line rate of 0.5 stated, 4 of 4 counted'],
    ],
    ['are not noted within the rounding of a rate', '110', { rate: { value: 0.66, tolerance: 0.01 } }, [2, 3], []],
  ])('%s', (_name, hits, lines, expected, notes) => {
    const result = files(['a', entry(hits, { lines })]);
    expect([linesOf(result), result.notes]).toEqual([expected, notes]);
  });

  it('count for the whole report, too, if the files that state more have the larger part of it', () => {
    // For the first file the lines are lower, 40 %. With its 100 lines the whole is lower than with 10.
    const one = entry('1111000000', { lines: of(50, 100) });
    const other = entry('1'.repeat(90), { lines: of(90, 90) });
    expect(linesOf(files(['a', one], ['b', other]))).toEqual([140, 190]);
  });

  it('do not hide that the lines alone are lower', () => {
    const one = entry('1111100000'.repeat(10), { lines: of(0, 1) });
    const other = entry('1'.repeat(100));
    expect(linesOf(files(['a', one], ['b', other]))).toEqual([150, 200]);
  });
});

describe('the totals of a group and of the report', () => {
  const group = (root: CoverageGroup, name: string, hits: Hits, totals?: StatedTotals): void => {
    const added = root.addGroup(name);
    if (hits !== '') added.addEntry(entry(hits), 'a');
    if (totals) added.state('lines', totals);
  };

  it.each<[string, (root: CoverageGroup) => void, readonly [number, number] | null, readonly string[]]>([
    [
      'count if they are lower than the files',
      (root) => {
        group(root, 'p', '1111', of(4, 8));
        group(root, 'q', '11');
      },
      [6, 10],
      ['p: 4 of 8 lines stated, 4 of 4 counted'],
    ],
    [
      'do not count if they are higher',
      (root) => group(root, 'p', '1100', of(8, 8)),
      [2, 4],
      ['p: 8 of 8 lines stated, 2 of 4 counted'],
    ],
    [
      'count beside other files if the group has none',
      (root) => {
        group(root, 'p', '', of(0, 8));
        group(root, 'q', '11');
      },
      [2, 10],
      [],
    ],
    [
      'improve nothing if the group has no file',
      (root) => {
        group(root, 'p', '', of(8, 8));
        group(root, 'q', '10');
      },
      [1, 2],
      [],
    ],
    [
      'are no coverage without a file',
      (root) => {
        root.state('lines', of(9, 9));
        group(root, 'p', '', of(9, 9));
      },
      null,
      ['9 of 9 lines stated, 0 of 0 counted'],
    ],
    [
      'of the report count if they are lower',
      (root) => {
        root.state('lines', of(6, 12));
        root.addEntry(entry('111111'), 'a');
      },
      [6, 12],
      ['6 of 12 lines stated, 6 of 6 counted'],
    ],
    [
      'of the report do not count if they are higher',
      (root) => {
        root.state('lines', of(12, 12));
        root.addEntry(entry('110'), 'a');
      },
      [2, 3],
      ['12 of 12 lines stated, 2 of 3 counted'],
    ],
    [
      'of an inner group count, too',
      (root) => {
        const inner = root.addGroup('p').addGroup('q');
        inner.addEntry(entry('11'), 'a');
        inner.state('lines', of(1, 4));
      },
      [1, 4],
      ['q: 1 of 4 lines stated, 2 of 2 counted'],
    ],
  ])('%s', (_name, fill, expected, notes) => {
    const result = read(fill);
    expect([linesOf(result), result.notes]).toEqual([expected, notes]);
    expect(result.failures).toEqual(expected === null ? ['no lines'] : []);
  });
});

describe('the branches of a report', () => {
  const branches = ({ measure }: ParsedContent): unknown => measure.of === 'coverage' && measure.value.branches;

  function branched(hits: Hits, counts: readonly (readonly [number | string, number, number])[]): CoverageEntry {
    const built = entry(hits);
    for (const [name, covered, total] of counts) built.addBranches(name, { covered, total });
    return built;
  }

  it('of united entries have the greater of their counts', () => {
    const result = files(['a', branched('1', [[1, 1, 4]])], ['a', branched('1', [[1, 2, 4]])]);
    expect(branches(result)).toEqual({ covered: 2, total: 4 });
  });

  it('of two files are added up', () => {
    const result = files(['a', branched('1', [[1, 1, 4]])], ['b', branched('1', [[1, 2, 4]])]);
    expect(branches(result)).toEqual({ covered: 3, total: 8 });
  });

  it('of a line that was not hit are not covered', () => {
    const result = files([
      'a',
      branched('01', [
        ['1,0,0', 1, 1],
        ['1,0,1', 1, 1],
        ['2,0,1', 1, 1],
        ['7,0,0', 1, 1],
      ]),
    ]);
    expect(branches(result)).toEqual({ covered: 2, total: 4 });
    expect(result.notes).toEqual(['a: 2 covered branches of lines that were not hit do not count']);
  });

  it('count by the totals if they are lower', () => {
    const built = branched('1', [[1, 2, 2]]);
    built.state('branches', of(1, 4));
    expect(branches(files(['a', built]))).toEqual({ covered: 1, total: 4 });
  });
});

describe('the result of a coverage report', () => {
  it('is rounded down, so that a threshold is never reached by rounding', () => {
    const hits = `${'1'.repeat(79_999)}${'0'.repeat(20_001)}`;
    expect(files(['a', entry(hits)]).measure).toMatchObject({ value: { line_percent: 79.99 } });
  });

  it('lists the files with the most uncovered lines first, up to the maximum', () => {
    expect(files(['a', entry('10')], ['b', entry('00000')], ['c', entry('111')]).details).toEqual([
      { title: 'b', location: null, message: '5 of 5 lines not covered' },
      { title: 'a', location: null, message: '1 of 2 lines not covered' },
    ]);
  });

  it('retains the least covered of very many files, the first of equal ones in front', () => {
    const many = Array.from({ length: 50 }, (_, n) => [`${n}`, entry('0'.repeat(n % 10))] as const);
    const { details } = read(
      (root) => {
        for (const [name, each] of many) root.addEntry(each, name);
      },
      { ...REPORT_LIMITS, details: 7 },
    );
    expect(details.map(({ title }) => title)).toEqual(['9', '19', '29', '39', '49', '8', '18']);
  });

  it('is missing without a line, though a file has branches', () => {
    const built = new CoverageEntry();
    built.addBranches(1, { covered: 4, total: 4 });
    expect(files(['a', built])).toMatchObject({ failures: ['no lines'], measure: { value: { line_percent: null } } });
  });
});
