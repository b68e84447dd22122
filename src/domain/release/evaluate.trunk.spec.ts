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
  coveragePiece,
  piece,
  policyWith,
  pull,
  redPiece,
  reviewersRule,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/given-release.js';

const number = String(PULL_NUMBER);
const MERGE = sha('a');
const stageOf = (world: ReleaseBuilder): string => world.verdict().stage;

/** The trunk after its evidence pull request was merged: the merge differs from the candidate in the evidence alone. */
function mergedTrunk(): ReleaseBuilder {
  const mergedAt = '2026-05-04T09:50:00Z';
  return givenTrunkRelease()
    .branches({ branch: 'main', sha: MERGE })
    .know('pull', number, pull({ state: 'merged', mergedAt, mergeCommitSha: MERGE, baseSha: CANDIDATE }))
    .know('history', MERGE, [commit(MERGE, [CANDIDATE], null), commit(CANDIDATE, [PREDECESSOR])])
    .know('comparison', `${CANDIDATE}...${MERGE}`, sameButForEvidence(CANDIDATE));
}

describe('a release from the trunk', () => {
  it('is open without a branch of its own', () => {
    const { candidateSha, gate, hotfix } = givenTrunkRelease().verdict();
    expect([candidateSha, gate.reasons, hotfix]).toEqual([CANDIDATE, [], false]);
  });

  it('keeps candidate and approval when its evidence pull request is squashed', () => {
    const world = mergedTrunk();
    expect(world.reasons()).toEqual([]);
    expect(world.verdict()).toMatchObject({ candidateSha: CANDIDATE, candidateShas: [CANDIDATE, MERGE] });
  });

  it('keeps them when CI runs again on the merge, and hears it when that run fails', () => {
    const rerun = { commitSha: MERGE, run: { id: '200', proven: true } };
    const world = mergedTrunk();
    const { setDigest } = world.verdict();
    world.uploaded(piece(rerun));
    expect(world.reasons()).toEqual([]);
    expect(world.verdict()).toMatchObject({ candidateSha: CANDIDATE, candidateShas: [CANDIDATE, MERGE], setDigest });
    world.uploaded(redPiece({ ...rerun, job: 'other' }));
    expect([world.isOpen(), stageOf(world)]).toEqual([false, 'TESTING']);
    world.uploaded(piece({ commitSha: MERGE, run: { id: '201', proven: true } }));
    expect([world.isOpen(), world.verdict().setDigest]).toEqual([true, setDigest]);
  });

  it('hears a scan of the merge that finds more than the policy allows', () => {
    const policy = {
      ...PLAIN_POLICY,
      qualityGates: { ...PLAIN_POLICY.qualityGates, coverage: { minLinePercent: 80, maxDrop: null } },
    };
    const world = mergedTrunk().ruledBy(policy).uploaded(coveragePiece(90)).pullOpened();
    expect(world.isOpen()).toBe(true);
    world.uploaded(coveragePiece(81, { commitSha: MERGE, run: { id: '200', proven: true } }));
    expect(world.isOpen()).toBe(true);
    world.uploaded(coveragePiece(79, { commitSha: MERGE, run: { id: '201', proven: true } }));
    expect([world.isOpen(), stageOf(world)]).toEqual([false, 'TESTING']);
  });

  it('hears a required check that fails on the merge', () => {
    const { testing } = PLAIN_POLICY;
    const rule = policyWith({ testing: { ...testing, requiredChecks: [{ name: 'e2e', app: null }] } });
    const world = mergedTrunk()
      .ruledBy(rule)
      .know('checks', CANDIDATE, [check('e2e')]);
    expect(world.reasons()).toEqual(['unknown']);
    expect(world.know('checks', MERGE, []).reasons()).toEqual([]);
    expect(world.know('checks', MERGE, [check('e2e', { state: 'pending' })]).reasons()).toEqual([]);
    expect(world.know('checks', MERGE, [check('e2e', { state: 'failure' })]).reasons()).toEqual(['check_failing']);
  });

  it('has a new candidate when the merge brought more than the evidence', () => {
    const world = mergedTrunk().know('comparison', `${CANDIDATE}...${MERGE}`, comparison(CANDIDATE));
    expect(world.verdict().candidateShas).toEqual([CANDIDATE]);
    world.uploaded(piece({ commitSha: MERGE, run: { id: '200', proven: true } }));
    expect(world.verdict()).toMatchObject({ candidateSha: MERGE, candidateShas: [MERGE] });
    expect(world.reasons()).toEqual(['evidence_pull_outdated']);
  });

  it('is closed while it is not known how the merge differs', () => {
    expect(mergedTrunk().forget('comparison', `${CANDIDATE}...${MERGE}`).reasons()).toEqual(['unknown']);
  });

  it('does not move back for a late run of an older commit', () => {
    const world = givenTrunkRelease()
      .know('comparison', `${PREDECESSOR}...${CANDIDATE}`, comparison(PREDECESSOR))
      .know('history', CANDIDATE, [commit(CANDIDATE, [PREDECESSOR]), commit(PREDECESSOR, [])]);
    world.uploaded(redPiece({ commitSha: PREDECESSOR, run: { id: '999', proven: true } }));
    expect([world.isOpen(), world.verdict().candidateSha]).toEqual([true, CANDIDATE]);
  });

  it('is not moved by runs of other branches', () => {
    const world = givenTrunkRelease().uploaded(redPiece({ commitSha: sha('8'), run: { id: '999', proven: true } }));
    expect([world.isOpen(), world.verdict().candidateSha]).toEqual([true, CANDIDATE]);
  });

  it('keeps a merged approval without anybody having to be asked again', () => {
    const world = mergedTrunk().pullOpened({ mergeApproval: { approved: true, approvers: ['somebody'] } });
    world.forget('reviews', number).forget('permission', FIRST_REVIEWER.login);
    expect(world.isOpen()).toBe(true);
    expect(world.later(60).isOpen()).toBe(false);
    expect(world.renew().isOpen()).toBe(true);
  });

  it('is approved by its merge where no approvals are required', () => {
    const rule = policyWith({ evidencing: reviewersRule({ minApprovals: 0 }) });
    expect(givenTrunkRelease().ruledBy(rule).reasons()).toEqual(['evidence_pull_not_merged']);
    expect(mergedTrunk().ruledBy(rule).reasons()).toEqual([]);
  });
});
