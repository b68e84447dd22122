import { describe, expect, it } from '@jest/globals';
import {
  CANDIDATE,
  STRICT_POLICY,
  check,
  coverageItem,
  issue,
  evidenceItem,
  failingItem,
  valid,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';

type Change = (release: ReleaseBuilder) => ReleaseBuilder;

/** The answer of the gate also reports tests and approval. These fields must be correct as well. */
describe('the tests and the approval in a verdict', () => {
  it('reports passing tests and the approval when the gate is open', () => {
    expect(givenOpenRelease().verdict()).toMatchObject({ testsPassing: true, evidenceApproved: true });
  });

  it.each<[string, Change]>([
    ['failing evidence', (release) => release.uploaded(failingItem())],
    ['required checks without a report', (release) => release.know('checks', CANDIDATE, [])],
    ['a check of development without a report', (release) => release.know('checks', CANDIDATE, [check('e2e')])],
    ['a check of testing without a report', (release) => release.know('checks', CANDIDATE, [check('build')])],
    ['checks that were never read', (release) => release.deleteFact('checks', CANDIDATE)],
  ])('reports no passing tests with %s', (_what, change) => {
    expect(change(givenOpenRelease()).verdict()).toMatchObject({ testsPassing: false });
  });

  it('reports the approval also while the release waits for an issue', () => {
    const release = givenOpenRelease().know('issues', '5', [issue({ state: 'open' })]);
    expect(release.verdict()).toMatchObject({ stage: 'DEVELOPMENT', evidenceApproved: true });
    expect(release.isOpen()).toBe(false);
  });

  it.each<[string, string, Change]>([
    ['PLANNING', 'the scope is empty', (release) => release.know('issues', '5', [])],
    ['DEVELOPMENT', 'an issue is open', (release) => release.know('issues', '5', [issue({ state: 'open' })])],
    ['TESTING', 'a test failed', (release) => release.uploaded(failingItem())],
  ])('reports no approval in %s before the pull request exists, when %s', (stage, _why, change) => {
    const verdict = change(givenOpenRelease()).recorded({ evidencePull: null }).verdict();
    expect([verdict.stage, verdict.approval]).toEqual([stage, null]);
    expect(verdict.usedFacts.map(({ kind }) => kind)).not.toContain('comparison');
  });
});

describe('the evidence in a verdict', () => {
  it('omits documents that no policy requires, so that they do not void an approval', () => {
    const release = givenOpenRelease();
    const { setDigest } = release.verdict();
    release.uploaded(evidenceItem({ kind: 'custom', metrics: {} }));
    expect([release.isOpen(), release.verdict().setDigest]).toEqual([true, setDigest]);
    expect(release.verdict().evidenceSet.map(({ kind }) => kind)).not.toContain('custom');
  });

  it.each([
    ['the largest drop that the policy allows', 84, []],
    ['a larger drop', 83.9, ['quality_gate_failing']],
  ])('compares the coverage with the predecessor: %s', (_name, percent, reasons) => {
    const release = givenOpenRelease();
    release.evidence = release.evidence.filter(({ kind }) => kind !== 'coverage');
    expect(release.uploaded(coverageItem(percent)).pullOpened().reasons()).toEqual(reasons);
  });
});

describe('the policy in a verdict', () => {
  it('is the digest of the applied policy, or null without a policy', () => {
    const strict = valid(STRICT_POLICY);
    const release = givenOpenRelease();
    expect(release.verdict().policyDigest).toBe(strict.status === 'valid' ? strict.digest : '');
    release.know('policy', '', { status: 'missing', defaultBranch: 'main' });
    expect(release.verdict().policyDigest).toBeNull();
  });

  it('is null while the policy is not known', () => {
    expect(givenOpenRelease().deleteFact('policy', '').verdict()).toMatchObject({
      stage: 'PLANNING',
      hotfix: false,
      candidateSha: null,
      policyDigest: null,
      testsPassing: false,
    });
  });
});
