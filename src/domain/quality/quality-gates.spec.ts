import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, coveragePiece, piece, scanPiece } from '../../../test/support/given-facts.js';
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
  coveragePiece(null, {
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
    ['exactly the minimum', [coveragePiece(80)], 80, 0],
    ['a hair below the minimum', [coveragePiece(79.99)], 80, 1],
    ['exactly the minimum, of counts whose ratio no computer writes exactly', [counted(29, 100)], 29, 0],
    ['a minimum of none at all, measured as none', [coveragePiece(0)], 0, 0],
    ['no line coverage stated', [coveragePiece(null)], 0, 1],
    ['coverage without its metrics', [coveragePiece(90, { metrics: {} })], 0, 1],
    ['coverage that is no number', [coveragePiece(Number.NaN)], 0, 1],
    ['endless coverage', [coveragePiece(Number.POSITIVE_INFINITY)], 80, 1],
    ['coverage of more than everything', [coveragePiece(100.1)], 80, 1],
    ['negative coverage', [coveragePiece(-1)], 0, 1],
    ['shards that reach the minimum together', [counted(70, 100), counted(90, 100)], 80, 0],
    ['shards that miss it together', [counted(70, 100), counted(89, 100)], 80, 1],
    ['shards without counts by their lowest', [coveragePiece(79), coveragePiece(99)], 80, 1],
    ['a shard without counts beside one that has them', [counted(79, 100), coveragePiece(99)], 80, 1],
    ['a shard that measured nothing', [counted(90, 100), counted(0, 0)], 80, 1],
    ['more lines covered than there are', [counted(101, 100)], 80, 1],
    ['a negative number of lines', [counted(-90, -100)], 80, 1],
    ['lines that are no number', [counted(Number.NaN, 100)], 80, 1],
    ['each pipeline by itself', [coveragePiece(99), coveragePiece(70, { pipeline: 'web' })], 80, 1],
  ])('judges %s', (_name, items, minimum, failing) => {
    expect(codes(coverageGate(minimum), setOf(...items))).toEqual(
      Array.from({ length: failing }, () => 'quality_gate_failing'),
    );
  });

  it('does not hold without any coverage', () => {
    expect(codes(coverageGate(0), setOf(piece()))).toEqual(['quality_evidence_missing']);
    expect(codes(coverageGate(null, 0), setOf(piece()))).toEqual(['quality_evidence_missing']);
  });

  it('asks for nothing where the policy sets none', () => {
    expect(codes(coverageGate(null), setOf(coveragePiece(null)))).toEqual([]);
  });

  it.each<[string, number, number | null, boolean]>([
    ['as much as is allowed', 84, 85, true],
    ['more than is allowed', 83.9, 85, false],
    ['nothing: it rose', 99, 85, true],
    ['as from a predecessor that is no number', 99, Number.NaN, false],
    ['as from no predecessor', 1, null, true],
  ])('lets coverage drop by %s', (_name, now, before, passes) => {
    expect(codes(coverageGate(null, 1), setOf(coveragePiece(now)), before)).toEqual(
      passes ? [] : ['quality_gate_failing'],
    );
  });

  it('holds the drop against pipelines of which one counts lines and one states per cents', () => {
    const set = setOf(counted(50, 100), coveragePiece(90, { pipeline: 'web' }));
    expect(codes(coverageGate(null, 1), set, 85)).toEqual(['quality_gate_failing']);
  });

  it('says by how much and where', () => {
    const [low, drop] = failingQualityGates(coverageGate(80, 1), setOf(coveragePiece(70.456)), 85);
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

  it.each(every)('holds $severity findings of $kind to their limit', ({ kind, gate, severity, limit }) => {
    const rule = gates({ [gate]: limits({ [limit]: 2 }) });
    const found = (count: number): readonly string[] => codes(rule, setOf(scanPiece(kind, { [severity]: count })));
    expect(found(2)).toEqual([]);
    expect(found(3)).toEqual(['quality_gate_failing']);
    expect(found(Number.NaN)).toEqual(['quality_gate_failing']);
    expect(found(Number.POSITIVE_INFINITY)).toEqual(['quality_gate_failing']);
    expect(found(-1)).toEqual(['quality_gate_failing']);
    expect(found(0.5)).toEqual(['quality_gate_failing']);
    expect(codes(rule, setOf(piece()))).toEqual(['quality_evidence_missing']);
    expect(codes(rule, setOf(scanPiece(kind, {}, { metrics: {} })))).toEqual(['quality_gate_failing']);
    const others = severities.filter((other) => other !== severity);
    expect(codes(rule, setOf(scanPiece(kind, Object.fromEntries(others.map((other) => [other, 99])))))).toEqual([]);
  });

  it('adds up what every scanner found', () => {
    const rule = gates({ security: limits({ maxHigh: 3 }) });
    const set = setOf(scanPiece('security', { high: 2 }), scanPiece('security', { high: 2 }, { pipeline: 'web' }));
    expect(failingQualityGates(rule, set, null).map(({ detail }) => detail)).toEqual([
      '4 high findings in "security"; 3 are allowed.',
    ]);
  });

  it('never lets one scanner pay for another with a negative count', () => {
    const rule = gates({ security: limits({ maxHigh: 0 }) });
    const set = setOf(scanPiece('security', { high: 5 }), scanPiece('security', { high: -5 }, { pipeline: 'web' }));
    expect(codes(rule, set)).toEqual(['quality_gate_failing']);
  });

  it('asks for nothing where the policy sets no limit', () => {
    expect(codes(gates({}), setOf(scanPiece('security', { critical: 9 })))).toEqual([]);
  });
});

describe('linePercentOf', () => {
  it.each<[string, readonly EvidenceItem[], number | null]>([
    ['nothing', [piece()], null],
    ['one stated number', [coveragePiece(83.5)], 83.5],
    ['counts, added up', [counted(1, 3), counted(2, 3)], 50],
    ['the lowest, where one has no counts', [counted(9, 10), coveragePiece(40)], 40],
    [
      'counts before the stated number',
      [
        coveragePiece(99, {
          metrics: { coverage: { line_percent: 99, branch_percent: null, lines: { covered: 1, total: 2 } } },
        }),
      ],
      50,
    ],
    ['nothing, where one piece states nothing', [coveragePiece(90), coveragePiece(null)], null],
  ])('answers for %s', (_name, items, percent) => {
    expect(effectiveLinePercent(setOf(...items))).toBe(percent);
  });
});
