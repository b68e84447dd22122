import { describe, expect, it } from '@jest/globals';
import {
  CANDIDATE,
  STRICT_POLICY,
  check,
  coveragePiece,
  issue,
  piece,
  redPiece,
  valid,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from '../../../test/support/given-release.js';

type Change = (release: ReleaseBuilder) => ReleaseBuilder;

/** What the gate's answer says beside yes and no has to be true as well. */
describe('what a verdict reports of the tests and the approval', () => {
  it('is both where the gate is open', () => {
    expect(givenOpenRelease().verdict()).toMatchObject({ testsPassing: true, evidenceApproved: true });
  });

  it.each<[string, Change]>([
    ['red evidence', (release) => release.uploaded(redPiece())],
    ['required checks that nobody reported', (release) => release.know('checks', CANDIDATE, [])],
    ['a check of development that nobody reported', (release) => release.know('checks', CANDIDATE, [check('e2e')])],
    ['a check of testing that nobody reported', (release) => release.know('checks', CANDIDATE, [check('build')])],
    ['checks that were never read', (release) => release.forget('checks', CANDIDATE)],
  ])('is no passing test with %s', (_what, change) => {
    expect(change(givenOpenRelease()).verdict()).toMatchObject({ testsPassing: false });
  });

  it('is the approval also while the release waits for an issue', () => {
    const release = givenOpenRelease().know('issues', '5', [issue({ state: 'open' })]);
    expect(release.verdict()).toMatchObject({ stage: 'DEVELOPMENT', evidenceApproved: true });
    expect(release.isOpen()).toBe(false);
  });

  it.each<[string, string, Change]>([
    ['PLANNING', 'its issues belong to nobody', (release) => release.know('issues', '5', [])],
    ['DEVELOPMENT', 'an issue is open', (release) => release.know('issues', '5', [issue({ state: 'open' })])],
    ['TESTING', 'a test is red', (release) => release.uploaded(redPiece())],
  ])('is no approval in %s before there is a pull request, where %s', (stage, _why, change) => {
    const verdict = change(givenOpenRelease()).recorded({ evidencePull: null }).verdict();
    expect([verdict.stage, verdict.approval]).toEqual([stage, null]);
    expect(verdict.consulted.map(({ kind }) => kind)).not.toContain('comparison');
  });
});

describe('what a verdict reports of the evidence', () => {
  it('leaves documents out that no policy asks for, so that they void no approval', () => {
    const release = givenOpenRelease();
    const { setDigest } = release.verdict();
    release.uploaded(piece({ kind: 'custom', metrics: {} }));
    expect([release.isOpen(), release.verdict().setDigest]).toEqual([true, setDigest]);
    expect(release.verdict().decidingSet.map(({ kind }) => kind)).not.toContain('custom');
  });

  it.each([
    ['as much as the policy lets it drop', 84, []],
    ['more than that', 83.9, ['quality_gate_failing']],
  ])('holds the coverage against that of the release before: %s', (_name, percent, reasons) => {
    const release = givenOpenRelease();
    release.evidence = release.evidence.filter(({ kind }) => kind !== 'coverage');
    expect(release.uploaded(coveragePiece(percent)).pullOpened().reasons()).toEqual(reasons);
  });
});

describe('what a verdict reports of the policy', () => {
  it('is the digest of the one that it was judged by, and none where there is none', () => {
    const strict = valid(STRICT_POLICY);
    const release = givenOpenRelease();
    expect(release.verdict().policyDigest).toBe(strict.status === 'valid' ? strict.digest : '');
    release.know('policy', '', { status: 'missing', defaultBranch: 'main' });
    expect(release.verdict().policyDigest).toBeNull();
  });

  it('is nothing at all while it is not known', () => {
    expect(givenOpenRelease().forget('policy', '').verdict()).toMatchObject({
      stage: 'PLANNING',
      hotfix: false,
      candidateSha: null,
      policyDigest: null,
      testsPassing: false,
    });
  });
});
