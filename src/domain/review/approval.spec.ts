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
import { givenOpenRelease, givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/given-release.js';
import type { ReviewFact } from '../facts/facts.js';

const number = String(PULL_NUMBER);
const codes = (world: ReleaseBuilder): readonly string[] =>
  world.verdict().approval?.unmet.map(({ code }) => code) ?? ['never asked'];

const reviewed = (...reviews: readonly ReviewFact[]): ReleaseBuilder =>
  givenTrunkRelease().know('reviews', number, reviews);

describe('the approval of an open evidence pull request', () => {
  it('is given by enough eligible people at its head', () => {
    expect(givenOpenRelease().verdict().approval).toEqual({
      approved: true,
      approvers: [FIRST_REVIEWER.login, SECOND_REVIEWER.login],
      unmet: [],
      mergeApproval: null,
    });
  });

  it.each<[string, readonly ReviewFact[], readonly string[]]>([
    ['nobody reviewed', [], ['approvals_missing']],
    ['somebody only commented', [review(FIRST_REVIEWER, { state: 'commented' })], ['approvals_missing']],
    ['an approval was dismissed', [review(FIRST_REVIEWER, { state: 'dismissed' })], ['approvals_missing']],
    ['an approval is of an earlier head', [review(FIRST_REVIEWER, { commitSha: sha('4') })], ['approvals_missing']],
    ['an approval is of no commit', [review(FIRST_REVIEWER, { commitSha: null })], ['approvals_missing']],
    ['the account is gone', [review({ userId: null, login: null })], ['approvals_missing']],
    ['the account has no name', [review({ userId: 1, login: null })], ['approvals_missing']],
    ['nothing is known of the person', [review({ userId: 3, login: 'stranger' })], ['unknown', 'approvals_missing']],
    ['the login belongs to another account now', [review({ ...FIRST_REVIEWER, userId: 77 })], ['approvals_missing']],
    [
      'changes were asked for after the approval',
      [
        review(FIRST_REVIEWER),
        review(FIRST_REVIEWER, { id: 2, state: 'changes_requested', submittedAt: '2026-05-04T09:31:00Z' }),
      ],
      ['changes_requested', 'approvals_missing'],
    ],
    [
      'changes were asked for in the same second, by the later number',
      [review(FIRST_REVIEWER, { id: 2, state: 'changes_requested' }), review(FIRST_REVIEWER, { id: 1 })],
      ['changes_requested', 'approvals_missing'],
    ],
    [
      'a later request for changes was dismissed: the earlier approval does not come back',
      [
        review(FIRST_REVIEWER),
        review(FIRST_REVIEWER, { id: 2, state: 'dismissed', submittedAt: '2026-05-04T09:31:00Z' }),
      ],
      ['approvals_missing'],
    ],
    [
      'a stranger objects of whom nothing is known',
      [review(FIRST_REVIEWER), review({ userId: 3, login: 'stranger' }, { state: 'changes_requested' })],
      ['unknown'],
    ],
  ])('is not given where %s', (_name, reviews, unmet) => {
    const world = reviewed(...reviews);
    expect(codes(world)).toEqual(unmet);
    expect(world.isOpen()).toBe(false);
    expect(codes(world.know('reviews', number, reviews.toReversed()))).toEqual(unmet);
  });

  it.each([
    ['approved', 'approval'],
    ['changes_requested', 'request for changes'],
  ] as const)('says in whole sentences what is not known of who %s', (state, word) => {
    const world = reviewed(review({ userId: 3, login: 'stranger' }, { state }));
    expect(world.verdict().approval?.unmet[0]?.detail).toBe(
      `Not known yet: whether stranger's ${word} counts. The permission of stranger in the repository is not known yet.`,
    );
  });

  it.each<[string, readonly ReviewFact[]]>([
    [
      'a comment follows it',
      [
        review(FIRST_REVIEWER),
        review(FIRST_REVIEWER, { id: 2, state: 'commented', submittedAt: '2026-05-04T09:31:00Z' }),
      ],
    ],
    [
      'it takes the objection of the same person back',
      [
        review(FIRST_REVIEWER, { state: 'changes_requested' }),
        review(FIRST_REVIEWER, { id: 2, submittedAt: '2026-05-04T09:31:00Z' }),
      ],
    ],
    [
      'a deleted account objects',
      [review(FIRST_REVIEWER), review({ userId: null, login: null }, { state: 'changes_requested' })],
    ],
  ])('stands where %s', (_name, reviews) => {
    expect(codes(reviewed(...reviews))).toEqual([]);
  });

  it('counts people, not reviews', () => {
    const twice = [review(FIRST_REVIEWER), review(FIRST_REVIEWER, { id: 2, submittedAt: '2026-05-04T09:31:00Z' })];
    expect(codes(givenOpenRelease().know('reviews', number, twice))).toEqual(['approvals_missing']);
  });

  it("hears the objection of someone eligible at an earlier head, and not that of someone who isn't", () => {
    const objection = review(SECOND_REVIEWER, { state: 'changes_requested', commitSha: sha('4') });
    const world = reviewed(review(FIRST_REVIEWER), objection);
    expect(codes(world.know('permission', SECOND_REVIEWER.login, { userId: 2, level: 'write' }))).toEqual([
      'changes_requested',
    ]);
    expect(codes(world.know('permission', SECOND_REVIEWER.login, { userId: 2, level: 'read' }))).toEqual([]);
  });

  it.each<[string, (world: ReleaseBuilder) => ReleaseBuilder, readonly string[]]>([
    ['was never opened', (world) => world.recorded({ evidencePull: null }), ['evidence_pull_pending']],
    ['was never read', (world) => world.forget('pull', number), ['unknown']],
    ['is gone', (world) => world.know('pull', number, null), ['evidence_pull_closed']],
    ['was closed', (world) => world.know('pull', number, pull({ state: 'closed' })), ['evidence_pull_closed']],
    ['holds another set', (world) => world.pullOpened({ setDigest: 'other' }), ['evidence_pull_outdated']],
    ['has reviews that were never read', (world) => world.forget('reviews', number), ['unknown']],
    [
      'would be merged into another branch',
      (world) => world.know('pull', number, pull({ baseRef: 'elsewhere' })),
      ['evidence_pull_altered'],
    ],
  ])('is refused where the pull request %s', (_name, differ, unmet) => {
    const world = differ(givenOpenRelease());
    expect(codes(world)).toEqual(unmet);
    expect(world.isOpen()).toBe(false);
  });

  it('is never given by a number of approvals that is none', () => {
    for (const minApprovals of [Number.NaN, -1, 0]) {
      const world = givenTrunkRelease()
        .ruledBy(policyWith({ evidencing: reviewersRule({ minApprovals }) }))
        .know('reviews', number, []);
      expect(world.isOpen()).toBe(false);
    }
  });
});

it('names what to look at, and who can change it', () => {
  const details = (world: ReleaseBuilder): readonly string[] =>
    world.verdict().approval?.unmet.map(({ detail }) => detail) ?? [];
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
