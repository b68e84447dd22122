import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AcmeFixture } from './acme-fixture.js';

let acme: AcmeFixture;

beforeEach(async () => {
  acme = await AcmeFixture.start();
});
afterEach(async () => {
  await acme.observed.sim.stop();
  expect(acme.observed.violations).toEqual([]);
});

describe('a pull request', () => {
  const openPull = () => {
    acme.repository.commit({ branch: 'feature', files: { 'a.txt': 'a\n' }, author: acme.author });
    return acme.repository.pulls.open({ head: 'feature', title: 'Add a', body: 'For #1', author: acme.author });
  };

  it('follows its branch: a push moves the head, sends an event and leaves the review at its commit', async () => {
    const pull = openPull();
    const token = await acme.installationToken();
    const before = pull.headSha;
    const path = `/repos/acme/payments/pulls/${pull.number}`;
    expect((await acme.request(acme.reviewer.token, 'POST', `${path}/reviews`, { event: 'APPROVE' })).status).toBe(200);
    const after = acme.repository.commit({ branch: 'feature', files: { 'b.txt': 'b\n' }, author: acme.author });
    expect((await acme.request(token, 'GET', path)).body).toMatchObject({
      head: { sha: after },
      commits: 2,
      changed_files: 2,
    });
    const reviews = await acme.request(token, 'GET', `${path}/reviews`);
    expect(reviews.body).toMatchObject([{ state: 'APPROVED', commit_id: before, user: { id: acme.reviewer.id } }]);
    const received = acme.observed.hooks.find(({ payload }) => 'action' in payload && payload.action === 'synchronize');
    expect(received?.payload).toMatchObject({ before, after, pull_request: { head: { sha: after } } });
  });

  it('has a page on which users approve and merge it', async () => {
    const pull = openPull();
    const { url } = acme.observed.sim;
    const address = `${url}/acme/payments/pull/${pull.number}`;
    expect(await (await fetch(address)).text()).toContain('Add a');
    const start = await (await fetch(url)).text();
    expect(start).toContain(`href="${new URL(address).pathname}"`);
    const own = await fetch(`${address}?approve=${acme.author.login}`);
    expect([own.status, await own.text()]).toEqual([422, expect.stringContaining('own pull request')]);
    const approved = await fetch(`${address}?approve=${acme.reviewer.login}`);
    expect(await approved.text()).toContain(`open, ${acme.reviewer.login}: approved`);
    expect(pull.reviews).toMatchObject([{ author: { id: acme.reviewer.id }, state: 'APPROVED' }]);
    expect(await (await fetch(`${address}?merge=${acme.reviewer.login}`)).text()).toContain('merged');
    expect(await (await fetch(url)).text()).toContain('None is open.');
    expect(pull.mergedBy).toBe(acme.reviewer);
    expect((await fetch(`${url}/acme/payments/issues/1`)).status).toBe(404);
  });

  it('cannot be approved by its author', async () => {
    const pull = openPull();
    const path = `/repos/acme/payments/pulls/${pull.number}/reviews`;
    expect((await acme.request(acme.author.token, 'POST', path, { event: 'APPROVE' })).status).toBe(422);
    expect(pull.reviews).toEqual([]);
  });

  it('stores a dismissed review as dismissed', async () => {
    const pull = openPull();
    const review = acme.repository.pulls.reviews.submit(pull, { by: acme.reviewer, state: 'APPROVED' });
    const path = `/repos/acme/payments/pulls/${pull.number}/reviews`;
    const dismissal = await acme.request(acme.author.token, 'PUT', `${path}/${review.id}/dismissals`, {
      message: 'stale',
    });
    expect(dismissal.body).toMatchObject({ state: 'DISMISSED' });
    expect(acme.events()).toEqual(
      expect.arrayContaining(['pull_request_review.submitted', 'pull_request_review.dismissed']),
    );
  });

  it.each([
    ['merge', 2, 'Merge pull request #1 from acme/feature'],
    ['squash', 1, 'Add a (#1)'],
    ['rebase', 1, 'Update files'],
  ])('is merged by %s', async (method, parents, subject) => {
    const pull = openPull();
    acme.repository.commit({ files: { 'README.md': '# Changed\n' }, author: acme.reviewer });
    const path = `/repos/acme/payments/pulls/${pull.number}/merge`;
    const merged = await acme.request(acme.reviewer.token, 'PUT', path, { merge_method: method, sha: pull.headSha });
    expect(merged.status).toBe(200);
    const head = acme.repository.git.branchHead('main') ?? '';
    expect(merged.body['sha']).toBe(head);
    const commit = acme.repository.git.store.commit(head);
    expect(commit.parents).toHaveLength(parents);
    expect(commit.message.split('\n')[0]).toBe(subject);
    expect([...acme.repository.git.filesAt(head).keys()]).toEqual(['README.md', 'a.txt']);
    expect(pull.mergeCommitSha).toBe(head);
    expect(acme.events()).toContain('pull_request.closed');
  });

  it('is not merged if both sides changed one line, if the head moved, or twice', async () => {
    acme.repository.commit({ branch: 'feature', files: { 'README.md': '# Theirs\n' }, author: acme.author });
    const pull = acme.repository.pulls.open({ head: 'feature', title: 'Change', author: acme.author });
    const path = `/repos/acme/payments/pulls/${pull.number}/merge`;
    expect((await acme.request(acme.reviewer.token, 'PUT', path, { sha: '0'.repeat(40) })).status).toBe(409);
    acme.repository.commit({ files: { 'README.md': '# Ours\n' } });
    expect((await acme.request(acme.reviewer.token, 'PUT', path, {})).status).toBe(405);
    acme.repository.commit({ branch: 'feature', files: { 'README.md': '# Payments\n' }, author: acme.author });
    expect((await acme.request(acme.reviewer.token, 'PUT', path, {})).status).toBe(200);
    expect((await acme.request(acme.reviewer.token, 'PUT', path, {})).status).toBe(405);
  });

  it('is merged by a push that brings its head into the base, and closed with its branch', () => {
    const merged = openPull();
    acme.repository.setBranch('main', merged.headSha);
    expect(merged.mergedAt).not.toBeNull();
    acme.repository.commit({ branch: 'second', files: { c: 'c' } });
    const closed = acme.repository.pulls.open({ head: 'second', title: 'Second' });
    acme.repository.deleteBranch('second');
    expect(closed.issue.state).toBe('closed');
    expect(closed.mergedAt).toBeNull();
  });
});
