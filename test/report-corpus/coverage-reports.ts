import type { CorpusRow } from './corpus-row.js';

/** Fixtures of formats that measure coverage. */
export const COVERAGE_REPORTS: readonly CorpusRow[] = [
  {
    path: 'lcov/istanbul-jest-30.info',
    writtenBy: 'Jest 30.5.2',
    metrics: {
      coverage: {
        line_percent: 62.5,
        branch_percent: 50,
        lines: { covered: 5, total: 8 },
        branches: { covered: 3, total: 6 },
      },
    },
    failures: [],
    notes: [],
    roll: 0,
  },
  {
    path: 'lcov/node-test-20.info',
    writtenBy: 'Node 20.20.2',
    metrics: {
      coverage: {
        line_percent: 100,
        branch_percent: 100,
        lines: { covered: 10, total: 10 },
        branches: { covered: 8, total: 8 },
      },
    },
    failures: [],
    notes: [],
    roll: 0,
  },
  {
    path: 'lcov/lcov-2-windows.info',
    writtenBy: 'after LCOV 2',
    metrics: {
      coverage: {
        line_percent: 60,
        branch_percent: 66.66,
        lines: { covered: 3, total: 5 },
        branches: { covered: 2, total: 3 },
      },
    },
    failures: [],
    notes: ['src/cart/tax.c: LH 1 stated, 0 counted'],
    roll: 0,
  },
];
