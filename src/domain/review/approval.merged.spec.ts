import { describe, expect, it } from '@jest/globals';
import {
  CANDIDATE,
  EVIDENCE_FILES,
  FIRST_REVIEWER,
  PULL_HEAD,
  PULL_NUMBER,
  commit,
  comparison,
  policyWith,
  pull,
  review,
  reviewersRule,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/given-release.js';
import type { PullFact } from '../facts/facts.js';

const number = String(PULL_NUMBER);
const MERGED_AT = '2026-05-04T09:50:00Z';
const merged = (changes: Partial<PullFact> = {}): PullFact =>
  pull({ state: 'merged', mergedAt: MERGED_AT, mergeCommitSha: sha('f'), ...changes });

const codes = (world: ReleaseBuilder): readonly string[] =>
  world.verdict().approval?.unmet.map(({ code }) => code) ?? ['never asked'];

describe('the approval by a merged evidence pull request', () => {
  const world = (changes: Partial<PullFact> = {}): ReleaseBuilder =>
    givenTrunkRelease()
      .know('pull', number, merged({ baseSha: CANDIDATE, ...changes }))
      .know('comparison', `${CANDIDATE}...${sha('f')}`, sameButForEvidence(CANDIDATE));

  it('is that of the approvals in force at the merge', () => {
    expect(world().verdict().approval).toEqual({
      approved: true,
      approvers: [FIRST_REVIEWER.login],
      unmet: [],
      mergeApproval: { approved: true, approvers: [FIRST_REVIEWER.login] },
    });
  });

  it.each<[string, string, boolean]>([
    ['before the merge', '2026-05-04T09:49:59Z', true],
    ['in the second of the merge', MERGED_AT, true],
    ['after the merge', '2026-05-04T09:50:01Z', false],
  ])('counts an approval given %s: %s', (_name, submittedAt, approved) => {
    const { approval } = world()
      .know('reviews', number, [review(FIRST_REVIEWER, { submittedAt })])
      .verdict();
    expect(approval?.approved).toBe(approved);
    expect(approval?.mergeApproval?.approved).toBe(approved);
    expect(approval?.unmet.map(({ code }) => code)).toEqual(approved ? [] : ['evidence_pull_merged_unapproved']);
  });

  it('is not shaken by an objection after the merge', () => {
    const late = review(FIRST_REVIEWER, { id: 5, state: 'changes_requested', submittedAt: '2026-05-04T09:51:00Z' });
    expect(codes(world().know('reviews', number, [review(FIRST_REVIEWER), late]))).toEqual([]);
  });

  it.each<['reviews' | 'permission', string]>([
    ['reviews', number],
    ['permission', FIRST_REVIEWER.login],
  ])('is not judged by %s of before the merge, and asks for them again', (kind, key) => {
    const release = world();
    for (const minutes of [10.1, 60]) {
      const verdict = release.renew().age(kind, key, minutes).verdict();
      expect(verdict.approval?.mergeApproval).toBeNull();
      expect(verdict.approval?.unmet.map(({ code }) => code)).toEqual(['unknown']);
      expect(verdict.gate.openUntil).toBeNull();
      const expired = kind === 'permission' || minutes === 60;
      // What has expired is read again as it is; asking for it a second time would be a second answer to one question.
      expect(verdict.missing).toEqual(expired ? [] : [{ kind, key }]);
    }
    expect(release.renew().verdict().approval?.mergeApproval?.approved).toBe(true);
  });

  it('is judged by the members of a team as they were read after the merge', () => {
    const teams = policyWith({ evidencing: reviewersRule({ teams: ['leads'] }) });
    const release = world()
      .ruledBy(teams)
      .know('team', 'leads', { exists: true, userIds: [1] });
    expect(codes(release)).toEqual([]);
    expect(codes(release.age('team', 'leads', 11))).toEqual(['unknown']);
  });

  it('is unknown where nobody knows when it was merged', () => {
    expect(codes(world({ mergedAt: null }))).toEqual(['unknown']);
    expect(codes(world({ mergedAt: 'no time' }))).toEqual(['unknown']);
  });

  it('stands once judged, whatever the reviews say later, and for its set only', () => {
    const judged = { approved: true, approvers: ['somebody'] };
    const release = world().know('reviews', number, []).pullOpened({ mergeApproval: judged });
    expect(release.verdict().approval).toEqual({
      approved: true,
      approvers: ['somebody'],
      unmet: [],
      mergeApproval: null,
    });
    expect(codes(release.pullOpened({ mergeApproval: judged, setDigest: 'other' }))).toEqual([
      'evidence_pull_outdated',
    ]);
    expect(codes(release.pullOpened({ mergeApproval: { approved: false, approvers: [] } }))).toEqual([
      'evidence_pull_merged_unapproved',
    ]);
  });

  it('judges a merge of an outdated set all the same, so that it is written down', () => {
    const { approval } = world().pullOpened({ setDigest: 'other' }).verdict();
    expect(approval?.approved).toBe(false);
    expect(approval?.mergeApproval?.approved).toBe(true);
  });

  it('is the merge itself where no approvals are required', () => {
    const rule = policyWith({ evidencing: reviewersRule({ minApprovals: 0 }) });
    const open = givenTrunkRelease().ruledBy(rule).know('reviews', number, []);
    expect(codes(open)).toEqual(['evidence_pull_not_merged']);
    expect(codes(world().ruledBy(rule).know('reviews', number, []))).toEqual([]);
    const objection = review(FIRST_REVIEWER, { state: 'changes_requested' });
    expect(codes(open.know('reviews', number, [objection]))).toEqual(['changes_requested']);
    expect(codes(world().ruledBy(rule).know('reviews', number, [objection]))).toEqual([
      'evidence_pull_merged_unapproved',
    ]);
  });

  it('is none where it was merged elsewhere, or with a foreign commit', () => {
    const rule = policyWith({ evidencing: reviewersRule({ minApprovals: 0 }) });
    expect(codes(world({ baseRef: 'elsewhere' }).ruledBy(rule))).toEqual(['evidence_pull_merged_unapproved']);
    const foreign = comparison(CANDIDATE, {
      files: EVIDENCE_FILES,
      commits: [commit(PULL_HEAD, [CANDIDATE]), commit(sha('4'), [PULL_HEAD])],
    });
    const release = world({ headSha: sha('4') }).know('comparison', `${CANDIDATE}...${sha('4')}`, foreign);
    expect(codes(release)).toEqual(['evidence_pull_merged_unapproved']);
  });
});
