import { describe, expect, it } from '@jest/globals';
import { coveragePiece } from '../../../test/support/given-facts.js';
import type { EffectiveEvidenceSet } from '../evidence/effective-evidence-set.js';
import type { CoverageMetrics, EvidenceItem } from '../evidence/evidence.js';
import { DEFAULT_POLICY } from '../policy/policy.js';
import { failingQualityGates, effectiveLinePercent } from './quality-gates.js';

const slotOf = (...items: readonly EvidenceItem[]): EffectiveEvidenceSet => [
  { pipeline: 'ci', kind: 'coverage', environment: 'staging', pieces: items, flaky: false, provenRun: null },
];
const stated = (line_percent: number | null, lines?: CoverageMetrics['lines']): EvidenceItem =>
  coveragePiece(null, { metrics: { coverage: { line_percent, branch_percent: null, ...(lines ? { lines } : {}) } } });

describe('line coverage', () => {
  it.each<[string, readonly EvidenceItem[], number | null]>([
    ['all of it', [stated(100)], 100],
    ['none of it', [stated(0)], 0],
    ['more than all', [stated(100.1)], null],
    ['less than none', [stated(-0.1)], null],
    ['every line counted', [stated(null, { covered: 4, total: 4 })], 100],
    ['more lines than there are', [stated(90, { covered: 5, total: 4 })], null],
    ['lines of nothing', [stated(90, { covered: 0, total: 0 })], null],
    ['lines covered that count nothing', [stated(90, { covered: 1.5, total: 4 })], null],
    ['lines in all that count nothing', [stated(90, { covered: 1, total: Number.POSITIVE_INFINITY })], null],
    ['negative lines', [stated(90, { covered: -4, total: -4 })], null],
    ['counts of each, added up', [stated(10, { covered: 1, total: 10 }), stated(90, { covered: 9, total: 10 })], 50],
    ['counts of one alone: the lowest', [stated(90, { covered: 9, total: 10 }), stated(40)], 40],
    ['nothing of one', [stated(90), coveragePiece(null, { metrics: {} })], null],
  ])('states %s', (_name, items, percent) => {
    expect(effectiveLinePercent(slotOf(...items))).toBe(percent);
  });

  it.each<[string, { minLinePercent: number | null; maxDrop: number | null }, number | null, number]>([
    ['a drop that no policy limits', { minLinePercent: 50, maxDrop: null }, 90, 0],
    ['a drop within the limit', { minLinePercent: null, maxDrop: 10 }, 90, 0],
    ['a drop beyond the limit', { minLinePercent: null, maxDrop: 9.9 }, 90, 1],
    ['a limit without a predecessor', { minLinePercent: null, maxDrop: 0 }, null, 0],
    ['less than the least', { minLinePercent: 80.1, maxDrop: null }, null, 1],
  ])('is held to %s', (_name, coverage, predecessor, failing) => {
    const gates = { ...DEFAULT_POLICY.qualityGates, coverage };
    expect(failingQualityGates(gates, slotOf(stated(80)), predecessor)).toHaveLength(failing);
  });

  it('is said to be missing once, and not to have dropped as well', () => {
    const gates = { ...DEFAULT_POLICY.qualityGates, coverage: { minLinePercent: 50, maxDrop: 1 } };
    expect(failingQualityGates(gates, slotOf(stated(null)), 90).map(({ detail }) => detail)).toEqual([
      'The coverage of "ci" (staging) states no line coverage.',
    ]);
  });
});
