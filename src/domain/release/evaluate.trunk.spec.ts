import { describe, expect, it } from '@jest/globals';
import {
  CANDIDATE,
  FIRST_REVIEWER,
  PLAIN_POLICY,
  PREDECESSOR,
  PULL_NUMBER,
  check,
  commit,
  comparison,
  coverageItem,
  evidenceItem,
  policyWith,
  pull,
  failingItem,
  reviewersRule,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';

const number = String(PULL_NUMBER);
const MERGE = sha('a');
const stageOf = (release: ReleaseBuilder): string => release.verdict().stage;

/** Returns the trunk after its evidence pull request was merged. The merge differs from the candidate only in the evidence folder. */
function mergedTrunk(): ReleaseBuilder {
  const mergedAt = '2026-05-04T09:50:00Z';
  return givenTrunkRelease()
    .branches({ branch: 'main', sha: MERGE })
    .know('pull', number, pull({ state: 'merged', mergedAt, mergeCommitSha: MERGE, baseSha: CANDIDATE }))
    .know('history', MERGE, [commit(MERGE, [CANDIDATE], null), commit(CANDIDATE, [PREDECESSOR])])
    .know('comparison', `${CANDIDATE}...${MERGE}`, sameButForEvidence(CANDIDATE));
}

describe('a release from the trunk', () => {
  it('is open without a release branch', () => {
    const { candidateSha, gate, hotfix } = givenTrunkRelease().verdict();
    expect([candidateSha, gate.reasons, hotfix]).toEqual([CANDIDATE, [], false]);
  });

  it('retains candidate and approval when its evidence pull request is squashed', () => {
    const release = mergedTrunk();
    expect(release.reasons()).toEqual([]);
    expect(release.verdict()).toMatchObject({ candidateSha: CANDIDATE, candidateShas: [CANDIDATE, MERGE] });
  });

  it.each([
    ['success', []],
    ['failure', ['evidence_failing']],
  ] as const)(
    'reads the jobs of a matrix that ran again on the merge, one of which ended with %s',
    (state, reasons) => {
      const release = mergedTrunk().know('run_jobs', '200', {
        granted: true,
        complete: true,
        jobs: [
          { id: 1, name: 'test (1)', attempt: 1, state: 'success' },
          { id: 2, name: 'test (2)', attempt: 1, state },
        ],
      });
      release.uploaded(evidenceItem({ commitSha: MERGE, run: { id: '200', proven: true }, checkRunId: 1, job: null }));
      expect(release.reasons()).toEqual(reasons);
    },
  );

  it('retains them when CI runs again on the merge, and closes when that run fails', () => {
    const rerun = { commitSha: MERGE, run: { id: '200', proven: true } };
    const release = mergedTrunk();
    const { setDigest } = release.verdict();
    release.uploaded(evidenceItem(rerun));
    expect(release.reasons()).toEqual([]);
    expect(release.verdict()).toMatchObject({ candidateSha: CANDIDATE, candidateShas: [CANDIDATE, MERGE], setDigest });
    release.uploaded(failingItem({ ...rerun, job: 'other' }));
    expect([release.isOpen(), stageOf(release)]).toEqual([false, 'TESTING']);
    release.uploaded(evidenceItem({ commitSha: MERGE, run: { id: '201', proven: true } }));
    expect([release.isOpen(), release.verdict().setDigest]).toEqual([true, setDigest]);
  });

  it('closes when the coverage of the merge is lower than the policy allows', () => {
    const policy = {
      ...PLAIN_POLICY,
      qualityGates: { ...PLAIN_POLICY.qualityGates, coverage: { minLinePercent: 80, maxDrop: null } },
    };
    const release = mergedTrunk().ruledBy(policy).uploaded(coverageItem(90)).pullOpened();
    expect(release.isOpen()).toBe(true);
    release.uploaded(coverageItem(81, { commitSha: MERGE, run: { id: '200', proven: true } }));
    expect(release.isOpen()).toBe(true);
    release.uploaded(coverageItem(79, { commitSha: MERGE, run: { id: '201', proven: true } }));
    expect([release.isOpen(), stageOf(release)]).toEqual([false, 'TESTING']);
  });

  it('closes when a required check fails on the merge', () => {
    const { testing } = PLAIN_POLICY;
    const rule = policyWith({ testing: { ...testing, requiredChecks: [{ name: 'e2e', app: null }] } });
    const release = mergedTrunk()
      .ruledBy(rule)
      .know('checks', CANDIDATE, [check('e2e')]);
    expect(release.reasons()).toEqual(['unknown']);
    expect(release.know('checks', MERGE, []).reasons()).toEqual([]);
    expect(release.know('checks', MERGE, [check('e2e', { state: 'pending' })]).reasons()).toEqual([]);
    expect(release.know('checks', MERGE, [check('e2e', { state: 'failure' })]).reasons()).toEqual(['check_failing']);
  });

  it('has a new candidate when the merge contains more than the evidence', () => {
    const release = mergedTrunk().know('comparison', `${CANDIDATE}...${MERGE}`, comparison(CANDIDATE));
    expect(release.verdict().candidateShas).toEqual([CANDIDATE]);
    release.uploaded(evidenceItem({ commitSha: MERGE, run: { id: '200', proven: true } }));
    expect(release.verdict()).toMatchObject({ candidateSha: MERGE, candidateShas: [MERGE] });
    expect(release.reasons()).toEqual(['evidence_pull_outdated']);
  });

  it('is closed while the comparison of the merge is not known', () => {
    expect(mergedTrunk().deleteFact('comparison', `${CANDIDATE}...${MERGE}`).reasons()).toEqual(['unknown']);
  });

  it('does not move back for a late run of an older commit', () => {
    const release = givenTrunkRelease()
      .know('comparison', `${PREDECESSOR}...${CANDIDATE}`, comparison(PREDECESSOR))
      .know('history', CANDIDATE, [commit(CANDIDATE, [PREDECESSOR]), commit(PREDECESSOR, [])]);
    release.uploaded(failingItem({ commitSha: PREDECESSOR, run: { id: '999', proven: true } }));
    expect([release.isOpen(), release.verdict().candidateSha]).toEqual([true, CANDIDATE]);
  });

  it('does not change for runs of other branches', () => {
    const release = givenTrunkRelease().uploaded(
      failingItem({ commitSha: sha('8'), run: { id: '999', proven: true } }),
    );
    expect([release.isOpen(), release.verdict().candidateSha]).toEqual([true, CANDIDATE]);
  });

  it('retains a merged approval without reading the reviews again', () => {
    const release = mergedTrunk().pullOpened({ mergeApproval: { approved: true, approvers: ['user'] } });
    release.deleteFact('reviews', number).deleteFact('permission', FIRST_REVIEWER.login);
    expect(release.isOpen()).toBe(true);
    expect(release.later(60).isOpen()).toBe(false);
    expect(release.renew().isOpen()).toBe(true);
  });

  it('is approved by its merge when no approvals are required', () => {
    const rule = policyWith({ evidencing: reviewersRule({ minApprovals: 0 }) });
    expect(givenTrunkRelease().ruledBy(rule).reasons()).toEqual(['evidence_pull_not_merged']);
    expect(mergedTrunk().ruledBy(rule).reasons()).toEqual([]);
  });
});
