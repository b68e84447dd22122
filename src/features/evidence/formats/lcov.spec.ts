import { describe, expect, it } from '@jest/globals';
import { lcov } from './lcov.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';

const textOf = (lines: readonly string[]): ReportText =>
  ReportText.decode('lcov.info', new TextEncoder().encode(lines.join('\n')));

const read = (...lines: readonly (string | readonly string[])[]): ParsedContent =>
  lcov.read(textOf(lines.flat()), REPORT_LIMITS);

const AS_NOT_HIT = 'a.c: 1 lines are listed as hit and as not hit, and count as not hit';

describe('an LCOV tracefile', () => {
  it('is detected by its first entry, after comments and empty lines', () => {
    expect(lcov.detect(textOf(['', '# made by lcov', '', 'TN:']))).toBe(true);
    expect(lcov.detect(textOf(['SF:a.c']))).toBe(true);
    expect(lcov.detect(textOf(['DA:1,1']))).toBe(false);
    expect(lcov.detect(textOf(['# only SF:', '']))).toBe(false);
  });

  it('unites records of one file with the same lines, with any separator in its path', () => {
    const { measure } = read(
      ['SF:src\\a.c', 'DA:1,0', 'DA:2,3', 'DA:3,0', 'end_of_record'],
      ['SF:src/a.c', 'DA:1,7', 'DA:2,0', 'DA:3,0', 'end_of_record'],
      ['SF:src/b.c', 'DA:1,0', 'end_of_record'],
    );
    expect(measure).toEqual({
      of: 'coverage',
      value: { line_percent: 50, branch_percent: null, lines: { covered: 2, total: 4 } },
    });
  });

  it.each([
    ['as hit', ['DA:1,1', 'DA:1,2', 'DA:1,1', 'DA:2,0'], { covered: 1, total: 2 }, []],
    ['as not hit', ['DA:1,0', 'DA:1,0', 'DA:2,1'], { covered: 1, total: 2 }, []],
    ['as hit and as not hit', ['DA:1,1', 'DA:2,1', 'DA:1,0'], { covered: 1, total: 2 }, [AS_NOT_HIT]],
  ])('counts a line once that a record lists several times %s', (_how, record, lines, notes) => {
    const content = read(['SF:a.c', ...record, 'end_of_record']);
    expect(content.measure).toMatchObject({ value: { lines } });
    expect(content.notes).toEqual(notes);
  });

  it('counts a branch as not covered if one of its listings in a record is not', () => {
    const { measure } = read(['SF:a', 'DA:1,1', 'BRDA:1,0,0,1', 'BRDA:1,0,0,0', 'end_of_record']);
    expect(measure).toMatchObject({ value: { branches: { covered: 0, total: 1 } } });
  });

  it('counts a branch as covered if any record covered it', () => {
    const { measure } = read(
      ['SF:a', 'DA:1,1', 'BRDA:1,0,0,-', 'BRDA:1,0,1,0', 'BRDA:2,0,a > b,1', 'end_of_record'],
      ['SF:a', 'DA:1,1', 'BRDA:1,0,1,4', 'end_of_record'],
    );
    expect(measure).toMatchObject({ value: { branch_percent: 66.66, branches: { covered: 2, total: 3 } } });
  });

  it('rounds down, so that a threshold is never reached by rounding', () => {
    const lines = Array.from({ length: 100_000 }, (_, line) => `DA:${line + 1},${line < 79_999 ? 1 : 0}`);
    expect(read('SF:a', ...lines, 'end_of_record').measure).toMatchObject({ value: { line_percent: 79.99 } });
  });

  it('prefers its lines to its totals, with a note', () => {
    const { measure, notes } = read('SF:a', 'DA:1,0', 'LF:1', 'LH:1', 'BRF:2', 'BRH:2', 'end_of_record');
    expect(measure).toMatchObject({ value: { line_percent: 0, branch_percent: null } });
    expect(notes).toEqual(['a: LH 1 stated, 0 counted', 'a: BRF 2 stated, 0 counted', 'a: BRH 2 stated, 0 counted']);
  });

  it.each<[string, readonly string[], readonly string[], readonly [number, number]]>([
    ['another line', ['DA:1,1', 'DA:2,1'], ['DA:1,0', 'DA:2,0', 'DA:3,0'], [2, 5]],
    ['fewer lines', ['DA:1,1', 'DA:2,1', 'DA:3,1'], ['DA:1,0'], [3, 4]],
    ['another function', ['FN:1,f', 'DA:1,1'], ['FN:1,g', 'DA:1,0'], [1, 2]],
    ['no function', ['FN:1,f', 'DA:1,1'], ['DA:1,0'], [1, 2]],
    ['lower totals', ['DA:1,1', 'LF:4', 'LH:1'], ['DA:1,1'], [2, 5]],
  ])('has two files for records of one path, of which one has %s', (_name, first, second, [covered, total]) => {
    const { measure } = read('SF:a', ...first, 'end_of_record', 'SF:a', ...second, 'end_of_record');
    expect(measure).toMatchObject({ value: { lines: { covered, total } } });
  });

  it.each([
    ['FN:1,total', 'FN:1,6,total'],
    ['FN:1,total', 'FNA:0,4,total'],
    ['FNDA:7,total', 'FNA:0,4,total'],
  ])('finds the same function in %s and %s', (first, second) => {
    const { measure } = read('SF:a', first, 'DA:1,1', 'end_of_record', 'SF:a', second, 'DA:1,0', 'end_of_record');
    expect(measure).toMatchObject({ value: { lines: { covered: 1, total: 1 } } });
  });

  it('counts the totals of a file without lines, and notes them', () => {
    const { measure, notes } = read(['SF:a', 'DA:1,1', 'end_of_record'], ['SF:b', 'LF:4', 'LH:1', 'end_of_record']);
    expect(measure).toMatchObject({ value: { lines: { covered: 2, total: 5 } } });
    expect(notes).toEqual(['b: LF 4 stated, 0 counted', 'b: LH 1 stated, 0 counted']);
  });

  it.each([
    ['lower', ['LF:50', 'LH:10'], [10, 50]],
    ['higher', ['LF:2', 'LH:2'], [1, 2]],
    ['of found lines alone', ['LF:4'], [1, 4]],
    ['of hit lines alone', ['LH:0'], [0, 2]],
    ['stated twice', ['LF:2', 'LF:4', 'LH:4', 'LH:1'], [1, 4]],
    ['that are exchanged', ['LF:1', 'LH:4'], [1, 4]],
  ] as const)('counts the worse of lines and totals that are %s', (_name, totals, [covered, total]) => {
    const { measure, notes } = read('SF:a', 'DA:1,1', 'DA:2,0', ...totals, 'end_of_record');
    expect(measure).toMatchObject({ value: { lines: { covered, total } } });
    expect(notes).not.toEqual([]);
  });

  it('does not count taken branches of a line that was not hit', () => {
    const { measure, notes } = read('SF:a', 'DA:1,0', 'DA:2,1', 'BRDA:1,0,0,3', 'BRDA:2,0,0,1', 'end_of_record');
    expect(measure).toMatchObject({ value: { branches: { covered: 1, total: 2 } } });
    expect(notes).toEqual(['a: 1 covered branches of lines that were not hit do not count']);
  });

  it.each([
    ['no record', ['TN:unit']],
    ['a record without lines and totals', ['SF:a', 'BRDA:1,0,0,1', 'end_of_record']],
  ])('fails with %s', (_name, lines) => {
    expect(read(...lines)).toMatchObject({ failures: ['no lines'], measure: { value: { line_percent: null } } });
  });

  it('shows the files with the most uncovered lines first', () => {
    const { details } = read(
      ['SF:a', 'DA:1,0', 'end_of_record'],
      ['SF:b', 'DA:1,0', 'DA:2,0', 'DA:3,1', 'end_of_record'],
      ['SF:c', 'DA:1,1', 'end_of_record'],
    );
    expect(details).toEqual([
      { title: 'b', location: null, message: '2 of 3 lines not covered' },
      { title: 'a', location: null, message: '1 of 1 lines not covered' },
    ]);
  });

  it.each([
    [2, ['SF:a', 'DA:1,1e999'], 'a count is expected'],
    [2, ['SF:a', 'DA:1,9007199254740993'], 'a count beyond 2^53'],
    [2, ['SF:a', 'DA:1,-1'], 'a count is expected'],
    [2, ['SF:a', 'DA:1'], 'a count is expected'],
    [2, ['SF:a', 'DA:one,1'], 'a count is expected'],
    [2, ['SF:a', 'LF:many'], 'a count is expected'],
    [2, ['SF:a', 'FNDA:total'], 'a count is expected'],
    [2, ['SF:a', 'BRDA:1,0'], 'a branch must have a line, a block, a branch and a count'],
    [2, ['SF:a', 'BRDA:1,0,0,?'], 'a count is expected'],
    [2, ['SF:a', 'SF:b'], 'the record of a has no end_of_record'],
    [2, ['SF:a', 'DA:1,1', ''], 'the record of a has no end_of_record'],
    [2, ['TN:', 'DA:1,1'], 'DA outside of a record'],
    [2, ['TN:', 'end_of_record'], 'end_of_record outside of a record'],
    [2, ['TN:', 'nonsense'], 'a line without a colon'],
    [2, ['TN:', 'http://a'], 'not an entry of a tracefile'],
    [1, ['SF:'], 'a source file without a path'],
  ])('is rejected at line %i: %j', (line, lines, reason) => {
    expect(() => read(...lines)).toThrow(`lcov.info:${line}: ${reason}`);
  });
});
