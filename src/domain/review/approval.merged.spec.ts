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
import { givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import type { PullFact } from '../facts/facts.js';

const number = String(PULL_NUMBER);
const MERGED_AT = '2026-05-04T09:50:00Z';
const merged = (changes: Partial<PullFact> = {}): PullFact =>
  pull({ state: 'merged', mergedAt: MERGED_AT, mergeCommitSha: sha('f'), ...changes });

const codes = (release: ReleaseBuilder): readonly string[] =>
  release.verdict().approval?.unmet.map(({ code }) => code) ?? ['never asked'];

describe('the approval by a merged evidence pull request', () => {
  const mergedRelease = (changes: Partial<PullFact> = {}): ReleaseBuilder =>
    givenTrunkRelease()
      .know('pull', number, merged({ baseSha: CANDIDATE, ...changes }))
      .know('comparison', `${CANDIDATE}...${sha('f')}`, sameButForEvidence(CANDIDATE));

  it('uses the approvals at the merge', () => {
    expect(mergedRelease().verdict().approval).toEqual({
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
  ])('counts an approval %s: %s', (_name, submittedAt, approved) => {
    const { approval } = mergedRelease()
      .know('reviews', number, [review(FIRST_REVIEWER, { submittedAt })])
      .verdict();
    expect(approval?.approved).toBe(approved);
    expect(approval?.mergeApproval?.approved).toBe(approved);
    expect(approval?.unmet.map(({ code }) => code)).toEqual(approved ? [] : ['evidence_pull_merged_unapproved']);
  });

  it('does not change for an objection after the merge', () => {
    const late = review(FIRST_REVIEWER, { id: 5, state: 'changes_requested', submittedAt: '2026-05-04T09:51:00Z' });
    expect(codes(mergedRelease().know('reviews', number, [review(FIRST_REVIEWER), late]))).toEqual([]);
  });

  it.each<['reviews' | 'permission', string]>([
    ['reviews', number],
    ['permission', FIRST_REVIEWER.login],
  ])('is not derived from %s read before the merge, and reads them again', (kind, key) => {
    const release = mergedRelease();
    for (const minutes of [10.1, 60]) {
      const verdict = release.renew().age(kind, key, minutes).verdict();
      expect(verdict.approval?.mergeApproval).toBeNull();
      expect(verdict.approval?.unmet.map(({ code }) => code)).toEqual(['unknown']);
      expect(verdict.gate.openUntil).toBeNull();
      const expired = kind === 'permission' || minutes === 60;
      // The normal refresh reads an expired fact again. Another request would read the same fact twice.
      expect(verdict.missing).toEqual(expired ? [] : [{ kind, key }]);
    }
    expect(release.renew().verdict().approval?.mergeApproval?.approved).toBe(true);
  });

  it('is derived from team members that were read after the merge', () => {
    const teams = policyWith({ evidencing: reviewersRule({ teams: ['leads'] }) });
    const release = mergedRelease()
      .ruledBy(teams)
      .know('team', 'leads', { exists: true, userIds: [1] });
    expect(codes(release)).toEqual([]);
    expect(codes(release.age('team', 'leads', 11))).toEqual(['unknown']);
  });

  it('is unknown when the time of the merge is not known', () => {
    expect(codes(mergedRelease({ mergedAt: null }))).toEqual(['unknown']);
    expect(codes(mergedRelease({ mergedAt: 'no time' }))).toEqual(['unknown']);
  });

  it('is final once saved for its evidence set, with any later reviews', () => {
    const savedApproval = { approved: true, approvers: ['reviewer'] };
    const release = mergedRelease().know('reviews', number, []).pullOpened({ mergeApproval: savedApproval });
    expect(release.verdict().approval).toEqual({
      approved: true,
      approvers: ['reviewer'],
      unmet: [],
      mergeApproval: null,
    });
    expect(codes(release.pullOpened({ mergeApproval: savedApproval, setDigest: 'other' }))).toEqual([
      'evidence_pull_outdated',
    ]);
    expect(codes(release.pullOpened({ mergeApproval: { approved: false, approvers: [] } }))).toEqual([
      'evidence_pull_merged_unapproved',
    ]);
  });

  it('is derived also for a merge of an outdated set, so that it is saved', () => {
    const { approval } = mergedRelease().pullOpened({ setDigest: 'other' }).verdict();
    expect(approval?.approved).toBe(false);
    expect(approval?.mergeApproval?.approved).toBe(true);
  });

  it('is the merge itself when no approvals are required', () => {
    const rule = policyWith({ evidencing: reviewersRule({ minApprovals: 0 }) });
    const open = givenTrunkRelease().ruledBy(rule).know('reviews', number, []);
    expect(codes(open)).toEqual(['evidence_pull_not_merged']);
    expect(codes(mergedRelease().ruledBy(rule).know('reviews', number, []))).toEqual([]);
    const objection = review(FIRST_REVIEWER, { state: 'changes_requested' });
    expect(codes(open.know('reviews', number, [objection]))).toEqual(['changes_requested']);
    expect(codes(mergedRelease().ruledBy(rule).know('reviews', number, [objection]))).toEqual([
      'evidence_pull_merged_unapproved',
    ]);
  });

  it('is not given when the merge went elsewhere or contains a foreign commit', () => {
    const rule = policyWith({ evidencing: reviewersRule({ minApprovals: 0 }) });
    expect(codes(mergedRelease({ baseRef: 'elsewhere' }).ruledBy(rule))).toEqual(['evidence_pull_merged_unapproved']);
    const foreign = comparison(CANDIDATE, {
      files: EVIDENCE_FILES,
      commits: [commit(PULL_HEAD, [CANDIDATE]), commit(sha('4'), [PULL_HEAD])],
    });
    const release = mergedRelease({ headSha: sha('4') }).know('comparison', `${CANDIDATE}...${sha('4')}`, foreign);
    expect(codes(release)).toEqual(['evidence_pull_merged_unapproved']);
  });
});
