import { describe, expect, it } from '@jest/globals';
import {
  AUTHOR,
  CANDIDATE,
  DEVELOPMENT_HEAD,
  FIRST_REVIEWER,
  NOW,
  PREDECESSOR,
  PULL_NUMBER,
  STRICT_POLICY,
  commit,
  comparison,
  review,
  reviewersRule,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { reviewEligibility } from './eligibility.js';

const number = String(PULL_NUMBER);

const codes = (release: ReleaseBuilder): readonly string[] =>
  release.verdict().approval?.unmet.map(({ code }) => code) ?? ['never asked'];

describe('an eligible reviewer', () => {
  it('is a member of one of the teams', () => {
    const release = givenOpenRelease().know('team', 'release-managers', { exists: true, userIds: [1, 9] });
    expect(codes(release)).toEqual(['approvals_missing']);
    const teams = ['release-managers', 'leads'];
    const { evidencing } = STRICT_POLICY;
    release.ruledBy({
      ...STRICT_POLICY,
      evidencing: { ...evidencing, requiredReviewers: evidencing.requiredReviewers.map((one) => ({ ...one, teams })) },
    });
    expect(codes(release)).toEqual(['unknown', 'approvals_missing']);
    expect(codes(release.know('team', 'leads', { exists: true, userIds: [2] }))).toEqual([]);
  });

  it('is not a member of a team that is missing or was never read', () => {
    expect(codes(givenOpenRelease().know('team', 'release-managers', { exists: false, userIds: [] }))).toContain(
      'approvals_missing',
    );
    expect(codes(givenOpenRelease().deleteFact('team', 'release-managers'))).toEqual(['unknown', 'approvals_missing']);
  });

  it('is not an author of the release', () => {
    const key = `${PREDECESSOR}...${CANDIDATE}`;
    const written = (...authors: readonly (number | null)[]): ReleaseBuilder =>
      givenOpenRelease().know(
        'comparison',
        key,
        comparison(PREDECESSOR, { commits: authors.map((author) => commit(CANDIDATE, [], author)) }),
      );
    expect(codes(written(1))).toEqual(['approvals_missing']);
    expect(codes(written(null))).toEqual([]);
    expect(codes(written(1, 2, 9))).toEqual(['approvals_missing', 'no_reviewer_left']);
    expect(codes(givenOpenRelease().deleteFact('comparison', key))).toEqual(['unknown', 'approvals_missing']);
    const cut = comparison(PREDECESSOR, { commitsComplete: false });
    expect(codes(givenOpenRelease().know('comparison', key, cut))).toEqual(['unknown', 'approvals_missing']);
  });

  it('can be an author if the policy allows it', () => {
    const release = givenTrunkRelease().know('permission', AUTHOR.login, { userId: 9, level: 'write' });
    expect(codes(release.know('reviews', number, [review(AUTHOR)]))).toEqual([]);
  });

  it('is not an author since the development branch if no release shipped before', () => {
    const release = givenOpenRelease().recorded({ predecessor: null });
    expect(codes(release)).toEqual(['unknown', 'approvals_missing']);
    const since = comparison(sha('b'), { status: 'diverged', commits: [commit(CANDIDATE, [sha('b')], 1)] });
    expect(codes(release.know('comparison', `${DEVELOPMENT_HEAD}...${CANDIDATE}`, since))).toEqual([
      'approvals_missing',
    ]);
  });

  it.each(['none', 'read', 'triage'] as const)('does not have the permission "%s"', (level) => {
    expect(codes(givenTrunkRelease().know('permission', FIRST_REVIEWER.login, { userId: 1, level }))).toEqual([
      'approvals_missing',
    ]);
  });

  it.each(['write', 'maintain', 'admin'] as const)('has the permission "%s"', (level) => {
    expect(codes(givenTrunkRelease().know('permission', FIRST_REVIEWER.login, { userId: 1, level }))).toEqual([]);
  });
});

describe('reviewEligibility', () => {
  const rule = reviewersRule({ teams: ['leads', 'managers'] }).requiredReviewers;
  const of = (userIds: readonly number[], authors: readonly number[]) => {
    const facts = new TrackedFacts([
      { kind: 'permission', key: FIRST_REVIEWER.login, value: { userId: 1, level: 'write' }, observedAt: NOW },
      { kind: 'team', key: 'leads', value: { exists: true, userIds }, observedAt: NOW },
      { kind: 'team', key: 'managers', value: { exists: true, userIds: [] }, observedAt: NOW },
    ]);
    return reviewEligibility(FIRST_REVIEWER, rule, new Set(authors), facts);
  };

  it('lets an author review if the policy does not exclude authors', () => {
    expect(of([1], [1])).toEqual({ status: 'eligible', reason: 'first-reviewer may approve this release.' });
  });

  it('does not let an account review that has another login now', () => {
    const facts = new TrackedFacts([
      { kind: 'permission', key: FIRST_REVIEWER.login, value: { userId: 5, level: 'write' }, observedAt: NOW },
    ]);
    expect(reviewEligibility(FIRST_REVIEWER, rule, new Set(), facts)).toEqual({
      status: 'ineligible',
      reason: '"first-reviewer" is no longer the account that reviewed.',
    });
  });

  it('needs no list of authors to exclude a user who may not review at all', () => {
    const excluding = reviewersRule({ excludeReleaseAuthors: true }).requiredReviewers;
    const withLevel = (level: 'read' | 'write') =>
      reviewEligibility(
        FIRST_REVIEWER,
        excluding,
        null,
        new TrackedFacts([
          { kind: 'permission', key: FIRST_REVIEWER.login, value: { userId: 1, level }, observedAt: NOW },
        ]),
      );
    expect(withLevel('read').status).toBe('ineligible');
    expect(withLevel('write')).toEqual({
      status: 'unknown',
      reason: 'The list of authors of this release is not known yet.',
    });
  });

  it('names the teams', () => {
    expect(of([2], [])).toEqual({
      status: 'ineligible',
      reason: 'first-reviewer belongs to none of the teams "leads", "managers".',
    });
  });
});
