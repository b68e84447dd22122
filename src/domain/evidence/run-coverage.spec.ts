import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, coverageItem } from '../../../test/support/given-facts.js';
import { DEFAULT_POLICY } from '../policy/policy.js';
import { coverageGate, effectiveLinePercent } from '../quality/quality-gates.js';
import { type EffectiveEvidenceSet, selectEffectiveEvidence } from './effective-evidence-set.js';
import type { EvidenceItem } from './evidence.js';
import { type RunCoverage, RunCoverages } from './run-coverage.js';

const counted = (id: string, covered: number, total: number, changes: Partial<EvidenceItem> = {}): EvidenceItem =>
  coverageItem(null, {
    id: `${id}/coverage`,
    job: id,
    metrics: { coverage: { line_percent: null, branch_percent: null, lines: { covered, total } } },
    ...changes,
  });
const stated = (id: string, percent: number): EvidenceItem => coverageItem(percent, { id: `${id}/coverage`, job: id });

const select = (items: readonly EvidenceItem[], coverages: RunCoverages): EffectiveEvidenceSet =>
  selectEffectiveEvidence(items, { sha: CANDIDATE, shas: [CANDIDATE] }, () => true, coverages);

const known = (evidenceIds: readonly string[], covered: number, total: number): RunCoverage => ({
  evidenceIds,
  lines: { covered, total },
});

const CLAIMED = { run: { id: 'https://ci.test/1', proven: false } };

describe('the coverage of a run', () => {
  it.each<[string, readonly EvidenceItem[], readonly RunCoverage[], number]>([
    [
      'counts once for all of its items',
      [counted('a', 10, 20), counted('b', 10, 20)],
      [known(['a', 'b'], 20, 20)],
      100,
    ],
    [
      'is found in any order of the items',
      [counted('b', 10, 20), counted('a', 10, 20)],
      [known(['a', 'b'], 20, 20)],
      100,
    ],
    ['is the least that they can cover if it is not known', [counted('a', 10, 20), counted('b', 10, 20)], [], 25],
    [
      'is the least that they can cover if it could not be united',
      [counted('a', 10, 20), counted('b', 15, 20)],
      [{ evidenceIds: ['a', 'b'], lines: null }],
      37.5,
    ],
    [
      'is not that of other items',
      [counted('a', 10, 20), counted('b', 10, 20), counted('c', 0, 20)],
      [known(['a', 'b'], 20, 20)],
      (100 * 10) / 60,
    ],
    [
      'is not diluted by a run of another kind of proof, which must pass alone',
      [
        counted('a', 10, 20, { receivedAt: new Date(1) }),
        counted('b', 10, 20, { receivedAt: new Date(1) }),
        counted('c', 2_000, 2_000, { ...CLAIMED, receivedAt: new Date(2) }),
      ],
      [known(['a', 'b'], 12, 20)],
      60,
    ],
    [
      'is the lowest of all runs that count',
      [
        counted('a', 20, 20, { receivedAt: new Date(1) }),
        counted('c', 5, 20, { ...CLAIMED, receivedAt: new Date(2) }),
        counted('d', 2_000, 2_000, { run: null, receivedAt: new Date(3) }),
      ],
      [],
      25,
    ],
    [
      'is the lowest of all uploads without a run, which must each pass alone',
      [
        counted('a', 1, 20, { run: null }),
        counted('b', 9_000, 9_000, { run: null }),
        counted('c', 15, 20, { run: null, job: null }),
      ],
      [],
      5,
    ],
    [
      'counts with the lowest value beside a metric without counts',
      [counted('a', 10, 20), counted('b', 10, 20), stated('c', 70)],
      [known(['a', 'b'], 20, 20)],
      70,
    ],
    ['is that of the single item', [counted('a', 10, 20)], [], 50],
  ])('%s', (_name, items, coverages, percent) => {
    expect(effectiveLinePercent(select(items, new RunCoverages(coverages)))).toBe(percent);
  });

  it('does not unite uploads without a run', () => {
    const items = [counted('a', 10, 20, { run: null }), counted('b', 11, 20, { run: null })];
    const coverages = new RunCoverages([known(['a', 'b'], 20, 20)]);
    expect(effectiveLinePercent(select(items, coverages))).toBe(50);
    expect(coverages.missing()).toEqual([]);
  });

  it('is missing for the newest items and for those of the own commit', () => {
    const merge = 'e'.repeat(40);
    const newer = { commitSha: merge, run: { id: '200', proven: true } };
    const items = [counted('a', 1, 2), counted('b', 1, 2), counted('c', 1, 2, newer), counted('d', 1, 2, newer)];
    const coverages = new RunCoverages([]);
    selectEffectiveEvidence(items, { sha: CANDIDATE, shas: [CANDIDATE, merge] }, () => true, coverages);
    expect(coverages.missing()).toEqual(
      expect.arrayContaining([
        ['a', 'b'],
        ['c', 'd'],
      ]),
    );
  });

  it.each<[string, readonly RunCoverage[], string]>([
    ['are not united yet', [], '2 uploads of one run are not united yet'],
    ['are too large', [{ evidenceIds: ['a', 'b'], lines: null }], '2 uploads of one run are too large to be united'],
  ])('is explained by its condition if the uploads %s', (_name, coverages, reason) => {
    const items = [counted('a', 10, 20), counted('b', 10, 20)];
    const gate = { ...DEFAULT_POLICY.qualityGates.coverage, minLinePercent: 80, maxDrop: 1 };
    const conditions = coverageGate(gate, select(items, new RunCoverages(coverages)), 90);
    expect(conditions.map(({ detail }) => detail)).toEqual([
      expect.stringContaining(reason),
      expect.stringContaining(reason),
    ]);
  });

  it('is explained by its condition if several uploads name no run', () => {
    const items = [counted('a', 1, 20, { run: null }), counted('b', 9_000, 9_000, { run: null })];
    const gate = { ...DEFAULT_POLICY.qualityGates.coverage, minLinePercent: 80 };
    expect(coverageGate(gate, select(items, new RunCoverages([])), null).map(({ detail }) => detail)).toEqual([
      'Line coverage of "ci" (staging) is 5 %, below 80 %. 2 uploads name no run, so the lowest of them counts. Upload them with the same run_url to unite them.',
    ]);
  });

  it('decides the gate', () => {
    const items = [counted('a', 10, 20), counted('b', 10, 20)];
    const gate = { ...DEFAULT_POLICY.qualityGates.coverage, minLinePercent: 80 };
    const conditions = (coverages: readonly RunCoverage[]): number =>
      coverageGate(gate, select(items, new RunCoverages(coverages)), null).length;
    expect(conditions([known(['a', 'b'], 20, 20)])).toBe(0);
    expect(conditions([])).toBe(1);
  });
});
