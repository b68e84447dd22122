import { expect, it } from '@jest/globals';
import { describeMetrics } from './describe-metrics.js';

it.each([
  [
    { unit_tests: { total: 1_200, passed: 1_198, failed: 1, skipped: 1, flaky: 2 } },
    [['Unit tests', '1,200 tests: 1,198 passed, 1 failed, 1 skipped, 2 flaky']],
  ],
  [
    { e2e_tests: { total: 1, passed: 1, failed: 0, skipped: 0, flaky: 0 } },
    [['End-to-end tests', '1 test: 1 passed, 0 failed, 0 skipped']],
  ],
  [
    { coverage: { line_percent: 93.54, branch_percent: null, lines: { covered: 1, total: 2 } } },
    [['Coverage', '93.54 % of the lines']],
  ],
  [{ coverage: { line_percent: 100, branch_percent: 50 } }, [['Coverage', '100 % of the lines, 50 % of the branches']]],
  [
    { security: { critical: 0, high: 1, medium: 2, low: 3 } },
    [['Security scan', '0 critical, 1 high, 2 medium, 3 low']],
  ],
  [
    { p95: 120, note: 'fast' },
    [
      ['p95', '120'],
      ['note', 'fast'],
    ],
  ],
  [
    { custom: { a: [1] }, nothing: null },
    [
      ['Other', '{"a":[1]}'],
      ['nothing', 'null'],
    ],
  ],
  [{}, []],
])('describes %j', (metrics, described) => {
  expect(describeMetrics(metrics)).toEqual(described);
});
