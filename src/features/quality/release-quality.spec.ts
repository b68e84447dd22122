import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, PLAIN_POLICY, evidenceItem, sha } from '../../../test/support/given-facts.js';
import type { EvidenceItem } from '../../domain/evidence/evidence.js';
import type { QualityRelease } from './quality-releases.queries.js';
import { isTested, evaluateQuality, type ReleaseQuality, toQualityResults } from './release-quality.js';
import { comparisonKey, candidateTests, effectiveTests, groupAttempts } from './tests/test-attempts.js';

const upload = (id: string, changes: Partial<EvidenceItem> = {}): EvidenceItem =>
  evidenceItem({ id: `${id}/unit_tests`, ...changes });
const releaseOf = (evidence: readonly EvidenceItem[], changes: Partial<QualityRelease> = {}): QualityRelease => ({
  id: 'r',
  repositoryId: 'p',
  org: 'acme',
  repo: 'payments',
  version: 'v1.0.0',
  stage: 'TESTING',
  candidate: { sha: CANDIDATE, shas: [CANDIDATE] },
  evidenceMerge: null,
  incomplete: [],
  runCoverages: [],
  shippedScorecard: null,
  policy: PLAIN_POLICY,
  predecessor: null,
  evidence,
  itemCount: evidence.length,
  ...changes,
});
const run = (id: string, attempt = 1): Pick<EvidenceItem, 'run' | 'attempt'> => ({
  run: { id, proven: true },
  attempt,
});
const triesAmong = (...evidence: readonly EvidenceItem[]): readonly (readonly (readonly string[])[])[] =>
  groupAttempts(candidateTests(evaluateQuality(releaseOf(evidence)))).map((tries) =>
    tries.map((items) => items.map(({ evidenceId }) => evidenceId)),
  );

describe('the attempts of a release', () => {
  it.each<[string, readonly EvidenceItem[], readonly (readonly (readonly string[])[])[]]>([
    ['the attempts of a run', [upload('1', { ...run('7') }), upload('2', { ...run('7', 2) })], [[['1'], ['2']]]],
    ['runs', [upload('1', { ...run('7') }), upload('2', { ...run('8') })], [[['1'], ['2']]]],
    ['one attempt of several files', [upload('1', { ...run('7') }), upload('2', { ...run('7') })], [[['1', '2']]]],
    ['uploads that name no run', [upload('1', { run: null }), upload('2', { run: null })], [[['1'], ['2']]]],
    ['separate for each job', [upload('1', { job: 'a' }), upload('2', { job: 'b' })], [[['1']], [['2']]]],
    ['separate for each environment', [upload('1'), upload('2', { environment: 'ci' })], [[['1']], [['2']]]],
    ['not uploads of another commit', [upload('1', { commitSha: sha('b') })], []],
    ['not uploads without tests', [evidenceItem({ id: '1/coverage', kind: 'coverage' })], []],
  ])('are %s', (_name, evidence, tries) => {
    expect(triesAmong(...evidence)).toEqual(tries);
  });
});

describe('whether a candidate is tested', () => {
  it.each<[string, QualityRelease]>([
    ['by tests', releaseOf([upload('1')])],
    [
      'by tests of another of its commits',
      releaseOf([upload('1', { commitSha: sha('b') })], { candidate: { sha: CANDIDATE, shas: [CANDIDATE, sha('b')] } }),
    ],
    ['not by those of another commit', releaseOf([upload('1', { commitSha: sha('b') })])],
    ['not by coverage', releaseOf([evidenceItem({ id: '1/coverage', kind: 'coverage' })])],
    ['not without a candidate', releaseOf([upload('1')], { candidate: null })],
  ])('agrees with the inputs of its comparison: %s', (name, release) => {
    const of = evaluateQuality(release);
    expect(isTested(of)).toBe(!name.startsWith('not'));
    expect(comparisonKey(of) !== null).toBe(isTested(of));
  });
});

describe('the inputs of a comparison', () => {
  const evidence = [upload('1', { ...run('7') }), upload('2', { ...run('8') })];
  const basis = comparisonKey(evaluateQuality(releaseOf(evidence)));

  it('are the same in any order', () => {
    expect(comparisonKey(evaluateQuality(releaseOf(evidence.toReversed())))).toBe(basis);
  });

  it.each<[string, QualityRelease]>([
    ['one more upload', releaseOf([...evidence, upload('3', { ...run('6') })])],
    [
      'another release before it',
      releaseOf(evidence, { predecessor: { id: 'q', version: 'v0', linePercent: null, score: null } }),
    ],
  ])('are different with %s', (_name, release) => {
    expect(comparisonKey(evaluateQuality(release))).not.toBe(basis);
    expect(effectiveTests(evaluateQuality(release)).map(({ evidenceId }) => evidenceId)).toEqual(['2']);
  });

  it('are null without tests of the candidate', () => {
    expect(comparisonKey(evaluateQuality(releaseOf([])))).toBeNull();
    expect(comparisonKey(evaluateQuality(releaseOf(evidence, { candidate: null })))).toBeNull();
  });
});

describe('the scorecard of a shipped release', () => {
  it('is the stored one, regardless of the current rules', () => {
    const shippedScorecard = { score: 12.5, grade: 'F', categories: [], incomplete: [], caps: [] } as const;
    expect(evaluateQuality(releaseOf([upload('1')], { shippedScorecard })).scorecard).toBe(shippedScorecard);
    expect(evaluateQuality(releaseOf([upload('1')])).scorecard.grade).toBe('A');
  });
});

describe('the scorecard of a release whose evidence was merged', () => {
  const merge = sha('e');
  const red = { metrics: { unit_tests: { total: 1, passed: 0, failed: 1, skipped: 0 } } };
  const merged = (...evidence: readonly EvidenceItem[]): ReleaseQuality =>
    evaluateQuality(
      releaseOf(evidence, { candidate: { sha: CANDIDATE, shas: [CANDIDATE, merge] }, evidenceMerge: merge }),
    );

  it.each<[string, readonly EvidenceItem[], string | null]>([
    [
      'failed at the candidate',
      [upload('1', { ...red, ...run('7') }), upload('2', { commitSha: merge, ...run('8') })],
      'F',
    ],
    [
      'failed at the merge',
      [upload('1', { ...run('7') }), upload('2', { ...red, commitSha: merge, ...run('8') })],
      'F',
    ],
    ['passed at both', [upload('1', { ...run('7') }), upload('2', { commitSha: merge, ...run('8') })], 'A'],
    ['passed at the merge only', [upload('2', { commitSha: merge })], null],
  ])('is the worse one of the results that the gate may use: %s', (_name, evidence, grade) => {
    expect(merged(...evidence).scorecard.grade).toBe(grade);
  });

  it('is that of the merge if the merge is the candidate', () => {
    const candidate = { sha: merge, shas: [merge] };
    const { scorecard } = evaluateQuality(
      releaseOf([upload('1', { commitSha: merge })], { candidate, evidenceMerge: merge }),
    );
    expect(scorecard.grade).toBe('A');
  });
});

describe('the results of a release', () => {
  it('are all deciding items and 200 of the others, newest first', () => {
    const others = Array.from({ length: 250 }, (_, at) => upload(`o${at}`, { commitSha: sha('b') }));
    const deciding = [upload('d1', { job: 'a' }), upload('d2', { job: 'b' })];
    const results = toQualityResults(evaluateQuality(releaseOf([...deciding, ...others])));
    expect(results.map(({ evidenceId }) => evidenceId)).toEqual([
      ...others
        .slice(50)
        .toReversed()
        .map(({ id }) => id.split('/')[0]),
      'd2',
      'd1',
    ]);
    expect(results.filter(({ decides }) => decides)).toHaveLength(2);
  });
});
