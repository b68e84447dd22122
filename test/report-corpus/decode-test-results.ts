import { gunzipSync } from 'node:zlib';
import type { TestOutcome } from '../../src/domain/evidence/evidence.js';
import {
  type EncodedTestNames,
  type EncodedTestResults,
  formatTestName,
} from '../../src/domain/quality/test-results.js';
import type { Measure } from '../../src/features/evidence/formats/report-format.js';

/** The outcomes in the order of their marks. */
const OUTCOMES = ['skipped', 'passed', 'flaky', 'failed'] as const;

/** Decodes stored test results. */
export function decodeTestResults({ parts }: EncodedTestResults): readonly TestOutcome[] {
  return parts.flatMap(({ tests, marks, names }) => {
    const groups = JSON.parse(gunzipSync(names).toString()) as EncodedTestNames;
    const unpacked = groups.flatMap(([suites, ...inside]) => inside.map((test) => formatTestName(suites, test)));
    if (unpacked.length !== tests || marks.length !== 8 * tests) throw new Error('A part says that it is of others.');
    return unpacked.map((name, nth) => ({ name, outcome: OUTCOMES[(marks[8 * nth] ?? 0) & 3] ?? 'failed' }));
  });
}

/** The tests of a report. Throws if it is no test report. */
export function testsOf(measure: Measure): readonly TestOutcome[] {
  if (measure.of !== 'tests') throw new Error(`The report is one of ${measure.of}.`);
  return decodeTestResults(measure.testResults.packed());
}
