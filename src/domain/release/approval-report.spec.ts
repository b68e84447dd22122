import { describe, expect, it } from '@jest/globals';
import {
  AUTHOR,
  CANDIDATE,
  FIRST_REVIEWER,
  policyWith,
  pull,
  PULL_NUMBER,
  review,
  SECOND_REVIEWER,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import type { ReviewFact } from '../facts/facts.js';
import { DEFAULT_POLICY } from '../policy/policy.js';
import { buildApprovalReport } from './approval-report.js';

const number = String(PULL_NUMBER);
const report = (release: ReleaseBuilder, shippedWith: readonly string[] | null = null) =>
  buildApprovalReport(release.inputs(), release.verdict(), shippedWith);
const explained = (release: ReleaseBuilder): readonly (readonly [string, boolean, string | null])[] =>
  report(release).reviews.map(({ login, counts, reason }) => [login, counts, reason]);

describe('the approval report of an open evidence pull request', () => {
  it('counts the approvals of the verdict', () => {
    const release = givenOpenRelease();
    expect(report(release)).toEqual({
      required: 2,
      given: release.verdict().approval?.approvers.length,
      status: 'fresh',
      isFinal: false,
      reviews: [FIRST_REVIEWER, SECOND_REVIEWER].map(({ userId, login }) => ({
        userId,
        login,
        state: 'approved',
        commitSha: sha('e'),
        submittedAt: '2026-05-04T09:30:00Z',
        counts: true,
        reason: null,
      })),
    });
  });

  it.each<[string, readonly ReviewFact[], string, boolean, string | null]>([
    [
      'an approval of another commit',
      [review(FIRST_REVIEWER, { commitSha: sha('4') })],
      FIRST_REVIEWER.login,
      false,
      'It was given for another commit of the evidence pull request.',
    ],
    [
      'a dismissed approval',
      [review(FIRST_REVIEWER, { state: 'dismissed' })],
      FIRST_REVIEWER.login,
      false,
      'The review was dismissed.',
    ],
    [
      'an approval of an author',
      [review(AUTHOR)],
      AUTHOR.login,
      false,
      `${AUTHOR.login} wrote a commit of this release.`,
    ],
    [
      'an approval of a user about whom nothing is known',
      [review({ userId: 3, login: 'stranger' })],
      'stranger',
      false,
      'The permission of stranger in the repository is not known yet.',
    ],
    [
      'a request for changes',
      [review(FIRST_REVIEWER, { state: 'changes_requested', commitSha: sha('4') })],
      FIRST_REVIEWER.login,
      true,
      null,
    ],
  ])('reports for %s whether it counts', (_name, reviews, login, counts, reason) => {
    const release = givenOpenRelease().know('reviews', number, reviews);
    expect(explained(release)).toEqual([[login, counts, reason]]);
    expect(report(release).given).toBe(release.verdict().approval?.approvers.length);
  });

  it('counts no review if the content of the pull request or the evidence changed', () => {
    const outdated = givenTrunkRelease();
    outdated.recorded({
      evidencePull: outdated.record.evidencePull && { ...outdated.record.evidencePull, setDigest: 'x' },
    });
    const altered = givenTrunkRelease().know('pull', number, pull({ baseRef: 'other', baseSha: CANDIDATE }));
    const closed = givenTrunkRelease().know('pull', number, pull({ state: 'closed', baseSha: CANDIDATE }));
    for (const release of [outdated, altered, closed]) {
      const [condition] = release.verdict().approval?.unmet ?? [];
      expect(explained(release)).toEqual([[FIRST_REVIEWER.login, false, condition?.detail]]);
      expect(report(release).given).toBe(0);
    }
  });

  it('lists the reviews newest first', () => {
    const release = givenOpenRelease().know('reviews', number, [
      review(FIRST_REVIEWER),
      review(SECOND_REVIEWER, { submittedAt: '2026-05-04T09:31:00Z' }),
    ]);
    expect(explained(release).map(([login]) => login)).toEqual([SECOND_REVIEWER.login, FIRST_REVIEWER.login]);
  });

  it('is stale if one of its facts is stale, and unread if a fact was never read', () => {
    expect(report(givenOpenRelease().age('permission', SECOND_REVIEWER.login, 5)).status).toBe('stale');
    expect(report(givenOpenRelease().age('reviews', number, 20)).status).toBe('stale');
    expect(report(givenOpenRelease().deleteFact('reviews', number)).status).toBe('unread');
    expect(report(givenOpenRelease().deleteFact('team', 'release-managers')).status).toBe('unread');
  });

  it('returns no approvals before there is a pull request', () => {
    const expected = { required: 1, given: 0, reviews: [], status: 'none', isFinal: false };
    expect(report(givenTrunkRelease().recorded({ evidencePull: null }))).toEqual(expected);
  });

  it.each([
    [0, policyWith({ deployment: { ...DEFAULT_POLICY.deployment, requiresEvidenceApproval: false } })],
    [1, policyWith()],
  ])('requires %d approvals under the policy', (required, policy) => {
    expect(report(givenTrunkRelease().ruledBy(policy)).required).toBe(required);
  });

  it('returns null for the required approvals without a valid policy', () => {
    const release = givenTrunkRelease().know('policy', '', { status: 'missing', defaultBranch: 'main' });
    expect(report(release).required).toBeNull();
  });
});

describe('the approval report of a merged or shipped release', () => {
  const merged = pull({ state: 'merged', mergedAt: '2026-05-04T09:40:00Z', baseSha: CANDIDATE });

  it('returns the approvers at the merge for any later facts about them', () => {
    const release = givenTrunkRelease()
      .know('pull', number, merged)
      .know('reviews', number, [
        review(FIRST_REVIEWER, { state: 'dismissed' }),
        review(SECOND_REVIEWER),
        review(AUTHOR, { submittedAt: '2026-05-04T09:41:00Z' }),
      ])
      .deleteFact('permission', FIRST_REVIEWER.login);
    const { evidencePull } = release.record;
    const mergeApproval = { approved: true, approvers: [SECOND_REVIEWER.login, 'renamed'] };
    release.recorded({ evidencePull: evidencePull && { ...evidencePull, mergeApproval } });
    expect(report(release)).toMatchObject({ given: 2, status: 'fresh', isFinal: true });
    expect(explained(release)).toEqual([
      [FIRST_REVIEWER.login, false, 'The review was dismissed.'],
      [SECOND_REVIEWER.login, true, null],
    ]);
  });

  it('returns the approvers with which the release shipped', () => {
    const shipped = {
      candidateSha: CANDIDATE,
      candidateShas: [CANDIDATE],
      testsPassing: true,
      evidenceApproved: true,
      approvalRequired: true,
      passed: true,
    };
    const release = givenTrunkRelease().know('reviews', number, [review(FIRST_REVIEWER), review(SECOND_REVIEWER)]);
    const shippedReport = report(release.recorded({ shipped }), [FIRST_REVIEWER.login]);
    expect(shippedReport).toMatchObject({ required: null, given: 1, status: 'fresh' });
    expect(shippedReport.reviews.map(({ login, counts }) => [login, counts])).toEqual([
      [FIRST_REVIEWER.login, true],
      [SECOND_REVIEWER.login, false],
    ]);
  });
});
