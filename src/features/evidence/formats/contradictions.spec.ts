import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Contradiction, Reading } from '../../../../test/report-corpus/contradiction.js';
import { CONTRADICTIONS } from '../../../../test/report-corpus/contradictions.js';
import type { CoverageMetrics, SeverityMetrics, TestMetrics } from '../../../domain/evidence/evidence.js';
import { parseReport, type ParsedReport } from './formats.js';
import { ReportError } from './report-text.js';

/** Returns the parsed report, or null if it is rejected. */
function read(row: Contradiction, first: Reading, second: Reading): ParsedReport | null {
  const content = row.write(first, second);
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  try {
    const report = parseReport({ filename: 'report.bin', content: [bytes], format: row.format });
    if (!('metrics' in report)) throw new Error('kept as a page');
    return report;
  } catch (error) {
    if (error instanceof ReportError) return null;
    throw error;
  }
}

/** Returns the numbers of a report so that a greater one is worse. */
function badness({ metrics, components = 0 }: ParsedReport): readonly number[] {
  const [counted] = Object.values(metrics) as readonly (TestMetrics | CoverageMetrics | SeverityMetrics)[];
  if (counted === undefined) return [-components];
  if ('passed' in counted) return [counted.failed, -counted.passed, counted.flaky ?? 0];
  if ('line_percent' in counted) return [-(counted.line_percent ?? 0), -(counted.branch_percent ?? 0)];
  return [counted.critical, counted.high, counted.medium, counted.low];
}

/** Whether the report fails by itself, whatever the policy says. */
function hasFailed({ metrics, failures }: ParsedReport): boolean {
  const { unit_tests, e2e_tests } = metrics;
  const tests = unit_tests ?? e2e_tests;
  return failures.length > 0 || (tests !== undefined && (tests.failed > 0 || tests.passed === 0));
}

function isWorse(report: ParsedReport, good: ParsedReport): boolean {
  const before = badness(good);
  const first = badness(report).findIndex((count, index) => count !== before[index]);
  return first !== -1 && (badness(report)[first] ?? 0) > (before[first] ?? 0);
}

const CASES = CONTRADICTIONS.map((row) => [`${row.format}: ${row.pair}`, row] as const);

describe('two places of a report that contradict each other', () => {
  it.each(CASES)('pass if both are good: %s', (_name, row) => {
    const good = read(row, 'good', 'good');
    expect(good !== null && !hasFailed(good)).toBe(true);
  });

  it.each(CASES)('do not pass if one of them is bad: %s', (_name, row) => {
    const good = read(row, 'good', 'good');
    if (good === null) throw new Error('rejected');
    const readings = [
      ['good', 'bad', row.outranks !== 'first'],
      ['bad', 'good', row.outranks !== 'second'],
    ] as const;
    for (const [first, second, counts] of readings) {
      const report = read(row, first, second);
      if (report === null || hasFailed(report)) continue;
      // A worse number may still be within the limits of a policy. So the difference is shown.
      if (row.bothCount !== true) expect([first, second, report.notes]).not.toEqual([first, second, good.notes]);
      if (counts) expect([first, second, isWorse(report, good)]).toEqual([first, second, true]);
    }
  });

  it.each(CASES)('do not pass if both are bad: %s', (_name, row) => {
    const [good, bad] = [read(row, 'good', 'good'), read(row, 'bad', 'bad')];
    if (good === null) throw new Error('rejected');
    expect(bad === null || hasFailed(bad) || isWorse(bad, good)).toBe(true);
  });

  it('stand in the table of the documentation', () => {
    const page = readFileSync('docs/features/report-formats.md', 'utf8').replaceAll(/\s*\|\s*/g, '|');
    const rows = CONTRADICTIONS.map(({ format, pair }) => `|\`${format}\`|${pair}|`);
    expect(rows.filter((row) => !page.includes(row))).toEqual([]);
    expect(new Set(rows).size).toBe(rows.length);
  });
});
