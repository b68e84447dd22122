import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, coverageItem, evidenceItem, scanItem } from '../../../test/support/given-facts.js';
import { selectEffectiveEvidence, type EffectiveEvidenceSet } from '../evidence/effective-evidence-set.js';
import type { EvidenceItem } from '../evidence/evidence.js';
import { DEFAULT_POLICY, type QualityGates, type SeverityLimits } from '../policy/policy.js';
import { failingQualityGates, effectiveLinePercent } from './quality-gates.js';

const setOf = (...items: readonly EvidenceItem[]): EffectiveEvidenceSet =>
  selectEffectiveEvidence(items, { sha: CANDIDATE, shas: [CANDIDATE] }, () => true);

const gates = (changes: Partial<QualityGates>): QualityGates => ({ ...DEFAULT_POLICY.qualityGates, ...changes });
const coverageGate = (minLinePercent: number | null, maxDrop: number | null = null): QualityGates =>
  gates({ coverage: { minLinePercent, maxDrop } });
const limits = (changes: Partial<SeverityLimits>): SeverityLimits => ({
  maxCritical: null,
  maxHigh: null,
  maxMedium: null,
  maxLow: null,
  ...changes,
});

const counted = (covered: number, total: number, changes: Partial<EvidenceItem> = {}): EvidenceItem =>
  coverageItem(null, {
    metrics: { coverage: { line_percent: null, branch_percent: null, lines: { covered, total } } },
    ...changes,
  });

const codes = (
  quality: QualityGates,
  set: EffectiveEvidenceSet,
  predecessor: number | null = null,
): readonly string[] => failingQualityGates(quality, set, predecessor).map(({ code }) => code);

describe('the coverage gate', () => {
  it.each<[string, readonly EvidenceItem[], number, number]>([
    ['exactly the minimum', [coverageItem(80)], 80, 0],
    ['slightly below the minimum', [coverageItem(79.99)], 80, 1],
    ['exactly the minimum, from counts with an inexact ratio', [counted(29, 100)], 29, 0],
    ['a minimum of zero and a value of zero', [coverageItem(0)], 0, 0],
    ['no line coverage', [coverageItem(null)], 0, 1],
    ['coverage without its metrics', [coverageItem(90, { metrics: {} })], 0, 1],
    ['coverage that is NaN', [coverageItem(Number.NaN)], 0, 1],
    ['infinite coverage', [coverageItem(Number.POSITIVE_INFINITY)], 80, 1],
    ['coverage above 100 percent', [coverageItem(100.1)], 80, 1],
    ['negative coverage', [coverageItem(-1)], 0, 1],
    ['shards that reach the minimum together', [counted(70, 100), counted(90, 100)], 80, 0],
    ['shards that miss the minimum together', [counted(70, 100), counted(89, 100)], 80, 1],
    ['shards without counts by their lowest value', [coverageItem(79), coverageItem(99)], 80, 1],
    ['a shard without counts beside one with counts', [counted(79, 100), coverageItem(99)], 80, 1],
    ['a shard that measured nothing', [counted(90, 100), counted(0, 0)], 80, 1],
    ['more covered lines than lines in total', [counted(101, 100)], 80, 1],
    ['a negative number of lines', [counted(-90, -100)], 80, 1],
    ['counts that are NaN', [counted(Number.NaN, 100)], 80, 1],
    ['each pipeline separately', [coverageItem(99), coverageItem(70, { pipeline: 'web' })], 80, 1],
  ])('evaluates %s', (_name, items, minimum, failing) => {
    expect(codes(coverageGate(minimum), setOf(...items))).toEqual(
      Array.from({ length: failing }, () => 'quality_gate_failing'),
    );
  });

  it('fails without any coverage', () => {
    expect(codes(coverageGate(0), setOf(evidenceItem()))).toEqual(['quality_evidence_missing']);
    expect(codes(coverageGate(null, 0), setOf(evidenceItem()))).toEqual(['quality_evidence_missing']);
  });

  it('requires nothing if the policy sets no limit', () => {
    expect(codes(coverageGate(null), setOf(coverageItem(null)))).toEqual([]);
  });

  it.each<[string, number, number | null, boolean]>([
    ['by exactly the allowed drop', 84, 85, true],
    ['by more than the allowed drop', 83.9, 85, false],
    ['in the other direction', 99, 85, true],
    ['from a predecessor whose value is NaN', 99, Number.NaN, false],
    ['without a predecessor', 1, null, true],
  ])('accepts or rejects coverage that drops %s', (_name, now, before, passes) => {
    expect(codes(coverageGate(null, 1), setOf(coverageItem(now)), before)).toEqual(
      passes ? [] : ['quality_gate_failing'],
    );
  });

  it('compares the drop across pipelines if one counts lines and another states percentages', () => {
    const set = setOf(counted(50, 100), coverageItem(90, { pipeline: 'web' }));
    expect(codes(coverageGate(null, 1), set, 85)).toEqual(['quality_gate_failing']);
  });

  it('reports by how much coverage is too low, and where', () => {
    const [low, drop] = failingQualityGates(coverageGate(80, 1), setOf(coverageItem(70.456)), 85);
    expect(low?.detail).toBe('Line coverage of "ci" (staging) is 70.46 %, below 80 %.');
    expect(drop?.detail).toBe('Line coverage dropped by 14.54 points since the last shipped release; 1 are allowed.');
  });
});

describe('the gates for findings', () => {
  const severities = ['critical', 'high', 'medium', 'low'] as const;
  const kinds = [
    ['sast_scan', 'sastScan'],
    ['security', 'security'],
  ] as const;
  const every = kinds.flatMap(([kind, gate]) =>
    severities.map((severity) => {
      const limit = `max${severity.charAt(0).toUpperCase()}${severity.slice(1)}` as keyof SeverityLimits;
      return { kind, gate, severity, limit };
    }),
  );

  it.each(every)('limits $severity findings of $kind', ({ kind, gate, severity, limit }) => {
    const rule = gates({ [gate]: limits({ [limit]: 2 }) });
    const found = (count: number): readonly string[] => codes(rule, setOf(scanItem(kind, { [severity]: count })));
    expect(found(2)).toEqual([]);
    expect(found(3)).toEqual(['quality_gate_failing']);
    expect(found(Number.NaN)).toEqual(['quality_gate_failing']);
    expect(found(Number.POSITIVE_INFINITY)).toEqual(['quality_gate_failing']);
    expect(found(-1)).toEqual(['quality_gate_failing']);
    expect(found(0.5)).toEqual(['quality_gate_failing']);
    expect(codes(rule, setOf(evidenceItem()))).toEqual(['quality_evidence_missing']);
    expect(codes(rule, setOf(scanItem(kind, {}, { metrics: {} })))).toEqual(['quality_gate_failing']);
    const others = severities.filter((other) => other !== severity);
    expect(codes(rule, setOf(scanItem(kind, Object.fromEntries(others.map((other) => [other, 99])))))).toEqual([]);
  });

  it('adds the findings of all scanners', () => {
    const rule = gates({ security: limits({ maxHigh: 3 }) });
    const set = setOf(scanItem('security', { high: 2 }), scanItem('security', { high: 2 }, { pipeline: 'web' }));
    expect(failingQualityGates(rule, set, null).map(({ detail }) => detail)).toEqual([
      '4 high findings in "security"; 3 are allowed.',
    ]);
  });

  it('does not offset findings of one scanner with a negative count of another', () => {
    const rule = gates({ security: limits({ maxHigh: 0 }) });
    const set = setOf(scanItem('security', { high: 5 }), scanItem('security', { high: -5 }, { pipeline: 'web' }));
    expect(codes(rule, set)).toEqual(['quality_gate_failing']);
  });

  it('requires nothing if the policy sets no limit', () => {
    expect(codes(gates({}), setOf(scanItem('security', { critical: 9 })))).toEqual([]);
  });
});

describe('effectiveLinePercent', () => {
  it.each<[string, readonly EvidenceItem[], number | null]>([
    ['null for no coverage', [evidenceItem()], null],
    ['one stated value', [coverageItem(83.5)], 83.5],
    ['the sum of the counts', [counted(1, 3), counted(2, 3)], 50],
    ['the lowest value if one item has no counts', [counted(9, 10), coverageItem(40)], 40],
    [
      'counts rather than the stated value',
      [
        coverageItem(99, {
          metrics: { coverage: { line_percent: 99, branch_percent: null, lines: { covered: 1, total: 2 } } },
        }),
      ],
      50,
    ],
    ['null if one item states nothing', [coverageItem(90), coverageItem(null)], null],
  ])('returns %s', (_name, items, percent) => {
    expect(effectiveLinePercent(setOf(...items))).toBe(percent);
  });
});
