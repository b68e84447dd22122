import { describe, expect, it } from '@jest/globals';
import {
  AUTHOR,
  FIRST_REVIEWER,
  PULL_NUMBER,
  policyWith,
  pull,
  review,
  reviewersRule,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import { toConditionKey } from '../facts/condition.js';
import type { ReviewFact } from '../facts/facts.js';
import { DEFAULT_POLICY, type ReviewerRequirement } from '../policy/policy.js';

const number = String(PULL_NUMBER);
const LATER = '2026-05-04T09:31:00Z';

const codes = (release: ReleaseBuilder): readonly string[] =>
  release.verdict().approval?.unmet.map(({ code }) => code) ?? ['never asked'];

describe('the conditions of missing approvals', () => {
  const keysWith = (...requirements: readonly ReviewerRequirement[]): readonly string[] => {
    const policy = policyWith({ evidencing: { ...DEFAULT_POLICY.evidencing, requiredReviewers: requirements } });
    const { approval } = givenTrunkRelease().ruledBy(policy).know('reviews', number, []).verdict();
    return approval?.unmet.map(toConditionKey) ?? [];
  };
  const requirement = (differences: Partial<ReviewerRequirement> = {}): ReviewerRequirement => ({
    minApprovals: 1,
    teams: [],
    excludeReleaseAuthors: false,
    ...differences,
  });

  it.each([
    ['more approvals', { minApprovals: 2 }],
    ['other teams', { teams: ['release-managers'] }],
    ['no approvals of authors', { excludeReleaseAuthors: true }],
  ])('are two if the organization requires one approval and the repository %s', (_name, differences) => {
    const keys = keysWith(
      { ...requirement(), source: 'organization' },
      { ...requirement(differences), source: 'repository' },
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.length).toBeGreaterThan(1);
  });

  it('are the same in every order of the teams', () => {
    const [one, other] = [
      ['a', 'b'],
      ['b', 'a'],
    ].map((teams) => keysWith(requirement({ teams })));
    expect(one).toEqual(other);
  });
});

describe('the reviews that count', () => {
  it.each<[string, readonly ReviewFact[], readonly string[]]>([
    [
      'a later request for changes with the lower number',
      [
        review(FIRST_REVIEWER, { id: 9 }),
        review(FIRST_REVIEWER, { id: 2, state: 'changes_requested', submittedAt: LATER }),
      ],
      ['changes_requested', 'approvals_missing'],
    ],
    [
      'a later approval with the lower number',
      [
        review(FIRST_REVIEWER, { id: 9, state: 'changes_requested' }),
        review(FIRST_REVIEWER, { id: 2, submittedAt: LATER }),
      ],
      [],
    ],
    ['a deleted account that left its name', [review({ userId: null, login: 'ghost' })], ['approvals_missing']],
  ])('evaluates %s', (_name, reviews, unmet) => {
    expect(codes(givenTrunkRelease().know('reviews', number, reviews))).toEqual(unmet);
    expect(codes(givenTrunkRelease().know('reviews', number, reviews.toReversed()))).toEqual(unmet);
  });

  it.each<[string, (release: ReleaseBuilder) => ReleaseBuilder, string]>([
    ['is missing', (release) => release.know('pull', number, null), 'evidence_pull_closed'],
    [
      'has another base',
      (release) => release.know('pull', number, pull({ baseRef: 'elsewhere' })),
      'evidence_pull_altered',
    ],
    [
      'has content that was never read',
      (release) => release.know('pull', number, pull({ headSha: sha('4') })),
      'unknown',
    ],
    [
      'has content of another user',
      (release) =>
        release.know('pull', number, pull({ headSha: sha('4') })).know('comparison', `${sha('d')}...${sha('4')}`, {
          status: 'ahead',
          mergeBaseSha: sha('d'),
          files: [],
          filesComplete: false,
          commits: [],
          commitsComplete: false,
        }),
      'evidence_pull_altered',
    ],
    ['has reviews that were never read', (release) => release.deleteFact('reviews', number), 'unknown'],
  ])('counts no review if the pull request %s', (_name, differ, code) => {
    const { approval } = differ(givenOpenRelease()).verdict();
    expect(approval).toMatchObject({ approved: false, approvers: [], unmet: [{ code }] });
  });
});

describe('the remaining reviewers', () => {
  const unmetWithoutReviews = (
    changes: Parameters<typeof reviewersRule>[0],
    teams: Record<string, readonly number[]>,
  ) => {
    const release = givenOpenRelease().ruledBy(policyWith({ evidencing: reviewersRule(changes) }));
    for (const [slug, userIds] of Object.entries(teams)) release.know('team', slug, { exists: true, userIds });
    return codes(release.know('reviews', number, []));
  };
  const excludeReleaseAuthors = true;
  const authors = [AUTHOR.userId];

  it.each<[string, readonly string[], readonly string[]]>([
    ['a team without members', unmetWithoutReviews({ teams: ['empty'] }, { empty: [] }), ['approvals_missing']],
    ['no team', unmetWithoutReviews({ excludeReleaseAuthors }, {}), ['approvals_missing']],
    [
      'a team of authors beside one of others',
      unmetWithoutReviews({ excludeReleaseAuthors, teams: ['authors', 'others'] }, { authors, others: [1] }),
      ['approvals_missing'],
    ],
    [
      'a team of authors',
      unmetWithoutReviews({ excludeReleaseAuthors, teams: ['authors'] }, { authors }),
      ['approvals_missing', 'no_reviewer_left'],
    ],
  ])('checks the remaining reviewers when the policy requires %s', (_name, actual, expected) => {
    expect(actual).toStrictEqual(expected);
  });

  it('reports the teams without an eligible reviewer', () => {
    const teams = ['authors', 'more-authors'];
    const release = givenOpenRelease()
      .ruledBy(policyWith({ evidencing: reviewersRule({ excludeReleaseAuthors, teams }) }))
      .know('reviews', number, []);
    for (const slug of teams) release.know('team', slug, { exists: true, userIds: authors });
    expect(release.verdict().approval?.unmet.at(-1)?.detail).toBe(
      'Everyone in "authors", "more-authors" wrote a commit of this release, so no member of them may approve it.',
    );
  });
});
