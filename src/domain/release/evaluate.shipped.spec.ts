import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, PULL_NUMBER, STRICT_POLICY, failingItem, sha } from '../../../test/support/given-facts.js';
import { givenOpenRelease, ReleaseBuilder } from '../../../test/support/release-builder.js';

const number = String(PULL_NUMBER);
const MERGE = sha('a');

describe('a shipped release', () => {
  const shipped = {
    candidateSha: CANDIDATE,
    candidateShas: [CANDIDATE, MERGE],
    testsPassing: true,
    evidenceApproved: true,
    approvalRequired: true,
  };
  const shippedRelease = (passed = true): ReleaseBuilder =>
    givenOpenRelease().recorded({ stage: 'DEPLOYED', shipped: { ...shipped, passed } });

  it('stays open for a rollback with any later facts', () => {
    const release = shippedRelease().uploaded(failingItem()).know('milestone', '5', null).know('reviews', number, []);
    expect(release.verdict()).toMatchObject({
      stage: 'DEPLOYED',
      unmet: [],
      cancelled: false,
      deleted: false,
      hotfix: false,
      promotion: 'manual',
      ...shipped,
    });
    const { milestoneReasons, warnings, evidenceSet, policyDigest } = release.verdict();
    expect([milestoneReasons, warnings, evidenceSet]).toEqual([[], [], []]);
    expect(policyDigest).toBe(givenOpenRelease().verdict().policyDigest);
    expect(release.reasons()).toEqual([]);
    expect(release.verdict().usedFacts).toEqual([{ kind: 'policy', key: '' }]);
  });

  it('is not ready for a rollback if it had not passed every stage', () => {
    expect(shippedRelease(false).reasons()).toEqual(['not_ready']);
  });

  it.each<[string, (release: ReleaseBuilder) => ReleaseBuilder, readonly string[]]>([
    [
      'a freeze',
      (release) =>
        release.ruledBy({ ...STRICT_POLICY, freezes: [{ from: '2026-05-01', to: '2026-05-04', reason: 'launch' }] }),
      ['freeze'],
    ],
    [
      'a removed repository',
      (release) => release.recorded({ repository: { ...release.record.repository, removed: true } }),
      ['repository_removed'],
    ],
    [
      'the plan limit',
      (release) => release.recorded({ repository: { ...release.record.repository, withinPlan: false } }),
      ['plan_limit'],
    ],
    [
      'a tampered branch',
      (release) => release.recorded({ repository: { ...release.record.repository, tamperedBranches: ['any'] } }),
      ['tampered'],
    ],
    [
      'an invalid policy',
      (release) => release.know('policy', '', { status: 'missing', defaultBranch: 'main' }),
      ['policy_unknown'],
    ],
    ['an unknown policy', (release) => release.deleteFact('policy', ''), ['policy_unknown', 'unknown']],
    ['a stale policy', (release) => release.age('policy', '', 20), ['facts_stale']],
  ])('is closed by %s', (_name, differ, reasons) => {
    const release = differ(shippedRelease());
    expect([release.isOpen(), release.reasons()]).toEqual([false, reasons]);
  });
});
