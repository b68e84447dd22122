import { describe, expect, it } from '@jest/globals';
import {
  CANDIDATE,
  coverageItem,
  NOW,
  evidenceItem,
  failingItem,
  scanItem,
  sha,
} from '../../../test/support/given-facts.js';
import { type EffectiveEvidenceSet, selectEffectiveEvidence } from '../evidence/effective-evidence-set.js';
import { EVIDENCE_KINDS, type EvidenceKind, type EvidenceItem } from '../evidence/evidence.js';
import { withoutSubjects } from '../facts/condition.js';
import type { RunJobFact } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { DEFAULT_POLICY, type RequiredEvidence } from '../policy/policy.js';
import { selectGatingEvidence, unmetEvidence } from './evidence-requirements.js';

const CLAIMED_RUN = { id: 'https://ci.test/1', proven: false };
const manyTests = (changes: Partial<EvidenceItem> = {}): EvidenceItem =>
  evidenceItem({ metrics: { unit_tests: { total: 20, passed: 20, failed: 0, skipped: 0 } }, ...changes });
const document = (kind: EvidenceKind, content: number): EvidenceItem => evidenceItem({ kind, metrics: {}, content });

describe('unmetEvidence', () => {
  const unmet = (items: readonly EvidenceItem[], required: readonly RequiredEvidence[] = []): readonly string[] => {
    const set = selectEffectiveEvidence(items, { sha: CANDIDATE, shas: [CANDIDATE] }, () => true);
    return unmetEvidence(set, required, DEFAULT_POLICY.qualityGates, null).map(({ code }) => code);
  };
  const requires = (changes: Partial<RequiredEvidence>): readonly RequiredEvidence[] => [
    { kind: 'unit_tests', environment: null, minTests: 1, ...changes },
  ];

  it('passes passing tests', () => {
    expect(unmet([evidenceItem()])).toEqual([]);
  });

  it('never passes without any test', () => {
    expect(unmet([])).toEqual(['evidence_missing']);
    expect(unmet([coverageItem(100), scanItem('security')])).toEqual(['evidence_missing']);
  });

  it.each<[string, readonly EvidenceItem[]]>([
    ['a failed test', [failingItem()]],
    ['a failing shard beside passing ones', [evidenceItem(), failingItem(), evidenceItem()]],
    ['a failing pipeline beside a passing one', [evidenceItem(), failingItem({ pipeline: 'web' })]],
    [
      'tests that were all skipped',
      [evidenceItem({ metrics: { unit_tests: { total: 3, passed: 0, failed: 0, skipped: 3 } } })],
    ],
    [
      'an empty shard beside a full one',
      [evidenceItem(), evidenceItem({ metrics: { unit_tests: { total: 0, passed: 0, failed: 0, skipped: 0 } } })],
    ],
    ['a report that states that it failed', [evidenceItem({ failures: ['bailed out'] })]],
    [
      'a scan that states that it failed',
      [evidenceItem(), scanItem('security', {}, { failures: ['the scan was cut short'] })],
    ],
  ])('never passes %s', (_name, items) => {
    expect(unmet(items)).toEqual(['evidence_failing']);
  });

  it.each<[string, readonly EvidenceItem[], Partial<RequiredEvidence>, readonly string[]]>([
    ['tests of its environment', [evidenceItem()], { environment: 'staging' }, []],
    ['tests of another environment', [evidenceItem()], { environment: 'production' }, ['evidence_missing']],
    ['tests of any environment', [evidenceItem()], { environment: null }, []],
    ['another kind', [evidenceItem()], { kind: 'e2e_tests' }, ['evidence_missing']],
    ['as many tests as required', [evidenceItem()], { minTests: 3 }, []],
    ['fewer tests than required', [evidenceItem()], { minTests: 4 }, ['too_few_tests']],
    ['the tests of all shards together', [evidenceItem(), evidenceItem()], { minTests: 6 }, []],
    [
      'a pipeline with too few tests beside one with enough',
      [evidenceItem(), evidenceItem(), evidenceItem({ pipeline: 'web' })],
      { minTests: 6 },
      ['too_few_tests'],
    ],
    ['a minimum that is NaN', [evidenceItem()], { minTests: Number.NaN }, ['too_few_tests']],
    ['a minimum of zero', [evidenceItem()], { minTests: 0 }, []],
    ['coverage with a value', [evidenceItem(), coverageItem(10)], { kind: 'coverage' }, []],
    ['coverage without a value', [evidenceItem(), coverageItem(null)], { kind: 'coverage' }, ['evidence_failing']],
    ['coverage that is NaN', [evidenceItem(), coverageItem(Number.NaN)], { kind: 'coverage' }, ['evidence_failing']],
    ['a scan', [evidenceItem(), scanItem('sast_scan')], { kind: 'sast_scan' }, []],
    ['a security scan', [evidenceItem(), scanItem('security')], { kind: 'security' }, []],
    [
      'a scan without counts',
      [evidenceItem(), scanItem('sast_scan', {}, { metrics: {} })],
      { kind: 'sast_scan' },
      ['evidence_failing'],
    ],
    [
      'a scan whose counts are NaN',
      [evidenceItem(), scanItem('security', { low: Number.NaN })],
      { kind: 'security' },
      ['evidence_failing'],
    ],
    [
      'a shard of a scan without counts',
      [evidenceItem(), scanItem('security'), scanItem('security', {}, { metrics: {} })],
      { kind: 'security' },
      ['evidence_failing'],
    ],
    [
      'tests without counts',
      [evidenceItem(), evidenceItem({ metrics: {} })],
      { minTests: 4 },
      ['evidence_failing', 'too_few_tests'],
    ],
    ['a document with content', [evidenceItem(), document('sbom', 1)], { kind: 'sbom' }, []],
    ['a document without content', [evidenceItem(), document('sbom', 0)], { kind: 'sbom' }, ['evidence_missing']],
    [
      'a document whose content is unknown',
      [evidenceItem(), document('manual', Number.NaN)],
      { kind: 'manual' },
      ['evidence_missing'],
    ],
    [
      'an empty document beside one with content',
      [evidenceItem(), document('custom', 2), document('custom', 0)],
      { kind: 'custom' },
      ['evidence_missing'],
    ],
    ['an empty document that is not required', [evidenceItem(), document('custom', 0)], { kind: 'unit_tests' }, []],
    ['tests with counts and without content', [evidenceItem({ content: 0 })], { kind: 'unit_tests' }, []],
  ])('evaluates a requirement against %s', (_name, items, requirement, codes) => {
    expect(unmet(items, requires(requirement))).toStrictEqual(codes);
  });

  it.each(EVIDENCE_KINDS)('reports that required "%s" is missing', (kind) => {
    expect(unmet([evidenceItem()], requires({ kind, environment: 'nowhere' }))).toEqual(['evidence_missing']);
  });

  it.each<[string, readonly EvidenceItem[], readonly string[]]>([
    [
      'a claimed run with many tests after a proven run with few',
      [evidenceItem(), manyTests({ run: CLAIMED_RUN, receivedAt: NOW })],
      ['too_few_tests'],
    ],
    [
      'an upload without a run after a proven run with few tests',
      [evidenceItem(), manyTests({ run: null, receivedAt: NOW })],
      ['too_few_tests'],
    ],
    [
      'a claimed run with few tests after a proven run with many',
      [manyTests(), evidenceItem({ run: CLAIMED_RUN, receivedAt: NOW })],
      ['too_few_tests'],
    ],
    ['two runs that both have enough tests', [manyTests(), manyTests({ run: CLAIMED_RUN, receivedAt: NOW })], []],
  ])('requires enough tests of each run that counts: %s', (_name, items, codes) => {
    expect(unmet(items, requires({ minTests: 10 }))).toEqual(codes);
  });

  it('requires at least one passed test even if the minimum is zero', () => {
    const skipped = evidenceItem({ metrics: { unit_tests: { total: 1, passed: 0, failed: 0, skipped: 1 } } });
    expect(unmet([skipped], requires({ minTests: 0 }))).toEqual(['evidence_failing', 'too_few_tests']);
  });

  it('reports how to provide evidence that is empty', () => {
    const set = selectEffectiveEvidence(
      [evidenceItem(), document('sbom', 0), document('manual', 0)],
      { sha: CANDIDATE, shas: [CANDIDATE] },
      () => true,
    );
    const required = [...requires({ kind: 'sbom' }), ...requires({ kind: 'manual' })];
    expect(unmetEvidence(set, required, DEFAULT_POLICY.qualityGates, null).map(withoutSubjects)).toEqual([
      {
        code: 'evidence_missing',
        detail:
          '"sbom" of "ci" (staging) lists no component. Upload a CycloneDX or SPDX document that lists at least one.',
        actor: 'ci',
      },
      {
        code: 'evidence_missing',
        detail: '"manual" of "ci" (staging) is empty. Upload a file, a report or a metric that is not empty.',
        actor: 'ci',
      },
    ]);
  });

  it('reports what is wrong, where, and who can clear it', () => {
    const failing = failingItem({ failures: ['the run was cut short'] });
    const set = selectEffectiveEvidence(
      [failing, coverageItem(null)],
      { sha: CANDIDATE, shas: [CANDIDATE] },
      () => true,
    );
    const required = [
      ...requires({ minTests: 5 }),
      ...requires({ kind: 'coverage' }),
      ...requires({ kind: 'sbom', environment: 'staging' }),
      ...requires({ kind: 'manual' }),
    ];
    expect(unmetEvidence(set, required, DEFAULT_POLICY.qualityGates, null).map(withoutSubjects)).toEqual([
      {
        code: 'evidence_failing',
        detail:
          '"unit_tests" of "ci" (staging) fails: the run was cut short; 1 of 3 tests failed. Run the job "test" of run 100 again, or start a new run.',
        actor: 'team',
      },
      {
        code: 'too_few_tests',
        detail: '"unit_tests" of "ci" (staging) passed 2 tests; 5 are required.',
        actor: 'team',
      },
      { code: 'evidence_failing', detail: '"coverage" of "ci" (staging) states no result.', actor: 'ci' },
      { code: 'evidence_missing', detail: 'Required evidence "sbom" for "staging" was not uploaded.', actor: 'ci' },
      { code: 'evidence_missing', detail: 'Required evidence "manual" was not uploaded.', actor: 'ci' },
    ]);
  });

  const claimed = { id: 'https://ci.test/1', proven: false } as const;
  const proven = { id: '100', proven: true } as const;
  it.each<[string, Partial<EvidenceItem>, string]>([
    ['a proven run with a job', { run: proven, job: 'api' }, 'Run the job "api" of run 100 again, or start a new run.'],
    [
      'a proven run without a job',
      { run: proven, job: null },
      'Start a new run; with the field job, a job that runs again replaces what it uploaded.',
    ],
    [
      'a proven job whose name is not known',
      { run: proven, job: null, checkRunId: 1 },
      'Start a new run: the name of its job is not known, or other jobs of run 100 have the same name.',
    ],
    [
      'a claimed run with a job',
      { run: claimed, job: 'api', attempt: 2 },
      'Run the job again and upload all of its evidence again with job "api" and run_attempt 3, or upload from a new run (another run_url).',
    ],
    [
      'a claimed run without a job',
      { run: claimed, job: null },
      'Upload from a new run (another run_url); with job and run_attempt, a job that runs again replaces what it uploaded.',
    ],
    [
      'no run with a job',
      { run: null, job: 'api' },
      'Run the job again and upload all of its evidence again with job "api" and run_attempt 2, or upload from a run, by an identity token or with run_url.',
    ],
    [
      'no run and no job',
      { run: null, job: null },
      'Upload from a run, by an identity token or with run_url: uploads that name no run do not replace each other.',
    ],
  ])('reports how to clear a failed upload of %s', (_name, source, how) => {
    const set = selectEffectiveEvidence([failingItem(source)], { sha: CANDIDATE, shas: [CANDIDATE] }, () => true);
    expect(unmetEvidence(set, [], DEFAULT_POLICY.qualityGates, null).map(({ detail }) => detail)).toEqual([
      `"unit_tests" of "ci" (staging) fails: 1 of 3 tests failed. ${how}`,
    ]);
  });
});

describe('selectGatingEvidence', () => {
  const MERGE = sha('a');
  const policy = (...requiredEvidence: readonly RequiredEvidence[]): typeof DEFAULT_POLICY => ({
    ...DEFAULT_POLICY,
    evidencing: { ...DEFAULT_POLICY.evidencing, requiredEvidence },
  });
  const idsOf = (set: EffectiveEvidenceSet): readonly string[] => set.flatMap(({ items }) => items.map(({ id }) => id));
  const both = { sha: CANDIDATE, shas: [CANDIDATE, MERGE] };

  it('omits documents that no policy requires', () => {
    const evidence = [evidenceItem({ id: 'tests' }), { ...document('sbom', 1), id: 'sbom' }];
    const sbom = { kind: 'sbom', environment: null, minTests: 1 } as const;
    expect(idsOf(selectGatingEvidence(evidence, both, policy(), null))).toEqual(['tests']);
    expect(idsOf(selectGatingEvidence(evidence, both, policy(sbom), null))).toEqual(['sbom', 'tests']);
  });

  it("selects the candidate's own run only if the newest run passes, too", () => {
    const own = evidenceItem({ id: 'own', run: { id: '100', proven: true } });
    const green = evidenceItem({ id: 'newest', commitSha: MERGE, run: { id: '101', proven: true } });
    const red = failingItem({ id: 'newest', commitSha: MERGE, run: { id: '101', proven: true } });
    expect(idsOf(selectGatingEvidence([own, green], both, policy(), null))).toEqual(['own']);
    expect(idsOf(selectGatingEvidence([own, red], both, policy(), null))).toEqual(['newest']);
  });

  it('selects the newest run if a job of its matrix failed without an upload', () => {
    const own = evidenceItem({ id: 'own', run: { id: '100', proven: true } });
    const newest = evidenceItem({
      id: 'newest',
      commitSha: MERGE,
      run: { id: '101', proven: true },
      checkRunId: 1,
      job: null,
    });
    const facts = (state: RunJobFact['state']): TrackedFacts =>
      new TrackedFacts([
        {
          kind: 'run_jobs',
          key: '101',
          value: {
            granted: true,
            complete: true,
            jobs: [
              { id: 1, name: 'test (1)', attempt: 1, state: 'success' },
              { id: 2, name: 'test (2)', attempt: 1, state },
            ],
          },
          observedAt: NOW,
        },
      ]);
    const decide = (known: TrackedFacts | null): readonly string[] =>
      idsOf(selectGatingEvidence([own, newest], both, policy(), null, known && { facts: known, now: NOW }));
    expect(decide(null)).toEqual(['own']);
    expect(decide(facts('success'))).toEqual(['own']);
    expect(decide(facts('failure'))).toEqual(['newest']);
  });
});
