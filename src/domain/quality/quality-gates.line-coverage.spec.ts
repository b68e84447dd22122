import { describe, expect, it } from '@jest/globals';
import { coverageItem } from '../../../test/support/given-facts.js';
import type { EffectiveEvidenceSet } from '../evidence/effective-evidence-set.js';
import type { CoverageMetrics, EvidenceItem } from '../evidence/evidence.js';
import { DEFAULT_POLICY } from '../policy/policy.js';
import { failingQualityGates, effectiveLinePercent } from './quality-gates.js';

const setOf = (...items: readonly EvidenceItem[]): EffectiveEvidenceSet => [
  { pipeline: 'ci', kind: 'coverage', environment: 'staging', items, flaky: false, provenRun: null },
];
const stated = (line_percent: number | null, lines?: CoverageMetrics['lines']): EvidenceItem =>
  coverageItem(null, { metrics: { coverage: { line_percent, branch_percent: null, ...(lines ? { lines } : {}) } } });

describe('effectiveLinePercent', () => {
  it.each<[string, readonly EvidenceItem[], number | null]>([
    ['full coverage', [stated(100)], 100],
    ['no coverage', [stated(0)], 0],
    ['more than full coverage', [stated(100.1)], null],
    ['less than no coverage', [stated(-0.1)], null],
    ['all lines covered', [stated(null, { covered: 4, total: 4 })], 100],
    ['more covered lines than lines in total', [stated(90, { covered: 5, total: 4 })], null],
    ['counts of zero lines', [stated(90, { covered: 0, total: 0 })], null],
    ['a covered count that is no integer', [stated(90, { covered: 1.5, total: 4 })], null],
    ['a total that is infinite', [stated(90, { covered: 1, total: Number.POSITIVE_INFINITY })], null],
    ['negative counts', [stated(90, { covered: -4, total: -4 })], null],
    [
      'the sum of the counts when all items have them',
      [stated(10, { covered: 1, total: 10 }), stated(90, { covered: 9, total: 10 })],
      50,
    ],
    ['the lowest value when only one item has counts', [stated(90, { covered: 9, total: 10 }), stated(40)], 40],
    ['null when one item has no value', [stated(90), coverageItem(null, { metrics: {} })], null],
  ])('returns the percentage or null for %s', (_name, items, percent) => {
    expect(effectiveLinePercent(setOf(...items))).toBe(percent);
  });

  it.each<[string, { minLinePercent: number | null; maxDrop: number | null }, number | null, number]>([
    ['a drop without a limit', { minLinePercent: 50, maxDrop: null }, 90, 0],
    ['a drop within the limit', { minLinePercent: null, maxDrop: 10 }, 90, 0],
    ['a drop beyond the limit', { minLinePercent: null, maxDrop: 9.9 }, 90, 1],
    ['a limit without a predecessor', { minLinePercent: null, maxDrop: 0 }, null, 0],
    ['a value below the minimum', { minLinePercent: 80.1, maxDrop: null }, null, 1],
  ])('applies the coverage gate to %s', (_name, coverage, predecessor, failing) => {
    const gates = { ...DEFAULT_POLICY.qualityGates, coverage };
    expect(failingQualityGates(gates, setOf(stated(80)), predecessor)).toHaveLength(failing);
  });

  it('reports missing coverage once, without a drop', () => {
    const gates = { ...DEFAULT_POLICY.qualityGates, coverage: { minLinePercent: 50, maxDrop: 1 } };
    expect(failingQualityGates(gates, setOf(stated(null)), 90).map(({ detail }) => detail)).toEqual([
      'The coverage of "ci" (staging) states no line coverage.',
    ]);
  });
});
