import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { CANDIDATE, coverageItem, evidenceItem, failingItem, scanItem } from '../../../test/support/given-facts.js';
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
  return evidenceItem({ metrics: { unit_tests: { total, passed, failed, skipped, ...more } } });
};
const score = (items: readonly EvidenceItem[], policy: Policy | null = policyOf(), before: number | null = null) =>
  buildScorecard(setOf(...items), policy, before);
const categoryOf = ({ categories }: Scorecard, category: string) => categories.find(({ name }) => name === category);

const clean = [coverageItem(80), scanItem('sast_scan'), scanItem('security')];

describe('buildScorecard', () => {
  it('weighs five categories that add up to 100', () => {
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
    ['complete and passing evidence', [tests({ passed: 10 }), ...clean], policyOf(), 95, 'A', []],
    ['no evidence', [], policyOf(), null, null, ['tests', 'coverage', 'sast', 'vulnerabilities', 'completeness']],
    ['tests only', [tests({ passed: 3 })], policyOf(), 100, 'A', ['coverage', 'sast', 'vulnerabilities']],
    ['coverage only', [coverageItem(95)], policyOf(), 79.1, 'C', ['tests', 'sast', 'vulnerabilities']],
    ['no policy', [tests({ passed: 3 })], null, 79.9, 'C', ['coverage', 'sast', 'vulnerabilities', 'completeness']],
    ['one failed test among thousands', [tests({ passed: 9_999, failed: 1 }), ...clean], policyOf(), 69.9, 'D', []],
    ['a failing report without a failing test', [redReport(), ...clean], policyOf(), 69.9, 'D', []],
    ['all tests failing', [tests({ failed: 5 })], policyOf(), 11.1, 'F', ['coverage', 'sast', 'vulnerabilities']],
    ['all tests skipped', [tests({ skipped: 5 })], policyOf(), 11.1, 'F', ['coverage', 'sast', 'vulnerabilities']],
    [
      'an open critical finding',
      [tests({ passed: 10 }), coverageItem(100), scanItem('sast_scan', { critical: 1 }), scanItem('security')],
      policyOf(),
      79.9,
      'C',
      [],
    ],
    [
      'an open critical vulnerability',
      [tests({ passed: 10 }), coverageItem(100), scanItem('sast_scan'), scanItem('security', { critical: 1 })],
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
  ])('returns score, grade and incomplete categories for %s', (_name, items, policy, points, grade, incomplete) => {
    const scorecard = score(items, policy);
    expect([scorecard.score, scorecard.grade, scorecard.incomplete]).toEqual([points, grade, incomplete]);
  });

  it('returns no good grade while jobs of the run have not uploaded', () => {
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

  it('reports why the grade is not better', () => {
    const { caps } = score(
      [tests({ passed: 1, failed: 1 }), scanItem('security', { critical: 2 })],
      policyOf({}, [{ kind: 'sbom', environment: null, minTests: 1 }]),
    );
    expect(caps.map(({ grade }) => grade)).toEqual(['D', 'C', 'C']);
    expect(caps.map(({ reason }) => reason)).toEqual([
      '"unit_tests" of "ci" (staging) fails: 1 of 2 tests failed. Run the job "test" of run 100 again, or start a new run.',
      'A critical finding is open.',
      'Required evidence "sbom" was not uploaded.',
    ]);
  });

  it('lowers the grade if coverage dropped further than the policy allows', () => {
    const gates = policyOf({ coverage: { minLinePercent: null, maxDrop: 1 } });
    expect(score([tests({ passed: 1 }), coverageItem(90)], gates, 92).grade).toBe('D');
    expect(score([tests({ passed: 1 }), coverageItem(90)], gates, 91).grade).toBe('A');
  });

  it('rounds down, so that no score is rounded up into a better grade', () => {
    // 40 × 100 and 25 × 84.6 of 70, with full completeness.
    expect(score([tests({ passed: 1 }), coverageItem(84.69)]).score).toBe(94.5);
    expect(categoryOf(score([coverageItem(89.99)]), 'coverage')?.score).toBe(89.9);
  });
});

describe('gradeForScore', () => {
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
  ])('returns for %d points the grade %s', (points, grade) => {
    expect(gradeForScore(points)).toBe(grade);
  });
});

describe('a category', () => {
  it.each<[string, string, readonly EvidenceItem[], number | null, string]>([
    ['tests', 'half a point for a flaky test', [tests({ passed: 10, flaky: 2 })], 90, 'passed'],
    ['tests', 'nothing for a skipped test', [tests({ passed: 9, skipped: 1 })], 100, 'passed'],
    ['tests', 'more flaky tests than passed ones', [tests({ passed: 1, flaky: 9 })], 50, 'passed'],
    ['tests', 'counts that are NaN', [tests({ passed: Number.NaN })], 0, 'failed'],
    ['tests', 'no counts at all', [evidenceItem({ metrics: {} })], 0, 'failed'],
    ['coverage', 'the percentage as points', [coverageItem(61.25)], 61.2, 'passed'],
    ['coverage', 'no stated value', [coverageItem(null)], null, 'incomplete'],
    ['sast', 'no findings', [scanItem('sast_scan')], 100, 'passed'],
    [
      'sast',
      'one finding of each severity',
      [scanItem('sast_scan', { critical: 1, high: 1, medium: 1, low: 1 })],
      47.7,
      'failed',
    ],
    ['sast', 'never less than zero points', [scanItem('sast_scan', { high: 99 })], 0, 'passed'],
    [
      'sast',
      'findings of several scanners',
      [scanItem('sast_scan', { high: 1 }), scanItem('sast_scan', { high: 1 })],
      80,
      'passed',
    ],
    ['coverage', 'the stated values of some items', [coverageItem(40), coverageItem(null)], 40, 'passed'],
    ['sast', 'the stated values of some items', [scanItem('sast_scan', { high: 3 }), silentScan()], 70, 'passed'],
    ['vulnerabilities', 'no stated value', [scanItem('security', {}, { metrics: {} })], null, 'incomplete'],
    [
      'vulnerabilities',
      'a scan that failed',
      [scanItem('security', {}, { failures: ['it was interrupted'] })],
      100,
      'failed',
    ],
  ])('scores in the category %s: %s', (name, _what, items, points, status) => {
    expect(categoryOf(score(items), name)).toMatchObject({ score: points, status });
  });

  it.each<[string, Policy, number]>([
    ['only tests, if nothing is required', policyOf(), 100],
    ['required evidence', policyOf({}, [{ kind: 'unit_tests', environment: 'production', minTests: 1 }]), 50],
    ['a minimum number of tests', policyOf({}, [{ kind: 'unit_tests', environment: null, minTests: 11 }]), 50],
    ['evidence that a quality gate measures', policyOf({ coverage: { minLinePercent: 1, maxDrop: null } }), 50],
  ])('scores in the category completeness: %s', (_name, policy, points) => {
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
  const itemsOf = ({ tests: counted, line, sast, security }: Evidence): readonly EvidenceItem[] => [
    ...(counted ? [tests(counted)] : []),
    ...(line === null ? [] : [coverageItem(line)]),
    ...(sast ? [scanItem('sast_scan', sast)] : []),
    ...(security ? [scanItem('security', security)] : []),
  ];
  const points = (given: Evidence, policy: Policy): number => score(itemsOf(given), policy, 85).score ?? -1;
  const RUNS = { numRuns: 500 };

  it('has no good grade when evidence is unmet', () => {
    fc.assert(
      fc.property(evidence, policies, (given, policy) => {
        const set = setOf(...itemsOf(given));
        const { requiredEvidence } = policy.evidencing;
        const unmet = unmetEvidence(set, requiredEvidence, policy.qualityGates, 85);
        const { grade } = buildScorecard(set, policy, 85);
        if (unmet.length > 0) expect(['C', 'D', 'F', null]).toContain(grade);
      }),
      RUNS,
    );
  });

  it('is not better with one more failure, flaky test or finding, and not worse with more coverage', () => {
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

  it('is not better with an item without values', () => {
    const silent = [coverageItem(null), silentScan(), scanItem('security', {}, { metrics: {} })];
    fc.assert(
      fc.property(evidence, policies, fc.constantFrom(...silent), (given, policy, more) => {
        const items = itemsOf(given);
        const now = score(items, policy, 85).score ?? -1;
        expect(score([...items, more], policy, 85).score ?? -1).toBeLessThanOrEqual(now);
      }),
      RUNS,
    );
  });

  it('has no good grade when the policy is not known', () => {
    fc.assert(
      fc.property(evidence, (given) => {
        expect(['C', 'D', 'F', null]).toContain(score(itemsOf(given), null, 85).grade);
      }),
      RUNS,
    );
  });

  it('is not better when a test fails instead of passing', () => {
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

  it('is from 0 to 100 and has the grade of its score', () => {
    fc.assert(
      fc.property(evidence, policies, (given, policy) => {
        const scorecard = score(itemsOf(given), policy, 85);
        if (scorecard.score === null) expect([scorecard.grade, scorecard.incomplete.length]).toEqual([null, 5]);
        else {
          expect(scorecard.score).toBeGreaterThanOrEqual(0);
          expect(scorecard.score).toBeLessThanOrEqual(100);
          expect(scorecard.grade).toBe(gradeForScore(scorecard.score));
        }
      }),
      RUNS,
    );
  });
});

function silentScan(): EvidenceItem {
  return scanItem('sast_scan', {}, { metrics: {} });
}

function redReport(): EvidenceItem {
  return failingItem({
    metrics: { unit_tests: { total: 5, passed: 5, failed: 0, skipped: 0 } },
    failures: ['it bailed out'],
  });
}
