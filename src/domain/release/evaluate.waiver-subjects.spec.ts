import { describe, expect, it } from '@jest/globals';
import { waiver } from '../../../test/support/given-overrides.js';
import { coverageItem, evidenceItem, policyWith, scanItem } from '../../../test/support/given-facts.js';
import { givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import type { EvidenceItem, FailedTest, Finding } from '../evidence/evidence.js';
import type { ConditionCode } from '../facts/condition-catalogue.js';
import { DEFAULT_POLICY, type QualityGates } from '../policy/policy.js';

const test = (id: string, changes: Partial<FailedTest> = {}): FailedTest => ({ id, name: `Shop › ${id}`, ...changes });

/** A run with two tests of which the given ones failed. `more` failures have no name. */
const run = (
  number: number,
  failed: readonly FailedTest[],
  { more = 0, ...changes }: Partial<EvidenceItem> & { readonly more?: number } = {},
): EvidenceItem =>
  evidenceItem({
    id: `run-${number}`,
    run: { id: String(number), proven: true },
    metrics: { unit_tests: { total: 10, passed: 10 - failed.length - more, failed: failed.length + more, skipped: 0 } },
    ...(failed.length > 0 && { identified: { tests: failed, findings: [], repeatedTests: [] } }),
    ...changes,
  });

const codes = (release: ReleaseBuilder): readonly string[] => release.verdict().unmet.map(({ code }) => code);

/** Requests a waiver for what is unmet under the code, as the service does. */
function waived(release: ReleaseBuilder, code: ConditionCode): ReleaseBuilder {
  const subjects = release
    .verdict()
    .unmet.filter((condition) => condition.code === code)
    .flatMap((condition) => condition.subjects ?? []);
  expect(subjects).not.toEqual([]);
  return release.decided({ waivers: [waiver({ condition: code, subjects })] });
}

const tested = (...items: readonly EvidenceItem[]): ReleaseBuilder => {
  const release = givenTrunkRelease();
  release.evidence = [];
  return items.reduce((given, item) => given.uploaded(item), release);
};

describe('a waiver of a failing item of test evidence', () => {
  it.each<[string, EvidenceItem, boolean]>([
    ['the same test fails', run(201, [test('cosmetic')]), true],
    ['another test fails, and the sentence is the same', run(201, [test('payment')]), false],
    ['the same test and another one fail', run(201, [test('cosmetic'), test('payment')]), false],
    ['the same test and one without a name fail', run(201, [test('cosmetic')], { more: 1 }), false],
    ['only a test without a name fails', run(201, [], { more: 1 }), false],
    [
      'the same test fails, and the suite breaks',
      run(201, [test('cosmetic')], { failures: ['the suite broke'] }),
      false,
    ],
    [
      'no test passes',
      run(201, [test('cosmetic')], { metrics: { unit_tests: { total: 1, passed: 0, failed: 1, skipped: 0 } } }),
      false,
    ],
    ['the same test of another pipeline fails', run(201, [test('cosmetic')], { pipeline: 'nightly' }), false],
    ['the same test of another environment fails', run(201, [test('cosmetic')], { environment: 'production' }), false],
    [
      'the name occurs in another item of the run, too',
      run(201, [test('cosmetic')], {
        identified: { tests: [test('cosmetic')], findings: [], repeatedTests: ['cosmetic'] },
      }),
      false,
    ],
  ])('in a later run: %s', (_name, later, isCovered) => {
    const release = waived(tested(run(200, [test('cosmetic')])), 'evidence_failing');
    expect(codes(release)).not.toContain('evidence_failing');
    release.uploaded(later);
    expect([codes(release).includes('evidence_failing'), release.verdict().testsPassing]).toEqual([!isCovered, false]);
  });

  it('covers a failure without a name only in the item that was seen', () => {
    const release = waived(tested(run(200, [], { more: 1 })), 'evidence_failing');
    expect(codes(release)).not.toContain('evidence_failing');
    expect(codes(release.uploaded(run(201, [], { more: 1 })))).toContain('evidence_failing');
  });

  it('does not cover a test whose name fails in two items of a run in a later run', () => {
    const items = (number: number): readonly EvidenceItem[] =>
      ['linux', 'windows'].map((job) => run(number, [test('cosmetic')], { id: `${number}-${job}`, job }));
    const release = waived(tested(...items(200)), 'evidence_failing');
    expect(codes(release)).not.toContain('evidence_failing');
    for (const item of items(201)) release.uploaded(item);
    expect(codes(release)).toContain('evidence_failing');
  });

  it('covers two tests that two waivers cover', () => {
    const release = tested(run(200, [test('cosmetic')]));
    const [cosmetic] = release.verdict().unmet.flatMap(({ subjects = [] }) => subjects);
    const [layout] = tested(run(200, [test('layout')]))
      .verdict()
      .unmet.flatMap(({ subjects = [] }) => subjects);
    release.uploaded(run(201, [test('cosmetic'), test('layout')])).decided({
      waivers: [cosmetic, layout].map((subject, index) =>
        waiver({ id: `waiver-${index}`, condition: 'evidence_failing', subjects: subject ? [subject] : [] }),
      ),
    });
    expect(codes(release)).not.toContain('evidence_failing');
    expect(release.verdict().overrides.map(({ id }) => id)).toEqual(['waiver-0', 'waiver-1']);
  });

  it('names the first three failed tests, since when they fail and where they last passed', () => {
    const failed = [
      test('a', { history: { failingSince: { run: '12', at: '2026-05-01' }, lastPassedIn: 'v1.1.0' } }),
      test('b', { history: { failingSince: null, lastPassedIn: null } }),
      test('c'),
      test('d'),
    ];
    const [condition] = tested(run(200, failed, { more: 1 })).verdict().unmet;
    expect(condition?.detail).toBe(
      '"unit_tests" of "ci" (staging) fails: 5 of 10 tests failed. ' +
        'Failed: "Shop › a" (fails since the run 12 of 2026-05-01, last passed in v1.1.0); ' +
        '"Shop › b" (fails since this run, no earlier pass is known); "Shop › c"; and 2 more. ' +
        'Run the job "test" of run 200 again, or start a new run.',
    );
  });
});

describe('a waiver of findings', () => {
  const gates: QualityGates = {
    ...DEFAULT_POLICY.qualityGates,
    security: { maxCritical: 0, maxHigh: 0, maxMedium: null, maxLow: null },
  };
  const finding = (id: string, changes: Partial<Finding> = {}): Finding => ({
    id,
    label: `${id} in package-lock.json`,
    severity: 'critical',
    count: 1,
    ...changes,
  });
  const scan = (number: number, findings: readonly Finding[], unidentified = 0): EvidenceItem => {
    const count = (severity: Finding['severity']): number =>
      findings.filter((one) => one.severity === severity).reduce((sum, one) => sum + one.count, 0);
    return scanItem(
      'security',
      { critical: count('critical') + unidentified, high: count('high') },
      {
        id: `scan-${number}`,
        run: { id: String(number), proven: true },
        identified: { tests: [], findings, repeatedTests: [] },
      },
    );
  };
  const scanned = (...items: readonly EvidenceItem[]): ReleaseBuilder =>
    tested(run(100, []), ...items).ruledBy(policyWith({ qualityGates: gates }));

  it.each<[string, EvidenceItem, boolean]>([
    ['the same finding', scan(201, [finding('CVE-1')]), true],
    ['another finding, and the sentence is the same', scan(201, [finding('CVE-2')]), false],
    ['more findings of the same rule and file', scan(201, [finding('CVE-1', { count: 2 })]), false],
    ['the same finding and one without a place', scan(201, [finding('CVE-1')], 1), false],
    ['the same finding with another severity', scan(201, [finding('CVE-1', { severity: 'high' })]), false],
  ])('in a later run: %s', (_name, later, isCovered) => {
    const release = waived(scanned(scan(200, [finding('CVE-1')])), 'quality_gate_failing');
    expect(codes(release)).not.toContain('quality_gate_failing');
    expect(codes(release.uploaded(later)).includes('quality_gate_failing')).toBe(!isCovered);
  });

  it('counts equal findings of several items together', () => {
    const release = waived(scanned(scan(200, [finding('CVE-1', { count: 2 })])), 'quality_gate_failing');
    const items = ['a', 'b'].map((job) => ({ ...scan(201, [finding('CVE-1')]), id: `scan-${job}`, job }));
    for (const item of items) release.uploaded(item);
    expect(codes(release)).not.toContain('quality_gate_failing');
    release.uploaded({ ...scan(201, [finding('CVE-1')]), id: 'scan-c', job: 'c' });
    expect(codes(release)).toContain('quality_gate_failing');
  });
});

describe('a waiver of a limit', () => {
  const ruled = (release: ReleaseBuilder, minLinePercent: number): ReleaseBuilder =>
    release.ruledBy(
      policyWith({ qualityGates: { ...DEFAULT_POLICY.qualityGates, coverage: { minLinePercent, maxDrop: null } } }),
    );
  const coverage = (number: number): EvidenceItem =>
    coverageItem(70, { id: `coverage-${number}`, run: { id: String(number), proven: true } });

  it('covers the item that was seen, below the limit of that time', () => {
    const release = waived(ruled(tested(run(100, []), coverage(200)), 80), 'quality_gate_failing');
    expect(codes(release)).not.toContain('quality_gate_failing');
    expect(codes(ruled(release, 90))).toContain('quality_gate_failing');
    expect(codes(ruled(release, 80).uploaded(coverage(201)))).toContain('quality_gate_failing');
  });
});
