import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { CANDIDATE, coveragePiece, piece, redPiece, scanPiece } from '../../../test/support/given-facts.js';
import { selectEffectiveEvidence, type EffectiveEvidenceSet } from '../evidence/effective-evidence-set.js';
import type { EvidenceItem, SeverityMetrics, TestMetrics } from '../evidence/evidence.js';
import { DEFAULT_POLICY, type Policy, type QualityGates, type RequiredEvidence } from '../policy/policy.js';
import { unmetEvidence } from './evidence-requirements.js';
import { gradeForScore, buildScorecard, type Scorecard } from './scorecard.js';

const setOf = (...items: readonly EvidenceItem[]): EffectiveEvidenceSet =>
  selectEffectiveEvidence(items, { sha: CANDIDATE, shas: [CANDIDATE] }, () => true);
const policyOf = (gates: Partial<QualityGates> = {}, requiredEvidence: readonly RequiredEvidence[] = []): Policy => ({
  ...DEFAULT_POLICY,
  evidencing: { ...DEFAULT_POLICY.evidencing, requiredEvidence },
  qualityGates: { ...DEFAULT_POLICY.qualityGates, ...gates },
});
const tests = (counts: Partial<TestMetrics>): EvidenceItem => {
  const { passed = 0, failed = 0, skipped = 0, ...more } = counts;
  const total = passed + failed + skipped;
  return piece({ metrics: { unit_tests: { total, passed, failed, skipped, ...more } } });
};
const score = (items: readonly EvidenceItem[], policy: Policy | null = policyOf(), before: number | null = null) =>
  buildScorecard(setOf(...items), policy, before);
const categoryOf = ({ categories }: Scorecard, wanted: string) => categories.find(({ name }) => name === wanted);

const clean = [coveragePiece(80), scanPiece('sast_scan'), scanPiece('security')];

describe('a scorecard', () => {
  it('weighs five categories, which make up the whole', () => {
    const { categories } = score([tests({ passed: 10 }), ...clean]);
    expect(categories.map(({ name, weight }) => [name, weight])).toEqual([
      ['tests', 40],
      ['coverage', 25],
      ['sast', 15],
      ['vulnerabilities', 15],
      ['completeness', 5],
    ]);
  });

  it.each<[string, readonly EvidenceItem[], Policy | null, number | null, string | null, readonly string[]]>([
    ['everything there and good', [tests({ passed: 10 }), ...clean], policyOf(), 95, 'A', []],
    ['nothing', [], policyOf(), null, null, ['tests', 'coverage', 'sast', 'vulnerabilities', 'completeness']],
    ['tests alone', [tests({ passed: 3 })], policyOf(), 100, 'A', ['coverage', 'sast', 'vulnerabilities']],
    ['coverage alone', [coveragePiece(95)], policyOf(), 79.1, 'C', ['tests', 'sast', 'vulnerabilities']],
    ['no policy', [tests({ passed: 3 })], null, 79.9, 'C', ['coverage', 'sast', 'vulnerabilities', 'completeness']],
    ['a test that failed among thousands', [tests({ passed: 9_999, failed: 1 }), ...clean], policyOf(), 69.9, 'D', []],
    ['a red report without a red test', [redReport(), ...clean], policyOf(), 69.9, 'D', []],
    ['all tests failing', [tests({ failed: 5 })], policyOf(), 11.1, 'F', ['coverage', 'sast', 'vulnerabilities']],
    ['all tests skipped', [tests({ skipped: 5 })], policyOf(), 11.1, 'F', ['coverage', 'sast', 'vulnerabilities']],
    [
      'an open critical finding',
      [tests({ passed: 10 }), coveragePiece(100), scanPiece('sast_scan', { critical: 1 }), scanPiece('security')],
      policyOf(),
      79.9,
      'C',
      [],
    ],
    [
      'an open critical vulnerability',
      [tests({ passed: 10 }), coveragePiece(100), scanPiece('sast_scan'), scanPiece('security', { critical: 1 })],
      policyOf(),
      79.9,
      'C',
      [],
    ],
    [
      'coverage below its gate',
      [tests({ passed: 10 }), ...clean],
      policyOf({ coverage: { minLinePercent: 81, maxDrop: null } }),
      69.9,
      'D',
      [],
    ],
    [
      'required evidence that is missing',
      [tests({ passed: 10 }), ...clean],
      policyOf({}, [{ kind: 'e2e_tests', environment: null, minTests: 1 }]),
      79.9,
      'C',
      [],
    ],
  ])('of %s', (_name, items, policy, points, grade, incomplete) => {
    const card = score(items, policy);
    expect([card.score, card.grade, card.incomplete]).toEqual([points, grade, incomplete]);
  });

  it('has no good grade while jobs of its run did not upload', () => {
    const set = setOf(tests({ passed: 9, failed: 0 }));
    const missing = {
      code: 'evidence_incomplete',
      detail: 'The job "test (2)" did not finish yet.',
      actor: 'ci',
    } as const;
    expect(buildScorecard(set, policyOf(), null).grade).toBe('A');
    const { grade, caps } = buildScorecard(set, policyOf(), null, [missing]);
    expect([grade, caps]).toEqual(['C', [{ grade: 'C', reason: missing.detail }]]);
    expect(buildScorecard(set, policyOf(), null, [{ ...missing, code: 'evidence_failing' }]).grade).toBe('D');
  });

  it('says why its grade is no better', () => {
    const { caps } = score(
      [tests({ passed: 1, failed: 1 }), scanPiece('security', { critical: 2 })],
      policyOf({}, [{ kind: 'sbom', environment: null, minTests: 1 }]),
    );
    expect(caps.map(({ grade }) => grade)).toEqual(['D', 'C', 'C']);
    expect(caps.map(({ reason }) => reason)).toEqual([
      '"unit_tests" of "ci" (staging) fails: 1 of 2 tests failed. Run the job "test" of run 100 again, or start a new run.',
      'A critical finding is open.',
      'Required evidence "sbom" was not uploaded.',
    ]);
  });

  it('falls with coverage that dropped further than the policy allows', () => {
    const gates = policyOf({ coverage: { minLinePercent: null, maxDrop: 1 } });
    expect(score([tests({ passed: 1 }), coveragePiece(90)], gates, 92).grade).toBe('D');
    expect(score([tests({ passed: 1 }), coveragePiece(90)], gates, 91).grade).toBe('A');
  });

  it('rounds down, so that nothing is rounded up into a better grade', () => {
    // 40 × 100 and 25 × 84.6 of 70, with what is complete.
    expect(score([tests({ passed: 1 }), coveragePiece(84.69)]).score).toBe(94.5);
    expect(categoryOf(score([coveragePiece(89.99)]), 'coverage')?.score).toBe(89.9);
  });
});

describe('the grade of a score', () => {
  it.each([
    [100, 'A'],
    [90, 'A'],
    [89.9, 'B'],
    [80, 'B'],
    [79.9, 'C'],
    [70, 'C'],
    [69.9, 'D'],
    [60, 'D'],
    [59.9, 'F'],
    [0, 'F'],
  ])('%d is %s', (points, grade) => {
    expect(gradeForScore(points)).toBe(grade);
  });
});

describe('a category', () => {
  it.each<[string, string, readonly EvidenceItem[], number | null, string]>([
    ['tests', 'half a point for a flaky one', [tests({ passed: 10, flaky: 2 })], 90, 'passed'],
    ['tests', 'nothing for a skipped one', [tests({ passed: 9, skipped: 1 })], 100, 'passed'],
    ['tests', 'flaky ones that are more than passed', [tests({ passed: 1, flaky: 9 })], 50, 'passed'],
    ['tests', 'counts that are none', [tests({ passed: Number.NaN })], 0, 'failed'],
    ['tests', 'no counts at all', [piece({ metrics: {} })], 0, 'failed'],
    ['coverage', 'per cents as points', [coveragePiece(61.25)], 61.2, 'passed'],
    ['coverage', 'none stated', [coveragePiece(null)], null, 'incomplete'],
    ['sast', 'nothing found', [scanPiece('sast_scan')], 100, 'passed'],
    ['sast', 'one of each', [scanPiece('sast_scan', { critical: 1, high: 1, medium: 1, low: 1 })], 47.7, 'failed'],
    ['sast', 'no less than none', [scanPiece('sast_scan', { high: 99 })], 0, 'passed'],
    [
      'sast',
      'findings of several scanners',
      [scanPiece('sast_scan', { high: 1 }), scanPiece('sast_scan', { high: 1 })],
      80,
      'passed',
    ],
    ['coverage', 'what some state', [coveragePiece(40), coveragePiece(null)], 40, 'passed'],
    ['sast', 'what some state', [scanPiece('sast_scan', { high: 3 }), silentScan()], 70, 'passed'],
    ['vulnerabilities', 'none stated', [scanPiece('security', {}, { metrics: {} })], null, 'incomplete'],
    [
      'vulnerabilities',
      'a scan that failed',
      [scanPiece('security', {}, { failures: ['it was interrupted'] })],
      100,
      'failed',
    ],
  ])('of %s: %s', (name, _what, items, points, status) => {
    expect(categoryOf(score(items), name)).toMatchObject({ score: points, status });
  });

  it.each<[string, Policy, number]>([
    ['tests alone, where nothing is asked for', policyOf(), 100],
    ['what is required', policyOf({}, [{ kind: 'unit_tests', environment: 'production', minTests: 1 }]), 50],
    ['enough tests', policyOf({}, [{ kind: 'unit_tests', environment: null, minTests: 11 }]), 50],
    ['what a quality gate measures', policyOf({ coverage: { minLinePercent: 1, maxDrop: null } }), 50],
  ])('of completeness counts %s', (_name, policy, points) => {
    expect(categoryOf(score([tests({ passed: 10 })], policy), 'completeness')?.score).toBe(points);
  });
});

describe('any scorecard', () => {
  const count = fc.nat({ max: 50 });
  const counts = fc.record({ passed: count, failed: count, skipped: count, flaky: count });
  const found = fc.record({ critical: fc.nat({ max: 3 }), high: count, medium: count, low: count });
  const evidence = fc.record({
    tests: fc.option(counts),
    line: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
    sast: fc.option(found),
    security: fc.option(found),
  });
  type Evidence = typeof evidence extends fc.Arbitrary<infer Value> ? Value : never;
  const policies = fc.constantFrom(
    policyOf(),
    policyOf({ coverage: { minLinePercent: 80, maxDrop: 1 } }),
    policyOf({ security: { maxCritical: 0, maxHigh: 2, maxMedium: null, maxLow: null } }),
    policyOf({}, [{ kind: 'unit_tests', environment: 'staging', minTests: 5 }]),
  );
  const piecesOf = ({ tests: counted, line, sast, security }: Evidence): readonly EvidenceItem[] => [
    ...(counted ? [tests(counted)] : []),
    ...(line === null ? [] : [coveragePiece(line)]),
    ...(sast ? [scanPiece('sast_scan', sast)] : []),
    ...(security ? [scanPiece('security', security)] : []),
  ];
  const points = (given: Evidence, policy: Policy): number => score(piecesOf(given), policy, 85).score ?? -1;
  const RUNS = { numRuns: 500 };

  it('has no good grade where the gate says no', () => {
    fc.assert(
      fc.property(evidence, policies, (given, policy) => {
        const set = setOf(...piecesOf(given));
        const { requiredEvidence } = policy.evidencing;
        const unmet = unmetEvidence(set, requiredEvidence, policy.qualityGates, 85);
        const { grade } = buildScorecard(set, policy, 85);
        if (unmet.length > 0) expect(['C', 'D', 'F', null]).toContain(grade);
      }),
      RUNS,
    );
  });

  it('is no better with one more failure, flaky test or finding, and no worse with more coverage', () => {
    const severities: readonly (keyof SeverityMetrics)[] = ['critical', 'high', 'medium', 'low'];
    fc.assert(
      fc.property(evidence, policies, (given, policy) => {
        const now = points(given, policy);
        const { tests: counted, line } = given;
        if (counted) {
          for (const name of ['failed', 'flaky'] as const) {
            const worse = { ...given, tests: { ...counted, [name]: counted[name] + 1 } };
            expect(points(worse, policy)).toBeLessThanOrEqual(now);
          }
        }
        for (const kind of ['sast', 'security'] as const) {
          for (const severity of severities) {
            const scan = given[kind];
            if (!scan) continue;
            const worse = { ...given, [kind]: { ...scan, [severity]: scan[severity] + 1 } };
            expect(points(worse, policy)).toBeLessThanOrEqual(now);
          }
        }
        if (line !== null) {
          expect(points({ ...given, line: Math.min(100, line + 1) }, policy)).toBeGreaterThanOrEqual(now);
        }
      }),
      RUNS,
    );
  });

  it('is no better for a piece that states nothing', () => {
    const silent = [coveragePiece(null), silentScan(), scanPiece('security', {}, { metrics: {} })];
    fc.assert(
      fc.property(evidence, policies, fc.constantFrom(...silent), (given, policy, more) => {
        const items = piecesOf(given);
        const now = score(items, policy, 85).score ?? -1;
        expect(score([...items, more], policy, 85).score ?? -1).toBeLessThanOrEqual(now);
      }),
      RUNS,
    );
  });

  it('has no good grade where nobody knows the policy', () => {
    fc.assert(
      fc.property(evidence, (given) => {
        expect(['C', 'D', 'F', null]).toContain(score(piecesOf(given), null, 85).grade);
      }),
      RUNS,
    );
  });

  it('is no better for a test that fails instead of passing', () => {
    fc.assert(
      fc.property(evidence, policies, (given, policy) => {
        const { tests: counted } = given;
        if (!counted || counted.passed === 0) return;
        const worse = { ...counted, passed: counted.passed - 1, failed: counted.failed + 1 };
        expect(points({ ...given, tests: worse }, policy)).toBeLessThanOrEqual(points(given, policy));
      }),
      RUNS,
    );
  });

  it('lies between 0 and 100, and has its grade', () => {
    fc.assert(
      fc.property(evidence, policies, (given, policy) => {
        const card = score(piecesOf(given), policy, 85);
        if (card.score === null) expect([card.grade, card.incomplete.length]).toEqual([null, 5]);
        else {
          expect(card.score).toBeGreaterThanOrEqual(0);
          expect(card.score).toBeLessThanOrEqual(100);
          expect(card.grade).toBe(gradeForScore(card.score));
        }
      }),
      RUNS,
    );
  });
});

function silentScan(): EvidenceItem {
  return scanPiece('sast_scan', {}, { metrics: {} });
}

function redReport(): EvidenceItem {
  return redPiece({
    metrics: { unit_tests: { total: 5, passed: 5, failed: 0, skipped: 0 } },
    failures: ['it bailed out'],
  });
}
