import type { EvidenceMetrics } from '../../src/domain/evidence/evidence.js';
import type { CorpusRow } from './corpus-row.js';

type Counts = readonly [covered: number, total: number];

/** Percentages as they are read, rounded down to hundredths. There are no counts if nothing was measured. */
function coverage(
  line: number | null,
  lines: Counts | null,
  branch: number | null,
  branches: Counts | null,
): EvidenceMetrics {
  const counts = ([covered, total]: Counts): { covered: number; total: number } => ({ covered, total });
  return {
    coverage: {
      line_percent: line,
      branch_percent: branch,
      ...(lines && { lines: counts(lines) }),
      ...(branches && { branches: counts(branches) }),
    },
  };
}

const row = (
  path: string,
  writtenBy: string,
  metrics: EvidenceMetrics,
  { failures = [], notes = [] }: Partial<Pick<CorpusRow, 'failures' | 'notes'>> = {},
): CorpusRow => ({ path, writtenBy, metrics, failures, notes, testResults: 0 });

/** Fixtures of formats that measure coverage. */
export const COVERAGE_REPORTS: readonly CorpusRow[] = [
  row('lcov/istanbul-jest-30.info', 'Jest 30.5.2', coverage(62.5, [5, 8], 50, [3, 6])),
  row('lcov/node-test-20.info', 'Node 20.20.2', coverage(100, [10, 10], 100, [8, 8])),
  row('lcov/vitest-3.info', 'Vitest 3.2.4, V8 coverage', coverage(100, [7, 7], 66.66, [2, 3])),
  row('lcov/coverage-py-6.info', 'coverage.py 6.5.0', coverage(73.33, [11, 15], 37.5, [3, 8])),
  row('lcov/lcov-2-windows.info', 'after LCOV 2', coverage(60, [3, 5], 66.66, [2, 3]), {
    notes: ['src/cart/tax.c: LH 1 stated, 0 counted'],
  }),
  // Istanbul counts the default of an argument as a branch, in a line that it does not list.
  row('cobertura/istanbul-jest-30.xml', 'Jest 30.5.2', coverage(91.66, [11, 12], 33.33, [2, 6]), {
    notes: ['3 of 7 branches stated, 2 of 6 counted'],
  }),
  row('cobertura/vitest-3.xml', 'Vitest 3.2.4, V8 coverage', coverage(100, [7, 7], 66.66, [2, 3])),
  row('cobertura/c8-12.xml', 'c8 12.0.0', coverage(100, [13, 13], 66.66, [4, 6])),
  row('cobertura/gcovr-5.xml', 'gcovr 5.2, GCC 12.2', coverage(66.66, [6, 9], 50, [3, 6])),
  row('cobertura/coverage-py-6.xml', 'coverage.py 6.5.0', coverage(73.33, [11, 15], 37.5, [3, 8])),
  // The report states a rate of 1 for a module without a line.
  row('cobertura/coverage-py-6-empty.xml', 'coverage.py 6.5.0', coverage(null, null, null, null), {
    failures: ['no lines'],
  }),
  row('cobertura/phpunit-9.xml', 'PHPUnit 9.6.7 with PCOV', coverage(71.42, [5, 7], null, null)),
  row('jacoco/jacoco-0.8.6.xml', 'JaCoCo 0.8.6', coverage(66.66, [10, 15], 42.85, [6, 14])),
  row('jacoco/jacoco-0.8.6-groups.xml', 'JaCoCo 0.8.6', coverage(66.66, [20, 30], 42.85, [12, 28])),
  row('jacoco/jacoco-0.8.6-no-line-numbers.xml', 'JaCoCo 0.8.6', coverage(null, null, null, null), {
    failures: ['no lines'],
    notes: ['6 of 14 branches stated, 0 of 0 counted'],
  }),
  row('clover/istanbul-jest-30.xml', 'Jest 30.5.2', coverage(91.66, [11, 12], 42.85, [3, 7])),
  row('clover/vitest-3.xml', 'Vitest 3.2.4, V8 coverage', coverage(100, [7, 7], 66.66, [2, 3])),
  row('clover/phpunit-9.xml', 'PHPUnit 9.6.7 with PCOV', coverage(71.42, [5, 7], null, null)),
  // It counts statements, of which a lower share is covered than of the lines.
  row('clover/openclover-4.xml', 'after OpenClover 4', coverage(66.66, [4, 6], 75, [3, 4]), {
    notes: ['/home/ci/work/src/shop/Cart.java: 4 of 6 statements stated, 5 of 7 lines counted'],
  }),
  // The tests of both packages report the blocks of both. `go tool cover -func` reports 80.0 % and 70.0 %.
  row('go-cover/go-1.19-atomic.out', 'Go 1.19.8', coverage(80, [8, 10], null, null)),
  row('go-cover/go-1.19-set.out', 'Go 1.19.8', coverage(70, [7, 10], null, null)),
];
