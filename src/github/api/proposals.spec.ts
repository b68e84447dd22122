import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';

const PULLS = 'GET /repos/acme/app/pulls';
const SHA = 'a'.repeat(40);
const pullJson = (changes: object = {}): object => ({
  number: 4,
  title: 'Change',
  body: null,
  user: { id: 9, login: 'ann' },
  milestone: null,
  head: { ref: 'feature', sha: SHA, repo: { id: 101 } },
  base: { ref: 'main', sha: SHA },
  ...changes,
});

describe('Proposals', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  const list = async (...pulls: readonly object[]) => {
    fake.server.on(PULLS, { json: pulls });
    return (await fake.github.openPullRequests.list(APP)).value;
  };

  it('returns the authors and branches of open pull requests', async () => {
    await expect(list(pullJson({ milestone: { number: 3 }, body: 'Fixes #1' }))).resolves.toEqual([
      {
        number: 4,
        title: 'Change',
        body: 'Fixes #1',
        milestoneNumber: 3,
        authorLogin: 'ann',
        headRef: 'feature',
        headSha: SHA,
        fromFork: false,
        baseRef: 'main',
      },
    ]);
  });

  it('treats the branch of another or a deleted repository as that of a fork', async () => {
    const found = await list(
      pullJson({ head: { ref: 'feature', sha: SHA, repo: { id: 102 } } }),
      pullJson({ head: { ref: 'feature', sha: SHA, repo: null } }),
    );
    expect(found.map(({ fromFork }) => fromFork)).toEqual([true, true]);
  });

  it('lists the pull requests of deleted accounts', async () => {
    expect(await list(pullJson({ user: null }))).toMatchObject([{ authorLogin: null, body: '' }]);
  });
});
