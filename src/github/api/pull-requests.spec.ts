import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  APP,
  repositoryJson,
  startFakeGitHubGateway,
  type FakeGitHubGateway,
} from '../../../test/support/fake-github-gateway.js';
import { gfm } from '../markdown.js';

const PULL = 'GET /repos/acme/app/pulls/12';
const PULLS = 'GET /repos/acme/app/pulls';
const REVIEWS = 'GET /repos/acme/app/pulls/12/reviews';
const HEAD = 'b'.repeat(40);

const pullJson = (changes: object = {}): object => ({
  number: 12,
  html_url: 'https://github.test/acme/app/pull/12',
  state: 'open',
  head: { ref: 'shipgate/evidence/v1.0.0', sha: HEAD, repo: { id: 101 } },
  base: { ref: 'main', sha: 'a'.repeat(40) },
  merged_at: null,
  merge_commit_sha: 'f'.repeat(40),
  ...changes,
});
const reviewJson = (changes: object = {}): object => ({
  id: 900,
  user: { id: 5, login: 'ada' },
  state: 'APPROVED',
  commit_id: HEAD,
  submitted_at: '2026-05-04T09:00:00Z',
  ...changes,
});

describe('PullRequests', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  describe('find', () => {
    it.each([
      ['open', { state: 'open' }, { state: 'open', mergedAt: null, mergeCommitSha: null }],
      ['closed', { state: 'closed' }, { state: 'closed', mergedAt: null, mergeCommitSha: null }],
      [
        'merged',
        { state: 'closed', merged_at: '2026-05-04T09:30:00Z' },
        { state: 'merged', mergedAt: '2026-05-04T09:30:00Z', mergeCommitSha: 'f'.repeat(40) },
      ],
    ])('reads a pull request that is %s', async (_, json, expected) => {
      fake.server.on(PULL, { json: pullJson(json) });
      await expect(fake.github.pulls.find(APP, 12)).resolves.toMatchObject({
        value: {
          number: 12,
          url: 'https://github.test/acme/app/pull/12',
          headRef: 'shipgate/evidence/v1.0.0',
          headSha: HEAD,
          baseRef: 'main',
          baseSha: 'a'.repeat(40),
          ...expected,
        },
      });
    });

    it('returns null if GitHub has none', async () => {
      await expect(fake.github.pulls.find(APP, 12)).resolves.toMatchObject({ value: null });
    });
  });

  it("finds the pull requests of the repository's own branch, and none of a fork", async () => {
    const { server: host, github } = fake;
    host.on('GET /repos/acme/app', { json: repositoryJson({ owner: { login: 'acme-labs', id: 11 } }) });
    host.on('GET /repos/acme-labs/app/pulls', {
      json: [
        pullJson({ number: 14, head: { ref: 'release/1', sha: HEAD, repo: null } }),
        pullJson({ number: 13, head: { ref: 'release/1', sha: HEAD, repo: { id: 999 } } }),
        pullJson(),
      ],
    });
    await expect(github.pulls.listByHead(APP, 'release/1')).resolves.toMatchObject({ value: [{ number: 12 }] });
    const { query } = host.calls('GET /repos/acme-labs/app/pulls')[0]!;
    expect(Object.fromEntries(query)).toMatchObject({ head: 'acme-labs:release/1', state: 'all', direction: 'desc' });
    expect(host.calls(PULLS)).toEqual([]);
  });

  describe('reviews', () => {
    const reviews = async () => (await fake.github.pulls.reviews(APP, 12)).value;

    it.each([
      ['APPROVED', 'approved'],
      ['CHANGES_REQUESTED', 'changes_requested'],
      ['COMMENTED', 'commented'],
      ['DISMISSED', 'dismissed'],
    ])('reads %s as %s', async (reported, state) => {
      fake.server.on(REVIEWS, { json: [reviewJson({ state: reported })] });
      await expect(reviews()).resolves.toEqual([
        { id: 900, userId: 5, login: 'ada', state, commitSha: HEAD, submittedAt: '2026-05-04T09:00:00Z' },
      ]);
    });

    it('omits drafts, and includes the review of a deleted account', async () => {
      fake.server.on(REVIEWS, {
        json: [reviewJson({ state: 'PENDING', submitted_at: undefined }), reviewJson({ user: null, commit_id: null })],
      });
      await expect(reviews()).resolves.toMatchObject([{ userId: null, login: null, commitSha: null }]);
    });

    it('rejects an unknown state', async () => {
      fake.server.on(REVIEWS, { json: [reviewJson({ state: 'APPROVED_WITH_REMARKS' })] });
      await expect(reviews()).rejects.toMatchObject({ kind: 'malformed' });
    });
  });

  describe('writes', () => {
    const sent = (route: string): unknown => JSON.parse(fake.server.calls(route)[0]?.body ?? '');

    it('opens a pull request', async () => {
      const pull = { title: 'Evidence', head: 'shipgate/evidence/v1.0.0', base: 'main', body: gfm`All of it.` };
      fake.server.on('POST /repos/acme/app/pulls', { status: 201, json: pullJson() });
      await expect(fake.github.pulls.open(APP, pull)).resolves.toMatchObject({ number: 12, state: 'open' });
      expect(sent('POST /repos/acme/app/pulls')).toEqual({ ...pull, body: 'All of it.' });
    });

    it('distinguishes a second pull request from an invalid one', async () => {
      const errors = [{ message: 'A pull request already exists for acme:shipgate/evidence/v1.0.0.' }];
      const pull = { title: 'Evidence', head: 'h', base: 'main', body: gfm`` };
      fake.server.on(
        'POST /repos/acme/app/pulls',
        { status: 422, json: { message: 'Validation Failed', errors } },
        { status: 422, json: { message: 'Validation Failed', errors: [{ field: 'base', code: 'invalid' }] } },
      );
      await expect(fake.github.pulls.open(APP, pull)).rejects.toMatchObject({ kind: 'conflict' });
      await expect(fake.github.pulls.open(APP, pull)).rejects.toMatchObject({ kind: 'invalid' });
    });

    it('changes only the given fields', async () => {
      const route = 'PATCH /repos/acme/app/pulls/12';
      fake.server.on(route, { json: pullJson({ state: 'closed' }) });
      await expect(fake.github.pulls.update(APP, 12, { state: 'closed' })).resolves.toMatchObject({
        state: 'closed',
      });
      expect(sent(route)).toEqual({ state: 'closed' });
    });

    it('requests a review from teams', async () => {
      const route = 'POST /repos/acme/app/pulls/12/requested_reviewers';
      fake.server.on(route, { status: 201, json: pullJson() });
      await fake.github.pulls.requestTeamReviews(APP, 12, ['release-managers']);
      expect(sent(route)).toEqual({ team_reviewers: ['release-managers'] });
    });
  });
});
