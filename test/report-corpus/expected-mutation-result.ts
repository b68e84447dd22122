import { expect } from '@jest/globals';
import type { CoverageMetrics, TestMetrics } from '../../src/domain/evidence/evidence.js';
import { parseReport, type ParsedReport } from '../../src/features/evidence/formats/formats.js';
import { ReportError } from '../../src/features/evidence/formats/report-text.js';
import { decodeTestResults } from './decode-test-results.js';

/**
 * The result of a changed file: it is read and passes, is read and fails by itself, is stored as a document for users,
 * or is rejected.
 */
export const MUTATION_RESULTS = ['passes', 'fails', 'is kept', 'refused'] as const;
type MutationResult = (typeof MUTATION_RESULTS)[number];

/** Reads a report. Throws unless the result is valid or a rejection with file, line and cause. */
export function expectedMutationResult(content: Uint8Array | string): MutationResult {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  try {
    const report = parseReport({ filename: 'hostile', content: [bytes] });
    if (!('metrics' in report)) return 'is kept';
    expectSound(report);
    const { unit_tests, e2e_tests } = report.metrics;
    const counted = unit_tests ?? e2e_tests;
    const hasFailed = counted !== undefined && (counted.failed > 0 || counted.passed === 0);
    return hasFailed || report.failures.length > 0 ? 'fails' : 'passes';
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    expect(error.message).toMatch(/^hostile:[1-9]\d*(?::[1-9]\d*)?: [^]+/);
    return 'refused';
  }
}

/**
 * Throws unless every number is a finite count or a percentage, the numbers of tests add up, and a database can store
 * the names.
 */
function expectSound({ metrics, testResults, ...rest }: ParsedReport): void {
  JSON.stringify(metrics, (key, value: unknown) => {
    if (typeof value === 'number' && !(Number.isFinite(value) && value >= 0)) throw new Error(`${key} is ${value}`);
    return value;
  });
  for (const counted of Object.values(metrics) as readonly (TestMetrics | CoverageMetrics)[]) {
    if ('passed' in counted) expect(counted.passed + counted.failed + counted.skipped).toBe(counted.total);
    if ('line_percent' in counted) expect(counted.line_percent ?? 0).toBeLessThanOrEqual(100);
  }
  const tests = testResults === null ? [] : decodeTestResults(testResults.packed());
  if (tests.some(({ name }) => name === '' || name.length > 500 || UNKEPT.test(name))) throw new Error('a name');
  if (UNKEPT_JSON.test(JSON.stringify(rest))) throw new Error('a character that no database keeps');
}

const UNKEPT = /[\p{Cc}\p{Cs}]/u;
/** NUL and lone surrogates, as `JSON.stringify` writes them. */
const UNKEPT_JSON = /\\u(?:0000|d[89a-f])/;
