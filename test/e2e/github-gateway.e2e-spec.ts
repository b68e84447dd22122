import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitHubGateway } from '../../src/github/github-gateway.js';
import { gfm } from '../../src/github/markdown.js';
import type { RepositoryRef } from '../../src/github/transport/token-scope.js';
import type { Exchange } from '../github-sim/exchange-observer.js';
import { GitHubSim } from '../github-sim/github-sim.js';
import type { App } from '../github-sim/state/app.js';
import type { Installation } from '../github-sim/state/installation.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { Repository } from '../github-sim/state/repository.js';
import type { User } from '../github-sim/state/user.js';
import { GITHUB_API } from '../support/github-contract.js';
import { FixedClock } from '../support/fixed-clock.js';

describe('GitHubGateway with the simulated GitHub', () => {
  let clock: FixedClock;
  let exchanges: Exchange[];
  let sim: GitHubSim;
  let ada: User;
  let acme: Organization;
  let app: App;
  let installation: Installation;
  let repo: Repository;
  let ref: RepositoryRef;
  let github: GitHubGateway;

  beforeEach(async () => {
    clock = new FixedClock();
    exchanges = [];
    sim = await GitHubSim.start({ clock, onExchange: (exchange) => exchanges.push(exchange) });
    ada = sim.createUser({ login: 'ada' });
    acme = sim.createOrganization({ login: 'acme' });
    acme.addMember(ada);
    app = sim.registerApp({ name: 'Shipgate', owner: acme });
    installation = sim.installApp(app, acme);
    repo = sim.createRepository(acme, {
      name: 'app',
      files: { 'sdlc.yaml': 'version: v1\n', 'src/app.ts': 'run();\n' },
    });
    ref = { installationId: installation.id, id: repo.id, owner: 'acme', name: 'app' };
    const host = { webUrl: sim.url, apiUrl: sim.apiUrl, retryDelayMs: 1 };
    github = new GitHubGateway({ ...host, appId: String(app.id), privateKey: app.privateKey }, clock);
  });
  afterEach(async () => {
    await sim.stop();
    expect(exchanges.flatMap((exchange) => GITHUB_API.check(exchange))).toEqual([]);
  });

  const head = (branch = 'main'): string => repo.git.branchHead(branch)!;

  it('reads the app, its installations and their repositories', async () => {
    await expect(github.installations.app()).resolves.toMatchObject({ value: { id: app.id, slug: app.slug } });
    const expected = { id: installation.id, accountId: acme.id, accountLogin: 'acme', accountType: 'Organization' };
    await expect(github.installations.list()).resolves.toMatchObject({ value: [expected] });
    await expect(github.installations.find(installation.id)).resolves.toMatchObject({ value: expected });
    await expect(github.installations.find(installation.id + 999)).resolves.toMatchObject({ value: null });
    const reached = await github.installations.repositories(installation.id);
    expect(reached.value).toMatchObject([{ id: repo.id, owner: 'acme', ownerId: acme.id, name: 'app', private: true }]);
  });

  it('reads a repository, a file and the permission of a user', async () => {
    await expect(github.repositories.find(ref)).resolves.toMatchObject({
      value: { id: repo.id, defaultBranch: 'main', archived: false, url: `${sim.url}/acme/app` },
      observedAt: clock.now(),
    });
    await expect(github.repositories.file(ref, 'src/app.ts', 'main')).resolves.toMatchObject({
      value: { text: 'run();\n' },
    });
    await expect(github.repositories.file(ref, 'src/none.ts', 'main')).resolves.toMatchObject({ value: null });
    await expect(github.repositories.file(ref, 'src', 'main')).resolves.toMatchObject({ value: null });
    repo.setCollaborator(ada, 'maintain');
    await expect(github.repositories.permission(ref, 'ada')).resolves.toMatchObject({
      value: { userId: ada.id, level: 'maintain' },
    });
    await expect(github.repositories.permission(ref, 'nobody')).resolves.toMatchObject({
      value: { userId: null, level: 'none' },
    });
  });

  it('reads all milestones across pages, and distinguishes a deleted one from a hidden one', async () => {
    for (let minor = 0; minor < 205; minor += 1) repo.milestones.create({ title: `v1.${minor}.0` });
    const { value: milestones } = await github.milestones.list(ref);
    expect(new Set(milestones.map(({ title }) => title)).size).toBe(205);
    const first = repo.milestones.findByTitle('v1.0.0')!;
    await expect(github.milestones.find(ref, first.number)).resolves.toMatchObject({
      value: { githubId: first.id, number: first.number, title: 'v1.0.0', state: 'open' },
    });
    repo.milestones.delete(first);
    await expect(github.milestones.find(ref, first.number)).resolves.toMatchObject({ value: null });
    repo.delete();
    await expect(github.milestones.find(ref, first.number)).rejects.toMatchObject({ name: 'GitHubError' });
  });

  it('reads the issues of a milestone with their assignees, without its pull requests', async () => {
    const milestone = repo.milestones.create({ title: 'v1.0.0' });
    const issue = repo.issues.create({ title: 'Rounding', milestone, assignees: [ada], labels: ['bug'] });
    const lonely = repo.issues.create({ title: 'Nobody began', milestone });
    repo.commit({ branch: 'fix', files: { 'src/app.ts': 'run(1);\n' }, author: ada });
    const pull = repo.pulls.open({ head: 'fix', title: 'Fix rounding', body: `Closes #${issue.number}` });
    repo.issues.setMilestone(pull.issue, milestone);
    const { value: issues } = await github.issues.listByMilestone(ref, milestone.number);
    expect(issues).toMatchObject([
      { number: issue.number, title: 'Rounding', state: 'open', assignees: ['ada'], labels: ['bug'] },
      { number: lonely.number, assignees: [], labels: [] },
    ]);
    await expect(github.issues.linkedPulls(ref, issue.number)).resolves.toMatchObject({ value: { linked: true } });
    await expect(github.issues.linkedPulls(ref, lonely.number)).resolves.toMatchObject({ value: { linked: false } });
  });

  it('reads branches, history and comparisons of commits', async () => {
    const base = head();
    repo.createBranch('release/1.0', base);
    repo.createBranch('releases', base);
    const next = repo.commit({ files: { 'src/app.ts': null, '.releases/app.ts': 'run();\n' }, author: ada });
    await expect(github.branches.listByPrefix(ref, 'release/')).resolves.toMatchObject({
      value: [{ branch: 'release/1.0', sha: base }],
    });
    await expect(github.commits.history(ref, next)).resolves.toMatchObject({
      value: [{ sha: next, parents: [base], authorId: ada.id }, { sha: base }],
    });
    const { value } = await github.commits.compare(ref, base, next);
    expect(value).toMatchObject({ status: 'ahead', mergeBaseSha: base, filesComplete: true, commitsComplete: true });
    expect(value.files.map(({ path }) => path).toSorted()).toEqual(['.releases/app.ts', 'src/app.ts']);
    await expect(github.commits.compare(ref, next, next)).resolves.toMatchObject({
      value: { status: 'identical', files: [] },
    });
  });

  it('reads check runs and commit statuses', async () => {
    repo.checkRuns.create({ sha: head(), name: 'build', app, conclusion: 'success' });
    repo.checkRuns.create({ sha: head(), name: 'e2e', app, status: 'in_progress' });
    repo.statuses.set({ sha: head(), context: 'ci/lint', state: 'failure', by: ada });
    const { value } = await github.checks.listByCommit(ref, head());
    expect(value.toSorted((a, b) => a.name.localeCompare(b.name))).toMatchObject([
      { name: 'build', app: app.slug, state: 'success' },
      { name: 'ci/lint', app: null, state: 'failure' },
      { name: 'e2e', app: app.slug, state: 'pending' },
    ]);
  });

  it('takes an evidence pull request from its commit to its merge', async () => {
    const branch = 'shipgate/evidence/v1.0.0';
    const files = [{ path: '.releases/v1.0.0/EVIDENCE.md', content: '# Évidence\n' }];
    const commit = await github.commits.create(ref, { baseSha: head(), files, message: 'docs: evidence of v1.0.0' });
    await github.branches.create(ref, branch, commit.sha);
    await expect(github.branches.create(ref, branch, commit.sha)).rejects.toMatchObject({ kind: 'conflict' });
    await expect(github.repositories.file(ref, files[0]!.path, branch)).resolves.toMatchObject({
      value: { text: '# Évidence\n', blobSha: commit.files[0]!.blobSha },
    });
    await expect(github.repositories.file(ref, 'src/app.ts', branch)).resolves.toMatchObject({
      value: { text: 'run();\n' },
    });

    const opened = await github.pulls.open(ref, {
      title: 'Evidence',
      head: branch,
      base: 'main',
      body: gfm`All of it.`,
    });
    expect(opened).toMatchObject({ state: 'open', headRef: branch, headSha: commit.sha, baseRef: 'main' });
    const team = acme.createTeam('release-managers', [ada]);
    team.grant(repo, 'write');
    await github.pulls.requestTeamReviews(ref, opened.number, [team.slug]);
    const pull = repo.pulls.find(opened.number)!;
    expect(pull.requestedTeams).toEqual([team]);
    await expect(github.teams.members(installation.id, 'acme', team.slug)).resolves.toMatchObject({
      value: { exists: true, userIds: [ada.id] },
    });
    await expect(github.teams.members(installation.id, 'acme', 'nobody')).resolves.toMatchObject({
      value: { exists: false },
    });

    repo.pulls.reviews.submit(pull, { by: ada, state: 'APPROVED' });
    await expect(github.pulls.reviews(ref, pull.number)).resolves.toMatchObject({
      value: [{ userId: ada.id, login: 'ada', state: 'approved', commitSha: commit.sha }],
    });
    const second = await github.commits.create(ref, { baseSha: commit.sha, files, message: 'docs: again' });
    await github.branches.forceUpdate(ref, branch, second.sha);
    await expect(github.pulls.find(ref, pull.number)).resolves.toMatchObject({ value: { headSha: second.sha } });
    await github.pulls.update(ref, pull.number, { title: 'Evidence, again' });
    repo.pulls.merge(pull, { by: ada });
    await expect(github.pulls.listByHead(ref, branch)).resolves.toMatchObject({
      value: [{ number: pull.number, state: 'merged', mergeCommitSha: head() }],
    });
  });

  it('reads deployments with their states, and dispatches workflows', async () => {
    const deployment = repo.deployments.create({ ref: 'main', environment: 'production', creator: ada });
    repo.deployments.setStatus(deployment, 'in_progress');
    await expect(github.deployments.find(ref, deployment.id)).resolves.toMatchObject({
      value: { githubId: deployment.id, sha: head(), environment: 'production', creator: 'ada', state: 'pending' },
    });
    repo.deployments.setStatus(deployment, 'success');
    const { value: recent } = await github.deployments.listRecent(ref, 'production');
    expect(recent).toMatchObject([{ githubId: deployment.id, state: 'success' }]);
    expect(recent[0]?.succeededAt).not.toBeNull();
    await expect(github.deployments.listRecent(ref, 'staging')).resolves.toMatchObject({ value: [] });
    await github.deployments.dispatch(ref, 'shipgate-deploy', { version: 'v1.0.0', sha: head() });
  });

  it('follows a renamed repository, and never reads one that was recreated under its name', async () => {
    repo.milestones.create({ title: 'v1.0.0' });
    repo.rename('application');
    await expect(github.milestones.list(ref)).resolves.toMatchObject({ value: [{ title: 'v1.0.0' }] });
    const impostor = sim.createRepository(acme, { name: 'app', private: false });
    impostor.milestones.create({ title: 'v6.6.6' });
    clock.advance(60_000);
    await expect(github.milestones.list(ref)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(github.repositories.find(ref)).resolves.toMatchObject({ value: null });
  });

  it('renews an unchanged fact with a 304, and notices a changed one', async () => {
    const milestone = repo.milestones.create({ title: 'v1.0.0' });
    const first = await github.milestones.find(ref, milestone.number);
    clock.advance(10_000);
    const second = await github.milestones.find(ref, milestone.number);
    expect(second).toEqual({ value: first.value, observedAt: clock.now() });
    expect(exchanges.at(-1)?.status).toBe(304);
    repo.milestones.close(milestone);
    await expect(github.milestones.find(ref, milestone.number)).resolves.toMatchObject({ value: { state: 'closed' } });
  });

  it('retries after failures of GitHub where that is safe, and respects its limits', async () => {
    sim.faults.next({ match: /GET .*\/milestones/, kind: '5xx', times: 2 });
    await expect(github.milestones.list(ref)).resolves.toMatchObject({ value: [] });
    sim.faults.next({ match: /GET .*\/milestones/, kind: 'truncate' });
    await expect(github.milestones.list(ref)).resolves.toMatchObject({ value: [] });
    sim.faults.next({ match: /POST .*\/dispatches/, kind: '5xx' });
    await expect(github.deployments.dispatch(ref, 'shipgate-deploy', {})).rejects.toMatchObject({
      kind: 'unavailable',
    });
    sim.faults.next({ match: /GET .*\/milestones/, kind: 'secondary-limit', retryAfterS: 90 });
    const retryAt = new Date(clock.now().getTime() + 90_000);
    await expect(github.milestones.list(ref)).rejects.toMatchObject({ kind: 'rate_limited', retryAt });
    await expect(github.issues.listByMilestone(ref, 1)).rejects.toMatchObject({ kind: 'rate_limited', retryAt });
    clock.advance(90_000);
    await expect(github.milestones.list(ref)).resolves.toMatchObject({ value: [] });
  });

  it('loses access to an uninstalled app at once, with or without a cached token', async () => {
    await github.milestones.list(ref);
    installation.delete();
    await expect(github.milestones.list(ref)).rejects.toMatchObject({ kind: 'unauthorized' });
  });
});
