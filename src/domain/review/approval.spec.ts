import { describe, expect, it } from '@jest/globals';
import {
  AUTHOR,
  CANDIDATE,
  DEVELOPMENT_HEAD,
  EVIDENCE_FILES,
  FIRST_REVIEWER,
  PREDECESSOR,
  PULL_HEAD,
  PULL_NUMBER,
  SECOND_REVIEWER,
  STRICT_POLICY,
  commit,
  comparison,
  evidencePull,
  policyWith,
  pull,
  review,
  reviewersRule,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, givenTrunkRelease, type GivenRelease } from '../../../test/support/given-release.js';
import type { PullFact, ReviewFact } from '../release/facts.js';

const number = String(PULL_NUMBER);
const MERGED_AT = '2026-05-04T09:50:00Z';
const merged = (changes: Partial<PullFact> = {}): PullFact =>
  pull({ state: 'merged', mergedAt: MERGED_AT, mergeCommitSha: sha('f'), ...changes });

const codes = (world: GivenRelease): readonly string[] =>
  world.verdict().approval?.unmet.map(({ code }) => code) ?? ['never asked'];

const reviewed = (...reviews: readonly ReviewFact[]): GivenRelease =>
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

  it.each(['none', 'read', 'triage'] as const)('does not count from someone with the permission "%s"', (level) => {
    expect(codes(givenTrunkRelease().know('permission', FIRST_REVIEWER.login, { userId: 1, level }))).toEqual([
      'approvals_missing',
    ]);
  });

  it.each(['write', 'maintain', 'admin'] as const)('counts from someone with the permission "%s"', (level) => {
    expect(codes(givenTrunkRelease().know('permission', FIRST_REVIEWER.login, { userId: 1, level }))).toEqual([]);
  });

  it.each<[string, (world: GivenRelease) => GivenRelease, readonly string[]]>([
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
    const written = (...authors: readonly (number | null)[]): GivenRelease =>
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
});

describe('the approval by a merged evidence pull request', () => {
  const world = (changes: Partial<PullFact> = {}): GivenRelease =>
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

it('names what to look at, and who can change it', () => {
  const details = (world: GivenRelease): readonly string[] =>
    world.verdict().approval?.unmet.map(({ detail }) => detail) ?? [];
  expect(details(givenOpenRelease().know('reviews', number, []))).toEqual([
    '0 of 2 approvals given by members of "release-managers".',
  ]);
  expect(details(reviewed())).toEqual(['0 of 1 approvals given.']);
  expect(givenTrunkRelease().know('pull', number, null).verdict().approval?.unmet).toEqual([
    {
      code: 'evidence_pull_closed',
      detail: `The evidence pull request #${PULL_NUMBER} is gone. Open it again.`,
      actor: 'team',
      url: evidencePull().url,
    },
  ]);
});
