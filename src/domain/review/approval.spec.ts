import { describe, expect, it } from '@jest/globals';
import {
  FIRST_REVIEWER,
  PULL_NUMBER,
  SECOND_REVIEWER,
  evidencePull,
  policyWith,
  pull,
  review,
  reviewersRule,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import type { ReviewFact } from '../facts/facts.js';

const number = String(PULL_NUMBER);
const codes = (release: ReleaseBuilder): readonly string[] =>
  release.verdict().approval?.unmet.map(({ code }) => code) ?? ['never asked'];

const reviewed = (...reviews: readonly ReviewFact[]): ReleaseBuilder =>
  givenTrunkRelease().know('reviews', number, reviews);

describe('the approval of an open evidence pull request', () => {
  it('is given by enough eligible reviewers at its head', () => {
    expect(givenOpenRelease().verdict().approval).toEqual({
      approved: true,
      approvers: [FIRST_REVIEWER.login, SECOND_REVIEWER.login],
      unmet: [],
      mergeApproval: null,
    });
  });

  it.each<[string, readonly ReviewFact[], readonly string[]]>([
    ['there is no review', [], ['approvals_missing']],
    ['a reviewer only commented', [review(FIRST_REVIEWER, { state: 'commented' })], ['approvals_missing']],
    ['an approval was dismissed', [review(FIRST_REVIEWER, { state: 'dismissed' })], ['approvals_missing']],
    ['an approval is for an earlier head', [review(FIRST_REVIEWER, { commitSha: sha('4') })], ['approvals_missing']],
    ['an approval is for no commit', [review(FIRST_REVIEWER, { commitSha: null })], ['approvals_missing']],
    ['the account was deleted', [review({ userId: null, login: null })], ['approvals_missing']],
    ['the account has no name', [review({ userId: 1, login: null })], ['approvals_missing']],
    [
      'no fact about the reviewer is known',
      [review({ userId: 3, login: 'stranger' })],
      ['unknown', 'approvals_missing'],
    ],
    ['the login belongs to another account now', [review({ ...FIRST_REVIEWER, userId: 77 })], ['approvals_missing']],
    [
      'changes were requested after the approval',
      [
        review(FIRST_REVIEWER),
        review(FIRST_REVIEWER, { id: 2, state: 'changes_requested', submittedAt: '2026-05-04T09:31:00Z' }),
      ],
      ['changes_requested', 'approvals_missing'],
    ],
    [
      'changes were requested in the same second, with the later number',
      [review(FIRST_REVIEWER, { id: 2, state: 'changes_requested' }), review(FIRST_REVIEWER, { id: 1 })],
      ['changes_requested', 'approvals_missing'],
    ],
    [
      'a later request for changes was dismissed, which does not restore the earlier approval',
      [
        review(FIRST_REVIEWER),
        review(FIRST_REVIEWER, { id: 2, state: 'dismissed', submittedAt: '2026-05-04T09:31:00Z' }),
      ],
      ['approvals_missing'],
    ],
    [
      'a reviewer without known facts objects',
      [review(FIRST_REVIEWER), review({ userId: 3, login: 'stranger' }, { state: 'changes_requested' })],
      ['unknown'],
    ],
  ])('gives no approval when %s', (_name, reviews, unmet) => {
    const release = reviewed(...reviews);
    expect(codes(release)).toEqual(unmet);
    expect(release.isOpen()).toBe(false);
    expect(codes(release.know('reviews', number, reviews.toReversed()))).toEqual(unmet);
  });

  it.each([
    ['approved', 'approval'],
    ['changes_requested', 'request for changes'],
  ] as const)('names the unknown fact about a reviewer who %s', (state, reviewName) => {
    const release = reviewed(review({ userId: 3, login: 'stranger' }, { state }));
    expect(release.verdict().approval?.unmet[0]?.detail).toBe(
      `Not known yet: whether stranger's ${reviewName} counts. The permission of stranger in the repository is not known yet.`,
    );
  });

  it.each<[string, readonly ReviewFact[]]>([
    [
      'a comment follows the approval',
      [
        review(FIRST_REVIEWER),
        review(FIRST_REVIEWER, { id: 2, state: 'commented', submittedAt: '2026-05-04T09:31:00Z' }),
      ],
    ],
    [
      'it replaces the objection of the same reviewer',
      [
        review(FIRST_REVIEWER, { state: 'changes_requested' }),
        review(FIRST_REVIEWER, { id: 2, submittedAt: '2026-05-04T09:31:00Z' }),
      ],
    ],
    [
      'a deleted account objects',
      [review(FIRST_REVIEWER), review({ userId: null, login: null }, { state: 'changes_requested' })],
    ],
  ])('gives the approval when %s', (_name, reviews) => {
    expect(codes(reviewed(...reviews))).toEqual([]);
  });

  it('counts reviewers, not reviews', () => {
    const twice = [review(FIRST_REVIEWER), review(FIRST_REVIEWER, { id: 2, submittedAt: '2026-05-04T09:31:00Z' })];
    expect(codes(givenOpenRelease().know('reviews', number, twice))).toEqual(['approvals_missing']);
  });

  it('is blocked by an objection at an earlier head only if the reviewer is eligible', () => {
    const objection = review(SECOND_REVIEWER, { state: 'changes_requested', commitSha: sha('4') });
    const release = reviewed(review(FIRST_REVIEWER), objection);
    expect(codes(release.know('permission', SECOND_REVIEWER.login, { userId: 2, level: 'write' }))).toEqual([
      'changes_requested',
    ]);
    expect(codes(release.know('permission', SECOND_REVIEWER.login, { userId: 2, level: 'read' }))).toEqual([]);
  });

  it.each<[string, (release: ReleaseBuilder) => ReleaseBuilder, readonly string[]]>([
    ['was never opened', (release) => release.recorded({ evidencePull: null }), ['evidence_pull_pending']],
    ['was never read', (release) => release.deleteFact('pull', number), ['unknown']],
    ['is missing', (release) => release.know('pull', number, null), ['evidence_pull_closed']],
    ['was closed', (release) => release.know('pull', number, pull({ state: 'closed' })), ['evidence_pull_closed']],
    [
      'contains another evidence set',
      (release) => release.pullOpened({ setDigest: 'other' }),
      ['evidence_pull_outdated'],
    ],
    ['has reviews that were never read', (release) => release.deleteFact('reviews', number), ['unknown']],
    [
      'would be merged into another branch',
      (release) => release.know('pull', number, pull({ baseRef: 'elsewhere' })),
      ['evidence_pull_altered'],
    ],
  ])('rejects the approval if the pull request %s', (_name, differ, unmet) => {
    const release = differ(givenOpenRelease());
    expect(codes(release)).toEqual(unmet);
    expect(release.isOpen()).toBe(false);
  });

  it('is never given by an invalid number of approvals', () => {
    for (const minApprovals of [Number.NaN, -1, 0]) {
      const release = givenTrunkRelease()
        .ruledBy(policyWith({ evidencing: reviewersRule({ minApprovals }) }))
        .know('reviews', number, []);
      expect(release.isOpen()).toBe(false);
    }
  });
});

it('names what is missing and who can change it', () => {
  const details = (release: ReleaseBuilder): readonly string[] =>
    release.verdict().approval?.unmet.map(({ detail }) => detail) ?? [];
  expect(details(givenOpenRelease().know('reviews', number, []))).toEqual([
    '0 of 2 approvals given by members of "release-managers".',
  ]);
  expect(details(reviewed())).toEqual(['0 of 1 approvals given.']);
  expect(givenTrunkRelease().know('pull', number, null).verdict().approval?.unmet).toEqual([
    {
      code: 'evidence_pull_closed',
      detail: `The evidence pull request #${PULL_NUMBER} no longer exists. Open it again.`,
      actor: 'team',
      url: evidencePull().url,
    },
  ]);
});
