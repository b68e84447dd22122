import { describe, expect, it } from '@jest/globals';
import { buildCoverageResult, type FileCoverage } from './coverage.js';
import { REPORT_LIMITS } from './report-format.js';

const file = (path: string, covered: number, total: number, branches = { covered: 0, total: 0 }): FileCoverage => ({
  path,
  lines: { covered, total },
  branches,
});

describe('the coverage of a report', () => {
  it('is computed from the counts of its files', () => {
    const { measure } = buildCoverageResult(
      [file('a', 1, 2, { covered: 1, total: 3 }), file('b', 0, 6)],
      REPORT_LIMITS,
    );
    expect(measure).toEqual({
      of: 'coverage',
      value: {
        line_percent: 12.5,
        branch_percent: 33.33,
        lines: { covered: 1, total: 8 },
        branches: { covered: 1, total: 3 },
      },
    });
  });

  it('is rounded down, so that a threshold is never reached by rounding', () => {
    expect(buildCoverageResult([file('a', 79_999, 100_000)], REPORT_LIMITS).measure).toMatchObject({
      value: { line_percent: 79.99 },
    });
  });

  it.each([
    ['without a file', []],
    ['without a line', [file('a', 0, 0, { covered: 4, total: 4 })]],
  ])('is missing %s, regardless of the stated totals', (_name, files) => {
    expect(buildCoverageResult(files, REPORT_LIMITS, { stated: { lines: { covered: 9, total: 9 } } })).toMatchObject({
      failures: ['no lines'],
      measure: { value: { line_percent: null } },
      notes: ['9 of 9 lines stated, 0 of 0 counted'],
    });
  });

  it('notes if the report states other totals', () => {
    const { notes } = buildCoverageResult([file('a', 1, 2, { covered: 1, total: 2 })], REPORT_LIMITS, {
      notes: ['said before'],
      stated: { lines: { covered: 2, total: 2 }, branches: { covered: 1, total: 2 } },
    });
    expect(notes).toEqual(['said before', '2 of 2 lines stated, 1 of 2 counted']);
  });

  it('lists the files with the most uncovered lines first, up to the maximum', () => {
    const { details } = buildCoverageResult([file('a', 1, 2), file('b', 0, 5), file('c', 3, 3)], REPORT_LIMITS);
    expect(details).toEqual([
      { title: 'b', location: null, message: '5 of 5 lines not covered' },
      { title: 'a', location: null, message: '1 of 2 lines not covered' },
    ]);
  });

  it('retains the least covered of very many files, the first of equal ones in front', () => {
    const files = Array.from({ length: 50 }, (_, n) => file(`${n}`, 0, n % 10));
    const { details } = buildCoverageResult(files, { ...REPORT_LIMITS, details: 7 });
    expect(details.map(({ title }) => title)).toEqual(['9', '19', '29', '39', '49', '8', '18']);
  });
});
