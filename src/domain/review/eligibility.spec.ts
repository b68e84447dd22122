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
  policyWith,
  review,
  reviewersRule,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, type ReleaseBuilder } from '../../../test/support/given-release.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { reviewEligibility } from './eligibility.js';

const number = String(PULL_NUMBER);

const codes = (world: ReleaseBuilder): readonly string[] =>
  world.verdict().approval?.unmet.map(({ code }) => code) ?? ['never asked'];

describe('who may approve', () => {
  it('is a member of one of the teams', () => {
    const world = givenOpenRelease().know('team', 'release-managers', { exists: true, userIds: [1, 9] });
    expect(codes(world)).toEqual(['approvals_missing']);
    const teams = ['release-managers', 'leads'];
    const { evidencing } = STRICT_POLICY;
    world.ruledBy({
      ...STRICT_POLICY,
      evidencing: { ...evidencing, requiredReviewers: { ...evidencing.requiredReviewers, teams } },
    });
    expect(codes(world)).toEqual(['unknown', 'approvals_missing']);
    expect(codes(world.know('team', 'leads', { exists: true, userIds: [2] }))).toEqual([]);
  });

  it('is nobody of a team that is gone or was never read', () => {
    expect(codes(givenOpenRelease().know('team', 'release-managers', { exists: false, userIds: [] }))).toContain(
      'approvals_missing',
    );
    expect(codes(givenOpenRelease().forget('team', 'release-managers'))).toEqual(['unknown', 'approvals_missing']);
  });

  it('is not who wrote a part of the release', () => {
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
    expect(codes(givenOpenRelease().forget('comparison', key))).toEqual(['unknown', 'approvals_missing']);
    const cut = comparison(PREDECESSOR, { commitsComplete: false });
    expect(codes(givenOpenRelease().know('comparison', key, cut))).toEqual(['unknown', 'approvals_missing']);
  });

  it('may be an author where the policy does not mind', () => {
    const world = givenTrunkRelease().know('permission', AUTHOR.login, { userId: 9, level: 'write' });
    expect(codes(world.know('reviews', number, [review(AUTHOR)]))).toEqual([]);
  });

  it('leaves out who wrote since the development branch, where nothing shipped before', () => {
    const world = givenOpenRelease().recorded({ predecessor: null });
    expect(codes(world)).toEqual(['unknown', 'approvals_missing']);
    const since = comparison(sha('b'), { status: 'diverged', commits: [commit(CANDIDATE, [sha('b')], 1)] });
    expect(codes(world.know('comparison', `${DEVELOPMENT_HEAD}...${CANDIDATE}`, since))).toEqual(['approvals_missing']);
  });

  it.each(['none', 'read', 'triage'] as const)('is not someone with the permission "%s"', (level) => {
    expect(codes(givenTrunkRelease().know('permission', FIRST_REVIEWER.login, { userId: 1, level }))).toEqual([
      'approvals_missing',
    ]);
  });

  it.each(['write', 'maintain', 'admin'] as const)('is someone with the permission "%s"', (level) => {
    expect(codes(givenTrunkRelease().know('permission', FIRST_REVIEWER.login, { userId: 1, level }))).toEqual([]);
  });
});

describe('the sentence that says whether a review counts', () => {
  const rule = policyWith({ evidencing: reviewersRule({ teams: ['leads', 'managers'] }) });
  const of = (userIds: readonly number[], authors: readonly number[]) => {
    const facts = new TrackedFacts([
      { kind: 'permission', key: FIRST_REVIEWER.login, value: { userId: 1, level: 'write' }, observedAt: NOW },
      { kind: 'team', key: 'leads', value: { exists: true, userIds }, observedAt: NOW },
      { kind: 'team', key: 'managers', value: { exists: true, userIds: [] }, observedAt: NOW },
    ]);
    return reviewEligibility(FIRST_REVIEWER, rule, new Set(authors), facts);
  };

  it('lets an author review where the policy does not exclude authors', () => {
    expect(of([1], [1])).toEqual({ status: 'eligible', reason: 'first-reviewer may approve this release.' });
  });

  it('names the teams', () => {
    expect(of([2], [])).toEqual({
      status: 'ineligible',
      reason: 'first-reviewer belongs to none of the teams "leads", "managers".',
    });
  });
});
