import { expect, it } from '@jest/globals';
import { formatMetrics } from './format-metrics.js';

it.each([
  ['total 12, failed 0', { unit_tests: { total: 12, failed: 0 }, coverage: { line_percent: 3 } }],
  ['lines total 55, line percent 93.5', { unit_tests: { lines: { total: 55 }, line_percent: 93.5 } }],
  ['coverage line percent 3', { coverage: { line_percent: 3 } }],
  ['', { unit_tests: { names: 'x', empty: null } }],
])('formats %j', (formatted, metrics) => {
  expect(formatMetrics({ type: 'unit_tests', metrics })).toBe(formatted);
});
