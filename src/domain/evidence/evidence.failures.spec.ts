import { describe, expect, it } from '@jest/globals';
import { coverageItem, evidenceItem } from '../../../test/support/given-facts.js';
import { EVIDENCE_KINDS, TEST_KINDS, type TestMetrics } from './evidence.js';
import { evidenceFailures, isTestKind, getTestMetrics } from './evidence-status.js';

const counts = (changes: Partial<TestMetrics> = {}): TestMetrics => ({
  total: 3,
  passed: 3,
  failed: 0,
  skipped: 0,
  ...changes,
});

describe('evidenceFailures', () => {
  it.each(TEST_KINDS)('passes "%s" with a passed test and no failed test', (kind) => {
    expect(evidenceFailures(evidenceItem({ kind, metrics: { [kind]: counts() } }))).toEqual([]);
  });

  it.each([
    ['one failed test', counts({ failed: 1 }), '1 of 3 tests failed'],
    ['no passed test', counts({ passed: 0, skipped: 3 }), 'no test passed'],
    ['no test at all', counts({ total: 0, passed: 0 }), 'no test passed'],
    ['a negative number of failures', counts({ failed: -1 }), 'its counts are no counts'],
    ['a number of failures that is NaN', counts({ failed: Number.NaN }), 'its counts are no counts'],
    ['a number of passes that is NaN', counts({ passed: Number.NaN }), 'its counts are no counts'],
    ['infinitely many passes', counts({ passed: Number.POSITIVE_INFINITY }), 'its counts are no counts'],
    ['half a pass', counts({ passed: 1.5 }), 'its counts are no counts'],
    ['a negative number of skipped tests', counts({ skipped: -3 }), 'its counts are no counts'],
    ['a total that is NaN', counts({ total: Number.NaN }), 'its counts are no counts'],
  ])('reports a failure for %s', (_name, metrics, reason) => {
    expect(evidenceFailures(evidenceItem({ metrics: { unit_tests: metrics } }))).toContain(reason);
  });

  it('reports a failure for test evidence without counts of its own kind', () => {
    expect(evidenceFailures(evidenceItem({ metrics: {} }))).toEqual(['it holds no test counts']);
    expect(evidenceFailures(evidenceItem({ kind: 'e2e_tests', metrics: { unit_tests: counts() } }))).toEqual([
      'it holds no test counts',
    ]);
  });

  it('reports the failures that the evidence states itself, with any counts', () => {
    const failures = ['the run was interrupted'];
    expect(evidenceFailures(evidenceItem({ failures }))).toEqual(failures);
    expect(evidenceFailures(coverageItem(100, { failures }))).toEqual(failures);
    expect(evidenceFailures(evidenceItem({ failures, metrics: {} }))).toEqual([...failures, 'it holds no test counts']);
  });

  it('requires no counts of evidence that is no test', () => {
    expect(evidenceFailures(evidenceItem({ kind: 'manual', metrics: {} }))).toEqual([]);
  });
});

describe('isTestKind', () => {
  it.each(EVIDENCE_KINDS)('recognizes whether "%s" is a kind of test', (kind) => {
    expect(isTestKind(kind)).toBe(kind.endsWith('_tests'));
  });
});

describe('getTestMetrics', () => {
  it("returns only the counts of the item's own kind", () => {
    expect(getTestMetrics(evidenceItem())).toEqual(counts());
    expect(getTestMetrics(coverageItem(90))).toBeUndefined();
  });
});
