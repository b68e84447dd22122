import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { codesOf, PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

const reviewedBy = (rules: string): string => `version: v1\nstages:\n  evidencing:\n    required_reviewers: ${rules}\n`;

describe('the approval of evidence', () => {
  let env: TestEnvironment;
  const scenario = (name: string, sdlc = PLAIN_POLICY): RepositoryScenario =>
    new RepositoryScenario(env, { name, sdlc });

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('ends when new evidence counts', async () => {
    const repo = scenario('new-evidence');
    const sha = await repo.approved('v1.0.0');
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    const before = repo.evidencePull('v1.0.0').headSha;

    await repo.test('v1.0.0', sha, 7);
    expect(repo.evidencePull('v1.0.0').headSha).not.toBe(before);
    expect(await repo.gate('v1.0.0')).toMatchObject({ evidence_pr_approved: false, can_deploy: false });
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ evidence_pr_approved: true, can_deploy: true });
  });

  it('remains when a document is uploaded, and ends when failed tests are uploaded', async () => {
    const repo = scenario('documents');
    const sha = await repo.approved('v1.0.0');
    const reports = { 'index.html': '<h1>Coverage</h1>' };
    expect((await repo.run(sha).upload('v1.0.0', { pipeline: 'docs', reports })).status).toBe(201);
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true, reasons: [] });
    await repo.run(sha).uploadTests('v1.0.0', 3, 1, { pipeline: 'late' });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'TESTING', can_deploy: false });
  });

  it('ends with a new candidate', async () => {
    const repo = scenario('new-candidate');
    await repo.approved('v1.0.0');
    const next = repo.commit();
    await repo.test('v1.0.0', next);
    const answer = await repo.gate('v1.0.0');
    expect(answer).toMatchObject({ candidate_sha: next, evidence_pr_approved: false, can_deploy: false });
    expect(codesOf(answer)).toEqual(['approvals_missing']);
  });

  it('ends when it is dismissed, and when the reviewer requests changes', async () => {
    const repo = scenario('taken-back');
    await repo.evidencing('v1.0.0');
    const review = repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    repo.repository.pulls.reviews.dismiss(review);
    await env.waitUntilIdle();
    expect(codesOf(await repo.gate('v1.0.0'))).toEqual(['approvals_missing']);

    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    env.clock.advance(1_000);
    const pull = repo.evidencePull('v1.0.0');
    repo.repository.pulls.reviews.submit(pull, { by: repo.reviewer, state: 'CHANGES_REQUESTED', body: 'Not yet.' });
    await env.waitUntilIdle();
    const answer = await repo.gate('v1.0.0');
    expect(answer).toMatchObject({ evidence_pr_approved: false, can_deploy: false });
    expect(codesOf(answer)).toEqual(['changes_requested', 'approvals_missing']);
  });

  it('does not count while another eligible reviewer requests changes', async () => {
    const repo = scenario('objected');
    const other = repo.createCollaborator('otto-of-objected');
    await repo.evidencing('v1.0.0');
    const pull = repo.evidencePull('v1.0.0');
    repo.repository.pulls.reviews.submit(pull, { by: other, state: 'CHANGES_REQUESTED', body: 'No.' });
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(codesOf(await repo.gate('v1.0.0'))).toEqual(['changes_requested']);
  });

  it('is not given by a comment, and not by a user without write access until they get it', async () => {
    const repo = scenario('ineligible');
    const reader = repo.createCollaborator('rob-of-ineligible', 'read');
    await repo.evidencing('v1.0.0');
    const pull = repo.evidencePull('v1.0.0');
    repo.repository.pulls.reviews.submit(pull, { by: repo.reviewer, state: 'COMMENTED', body: 'Nice.' });
    repo.approve('v1.0.0', reader);
    await env.waitUntilIdle();
    expect(codesOf(await repo.gate('v1.0.0'))).toEqual(['approvals_missing']);

    repo.repository.setCollaborator(reader, 'write');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    repo.repository.setCollaborator(reader, 'read');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false, evidence_pr_approved: false });
  });

  it('still counts when the reviewer leaves the organization', async () => {
    const repo = scenario('leaver');
    await repo.approved('v1.0.0');
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    repo.repository.owner.removeMember(repo.reviewer);
    repo.repository.removeCollaborator(repo.reviewer);
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false, evidence_pr_approved: false });
  });

  it('needs the teams and the number of reviewers that the policy names', async () => {
    const team = env.github.createTeam(env.organization, 'release managers');
    const repo = scenario('teams', reviewedBy('{ min_approvals: 2, teams: [release-managers] }'));
    const [ada, bob] = [repo.createCollaborator('ada-of-teams'), repo.createCollaborator('bob-of-teams')];
    for (const member of [ada, bob]) team.addMember(member);
    team.grant(repo.repository, 'write');
    await repo.evidencing('v1.0.0');
    expect(repo.evidencePull('v1.0.0').requestedTeams).toEqual([team]);

    repo.approve('v1.0.0', repo.reviewer);
    repo.approve('v1.0.0', ada);
    await env.waitUntilIdle();
    const answer = await repo.gate('v1.0.0');
    expect(answer.reasons).toEqual([
      expect.objectContaining({ detail: '1 of 2 approvals given by members of "release-managers".' }),
    ]);
    repo.approve('v1.0.0', bob);
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    team.removeMember(bob);
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false });
  });

  it('does not count from the authors of the release if the policy excludes them', async () => {
    const repo = scenario('authors', reviewedBy('{ exclude_release_authors: true }'));
    repo.milestone('v1.0.0');
    repo.milestone('v1.1.0');
    const base = repo.commit();
    await env.waitUntilIdle();
    await repo.test('v1.0.0', base);
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    await repo.deploy(base);
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYED' });

    const sha = repo.commit({ author: repo.reviewer });
    await repo.test('v1.1.0', sha);
    repo.approve('v1.1.0');
    await env.waitUntilIdle();
    expect(codesOf(await repo.gate('v1.1.0'))).toContain('approvals_missing');
    repo.approve('v1.1.0', repo.createCollaborator('nora-of-authors'));
    await env.waitUntilIdle();
    expect(await repo.gate('v1.1.0')).toMatchObject({ can_deploy: true });
  });

  it('does not count from a committer or a co-author, and commits by GitHub have no author', async () => {
    const repo = scenario('co-authors', reviewedBy('{ exclude_release_authors: true }'));
    repo.milestone('v1.0.0');
    const [cora, old, nora] = ['cora', 'old-timer', 'nora-of-co-authors'].map((login) =>
      repo.createCollaborator(login),
    );
    if (!cora || !old || !nora) throw new Error('a user is missing');
    const message = [
      'Pay by card',
      '',
      `Co-authored-by: Cora <${cora.id}+${cora.login}@users.noreply.github.com>`,
      `co-authored-by:  Old Timer <${old.login.toUpperCase()}@users.noreply.github.com>`,
      'Co-authored-by: Gone <nobody-has-this-login@users.noreply.github.com>',
      '',
    ].join('\n');
    const branch = 'release/v1.0.0';
    repo.repository.commit({ branch, files: { 'src/a.ts': 'paired' }, message, committer: repo.reviewer });
    const sha = repo.repository.commit({
      branch,
      files: { 'src/b.ts': 'merged' },
      committer: repo.repository.state.webFlow,
    });
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);
    for (const writer of [repo.reviewer, cora, old]) {
      repo.approve('v1.0.0', writer);
      await env.waitUntilIdle();
      const answer = await repo.gate('v1.0.0');
      expect([writer.login, answer.can_deploy, codesOf(answer)]).toEqual([writer.login, false, ['approvals_missing']]);
    }
    repo.approve('v1.0.0', nora);
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('is the merge if no approvals are required', async () => {
    const repo = scenario('merge-approves', reviewedBy('{ min_approvals: 0 }'));
    const sha = await repo.evidencing('v1.0.0');
    expect(codesOf(await repo.gate('v1.0.0'))).toEqual(['evidence_pull_not_merged']);
    const merged = repo.repository.pulls.merge(repo.evidencePull('v1.0.0'), { method: 'squash' });
    await env.waitUntilIdle();
    for (const requestedSha of [sha, merged]) {
      expect(await repo.gate('v1.0.0', { sha: requestedSha })).toMatchObject({
        can_deploy: true,
        evidence_pr_approved: true,
      });
    }
  });

  it('is not required if the policy does not require it', async () => {
    const repo = scenario('unasked', 'version: v1\nstages:\n  deployment: { requires_evidence_approval: false }\n');
    repo.milestone('v1.0.0');
    const sha = repo.commit();
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);
    expect(await repo.gate('v1.0.0')).toMatchObject({
      current_stage: 'DEPLOYMENT',
      evidence_pr_approved: false,
      can_deploy: true,
    });
    expect(repo.repository.pulls.list()).toEqual([]);
  });

  it('does not follow from a merge without approvals: another pull request is opened', async () => {
    const repo = scenario('merged-unapproved');
    await repo.evidencing('v1.0.0');
    const first = repo.evidencePull('v1.0.0');
    repo.repository.pulls.merge(first);
    await env.waitUntilIdle();
    const second = repo.evidencePull('v1.0.0');
    expect(second.number).not.toBe(first.number);
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'EVIDENCING', can_deploy: false });
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('is blocked by a pull request that was closed without a merge', async () => {
    const repo = scenario('closed-unmerged');
    await repo.approved('v1.0.0');
    repo.repository.pulls.close(repo.evidencePull('v1.0.0'));
    await env.waitUntilIdle();
    expect(codesOf(await repo.gate('v1.0.0'))).toEqual(['evidence_pull_closed']);
    repo.repository.pulls.reopen(repo.evidencePull('v1.0.0'));
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('is invalid after another user changed the branch, and valid after the base was merged into it', async () => {
    const repo = scenario('altered');
    const sha = await repo.approved('v1.0.0');
    repo.commit();
    const { git } = repo.repository;
    const branch = 'shipgate/evidence/v1.0.0';
    const merge = git.merge(repo.head(branch), repo.head());
    if (!merge.clean) throw new Error('the base cannot be merged');
    const tree = git.store.putFiles(merge.files);
    const signature = repo.reviewer.signature();
    const parents = [repo.head(branch), repo.head()];
    const into = git.store.putCommit({ tree, parents, message: 'Merge main', author: signature, committer: signature });
    repo.repository.setBranch(branch, into, repo.reviewer);
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0', { sha })).toMatchObject({ can_deploy: true, evidence_pr_approved: true });

    repo.repository.commit({ branch, files: { 'src/backdoor.ts': '1' }, author: repo.reviewer });
    await env.waitUntilIdle();
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    const answer = await repo.gate('v1.0.0');
    expect(answer).toMatchObject({ can_deploy: false, evidence_pr_approved: false });
    expect(codesOf(answer)).toEqual(['evidence_pull_altered']);
  });
});
