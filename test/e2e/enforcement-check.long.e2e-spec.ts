import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkflowTemplatesService } from '../../src/features/repositories/workflow-files/workflow-templates.service.js';
import type { Sha } from '../github-sim/git/git-object.js';
import type { Pull } from '../github-sim/state/pull.js';
import { TestEnvironment } from '../support/test-environment.js';
import { CI, ENFORCE } from './scenarios/installed-scenario.js';
import { ProposalScenario } from './scenarios/proposal-scenario.js';
import { PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

describe('the merge check on pull requests', () => {
  let env: TestEnvironment;
  let published: Readonly<Record<string, string>>;
  const scenario = (name: string, sdlc: string | null = PLAIN_POLICY): ProposalScenario =>
    new ProposalScenario(env, { name, sdlc });

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    const files = env.app.get(WorkflowTemplatesService).files();
    published = Object.fromEntries(files.map(({ path, content }) => [path, content]));
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  it('succeeds and names the releases to which a change belongs', async () => {
    const repo = scenario('scoped');
    const milestone = repo.milestone('v1.0.0');
    const issue = repo.repository.issues.create({ title: 'Pay twice', milestone });
    await env.waitUntilIdle();
    const linked = await repo.propose({
      branch: 'fix',
      files: { 'src/b.ts': '1' },
      title: `Pay once, fixes #${issue.number}`,
    });
    expect(repo.checkAt(linked.headSha)).toMatchObject({
      conclusion: 'success',
      title: 'Part of v1.0.0',
      summary: expect.stringContaining(`by #${issue.number}.`),
    });
    const other = await repo.propose({ branch: 'other', files: { 'src/c.ts': '1' } });
    expect(repo.checkAt(other.headSha)).toMatchObject({ conclusion: 'success', title: 'Part of no release' });
  });

  it('fails if a managed file is changed, added, moved or removed, and succeeds after a revert', async () => {
    const repo = scenario('meddled');
    repo.repository.commit({ files: published });
    await env.waitUntilIdle();
    const changed = await repo.propose({ branch: 'weaken', files: { [ENFORCE]: 'name: nothing\n' } });
    expect(repo.checkAt(changed.headSha)).toMatchObject({
      conclusion: 'failure',
      title: 'A managed workflow file is changed',
      summary: expect.stringContaining(`\`${ENFORCE}\` is managed by Shipgate`),
    });
    const removed = await repo.propose({ branch: 'remove', files: { [CI]: null } });
    expect(repo.checkAt(removed.headSha)).toMatchObject({ conclusion: 'failure' });
    const moved = await repo.propose({ branch: 'move', files: { [CI]: null, 'old-ci.yml': published[CI] ?? '' } });
    expect(repo.checkAt(moved.headSha)).toMatchObject({ conclusion: 'failure' });

    repo.repository.commit({ branch: 'weaken', files: { [ENFORCE]: published[ENFORCE] ?? '', 'src/b.ts': '2' } });
    await env.waitUntilIdle();
    expect(repo.checkAt(repo.head('weaken'))).toMatchObject({ conclusion: 'success' });
  });

  it('finds a managed file among more files than GitHub lists', async () => {
    const repo = scenario('crowded');
    await env.waitUntilIdle();
    // GitHub lists files in the order of their paths, and these come first.
    const crowd = Object.fromEntries(Array.from({ length: 320 }, (_, index) => [`.a/${index}`, `${index}`]));
    const hidden = await repo.propose({ branch: 'hidden', files: { ...crowd, [ENFORCE]: 'name: x\n' } });
    expect(repo.checkAt(hidden.headSha)).toMatchObject({ conclusion: 'failure' });
    const harmless = await repo.propose({ branch: 'harmless', files: crowd });
    expect(repo.checkAt(harmless.headSha)).toMatchObject({ conclusion: 'success' });
  });

  it('lets any user install what Shipgate published, and nothing else, whatever the branch and its name', async () => {
    const repo = scenario('installed');
    await env.waitUntilIdle();
    const { bot } = env.githubApp;
    const stranger = repo.createCollaborator('sam');
    // As if the app may not write workflows, so the token of an admin commits them.
    const own = await repo.propose({ branch: 'shipgate/bootstrap', files: published, author: stranger });
    expect(repo.checkAt(own.headSha)).toMatchObject({
      conclusion: 'success',
      summary: expect.stringContaining(`\`${ENFORCE}\` is changed to a version that Shipgate published`),
    });
    repo.repository.commit({ branch: 'shipgate/bootstrap', files: { 'src/b.ts': '1' }, author: stranger });
    await env.waitUntilIdle();
    expect(repo.checkAt(repo.head('shipgate/bootstrap'))).toMatchObject({ conclusion: 'success' });
    repo.repository.commit({ branch: 'shipgate/bootstrap', files: { [ENFORCE]: 'name: x\n' }, author: stranger });
    await env.waitUntilIdle();
    expect(repo.checkAt(repo.head('shipgate/bootstrap'))).toMatchObject({ conclusion: 'failure' });

    // A commit can name any author, also the app itself.
    const forged = await repo.propose({
      branch: 'shipgate-workflow-update-1',
      files: { [ENFORCE]: 'name: mine\n' },
      author: bot,
    });
    expect(repo.checkAt(forged.headSha)).toMatchObject({ conclusion: 'failure' });
  });

  it('ignores a workflow of the team with the name of a managed file', async () => {
    const repo = scenario('custom');
    repo.repository.commit({ files: { [CI]: 'name: ours\n', [ENFORCE]: published[ENFORCE] ?? '' } });
    await env.waitUntilIdle();
    const changed = await repo.propose({ branch: 'ours', files: { [CI]: 'name: ours, faster\n' } });
    expect(repo.checkAt(changed.headSha)).toMatchObject({ conclusion: 'success' });
    const weakened = await repo.propose({ branch: 'both', files: { [CI]: 'name: x\n', [ENFORCE]: 'name: x\n' } });
    const { conclusion, summary } = repo.checkAt(weakened.headSha);
    expect([conclusion, summary.includes(CI)]).toEqual(['failure', false]);
  });

  it('checks pull requests from forks', async () => {
    const repo = scenario('forked');
    repo.repository.commit({ files: published });
    await env.waitUntilIdle();
    const fork = fromFork(repo, { [ENFORCE]: 'name: nothing\n' }, 'weaken');
    const harmless = fromFork(repo, { 'src/f.ts': '1' }, 'help');
    await env.waitUntilIdle();
    expect(repo.checkAt(fork.headSha)).toMatchObject({ conclusion: 'failure' });
    expect(repo.checkAt(harmless.headSha)).toMatchObject({ conclusion: 'success' });
  });

  it('fails if the proposed policy is invalid, and names line and key', async () => {
    const repo = scenario('ruled');
    await env.waitUntilIdle();
    const wrong = await repo.propose({
      branch: 'rules',
      files: { 'sdlc.yaml': 'version: v1\nstages:\n  deployment:\n    taget: "@all <img src=x> ://"\n' },
    });
    const check = repo.checkAt(wrong.headSha);
    expect(check).toMatchObject({ conclusion: 'failure', title: 'sdlc.yaml is not valid as proposed' });
    expect(check.summary).toMatch(/line 4, stages\.deployment\.taget: /);
    expect(check.summary).not.toMatch(/@all|<img/);
    const gone = await repo.propose({ branch: 'no-rules', files: { 'sdlc.yaml': null } });
    expect(repo.checkAt(gone.headSha)).toMatchObject({ conclusion: 'failure' });
  });

  it('names the active releases that the proposed policy would block, without failing', async () => {
    const repo = scenario('previewed');
    await repo.approved('v1.0.0');
    repo.milestone('v2.0.0');
    await env.waitUntilIdle();
    const stricter = `${PLAIN_POLICY}  testing: { required_checks: [e2e] }\n`;
    const pull = await repo.propose({ branch: 'stricter', files: { 'sdlc.yaml': stricter } });
    const { conclusion, summary } = repo.checkAt(pull.headSha);
    expect(conclusion).toBe('success');
    expect(summary).toContain('**`v1.0.0`** would go from `DEPLOYMENT` to `TESTING`, and its gate would close.');
    expect(summary).toMatch(/It would lack: .*e2e/);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true, current_stage: 'DEPLOYMENT' });

    const same = await repo.propose({ branch: 'same', files: { 'sdlc.yaml': `# The same.\n${PLAIN_POLICY}` } });
    expect(repo.checkAt(same.headSha).summary).toContain('changes the verdict of no active release');
    repo.repository.commit({ branch: 'develop', files: { 'src/d.ts': '1' } });
    const aside = await repo.propose({ branch: 'aside', files: { 'sdlc.yaml': stricter }, base: 'develop' });
    expect(repo.checkAt(aside.headSha).summary).toContain('Only the version on `main` applies.');
  });

  it('checks a commit for every pull request with this head', async () => {
    const repo = scenario('twice');
    await env.waitUntilIdle();
    const toMain = await repo.propose({ branch: 'weaken', files: { [ENFORCE]: 'name: nothing\n' } });
    repo.repository.commit({ branch: 'lenient', files: { [ENFORCE]: 'name: nothing\n', 'src/e.ts': '1' } });
    repo.repository.pulls.open({ head: 'weaken', base: 'lenient', title: 'Vouch for it' });
    await env.waitUntilIdle();
    const { conclusion, summary } = repo.checkAt(toMain.headSha);
    expect(conclusion).toBe('failure');
    expect(summary.match(/^### Pull request #\d+$/gm)).toHaveLength(2);
  });

  it('reports a result once, also after a lost delivery, and reports a changed result', async () => {
    const repo = scenario('repeated', null);
    await env.waitUntilIdle();
    const pull = await repo.propose({ branch: 'early', files: { 'src/b.ts': '1' } });
    // The repository has no policy yet.
    expect(repo.checksAt(pull.headSha).map(({ name }) => name)).toEqual([]);
    repo.repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await env.waitUntilIdle();
    await env.resync();
    expect(repo.checkAt(pull.headSha)).toMatchObject({ conclusion: 'success', title: 'Part of no release' });
    const before = writes();
    await env.resync();
    expect(writes()).toBe(before);
    const milestone = repo.milestone('v1.0.0');
    repo.repository.issues.setMilestone(pull.issue, milestone);
    await env.waitUntilIdle();
    await env.resync();
    expect(repo.checkAt(pull.headSha)).toMatchObject({ conclusion: 'success', title: 'Part of v1.0.0' });
  });

  it('creates no second check run when the response to the first was lost', async () => {
    const repo = scenario('unheard');
    await env.waitUntilIdle();
    env.github.faults.next({ kind: 'drop', afterWork: true, match: /^POST .*\/check-runs$/ });
    const pull = await repo.propose({ branch: 'lost', files: { 'src/b.ts': '1' } });
    expect(repo.checksAt(pull.headSha).map(({ conclusion }) => conclusion)).toEqual(['success']);
  });

  it.each<[string, string, Readonly<Record<string, string>>, string]>([
    ['changes a managed file', 'main', { [ENFORCE]: 'name: nothing\n' }, 'failure'],
    ['changes nothing that matters', 'main', { 'src/q.ts': '1' }, 'success'],
    ['goes to a release branch', 'release/v1', { [CI]: 'name: nothing\n' }, 'failure'],
  ])('checks a merge group for the changes that it adds: one that %s', async (what, base, files, conclusion) => {
    const repo = scenario(`queued-${what.replaceAll(' ', '-')}`);
    repo.repository.commit({ files: published });
    if (base !== 'main') repo.commit({ branch: base });
    await env.waitUntilIdle();
    const pull = await repo.propose({ branch: 'feature', files: { 'src/r.ts': '1' }, base });
    const baseSha = repo.head(base);
    const branch = `gh-readonly-queue/${base}/pr-${pull.number}-${baseSha}`;
    repo.repository.createBranch(branch, baseSha);
    const headSha = repo.repository.commit({ branch, files });
    enqueue(repo, { branch, headSha, baseSha });
    await env.waitUntilIdle();
    expect(repo.checkAt(headSha)).toMatchObject({ conclusion });
    // The changes by the queue are not part of the pull request's own head.
    expect(repo.checkAt(pull.headSha)).toMatchObject({ conclusion: 'success' });
  });

  it('ignores a merge group that the queue has dropped', async () => {
    const repo = scenario('given-up');
    await env.waitUntilIdle();
    const pull = await repo.propose({ branch: 'feature', files: { 'src/r.ts': '1' } });
    const baseSha = repo.head();
    const branch = `gh-readonly-queue/main/pr-${pull.number}-${baseSha}`;
    const headSha = repo.repository.commit({ branch, files: { 'src/q.ts': '1' } });
    repo.repository.deleteBranch(branch);
    enqueue(repo, { branch, headSha, baseSha });
    await env.waitUntilIdle();
    expect(repo.checksAt(headSha)).toHaveLength(0);
  });

  it('logs once that it cannot publish checks, and fails nothing else', async () => {
    const organization = env.github.createOrganization({ login: 'globex' });
    const permissions = { ...env.githubApp.permissions, checks: 'read' as const };
    env.github.installApp(env.githubApp, organization, { repositories: 'all', permissions });
    const repo = new ProposalScenario(env, { name: 'forbidden', organization });
    await env.waitUntilIdle();
    for (const branch of ['one', 'two']) {
      const pull = await repo.propose({ branch, files: { 'src/b.ts': branch } });
      expect(repo.checksAt(pull.headSha).map(({ name }) => name)).toEqual([]);
    }
    expect(env.lines.filter((line) => line.includes('checks: write'))).toHaveLength(1);
    expect(await env.asSuperuser("select 1 from webhook_delivery where status = 'dead'")).toEqual([]);
  });

  /** A user outside the organization proposes a commit on the default branch of a fork. */
  const fromFork = (
    { repository }: RepositoryScenario,
    files: Readonly<Record<string, string>>,
    login: string,
  ): Pull => {
    const outside = env.github.createOrganization({ login });
    const fork = env.github.createRepository(outside, { name: repository.name });
    fork.git.store.takeAll(repository.git.store);
    fork.setBranch('main', repository.git.branchHead('main') ?? '');
    fork.commit({ branch: 'main', files });
    return repository.pulls.open({ head: 'main', fork, title: `From ${login}`, author: outside.founder });
  };

  /** The number of checks that the service published. */
  const writes = (): number =>
    env.exchanges.filter(({ method, path }) => method !== 'GET' && path.includes('/check-runs')).length;

  const enqueue = (
    { repository }: RepositoryScenario,
    { branch, headSha, baseSha }: { readonly branch: string; readonly headSha: Sha; readonly baseSha: Sha },
  ): void => {
    const author = { name: 'GitHub', email: 'noreply@github.com' };
    const commit = { id: headSha, tree_id: headSha, message: 'Merge', timestamp: '2026-01-01T00:00:00Z', author };
    repository.emit(
      'merge_group',
      {
        action: 'checks_requested',
        merge_group: {
          head_sha: headSha,
          head_ref: `refs/heads/${branch}`,
          base_sha: baseSha,
          base_ref: 'refs/heads/main',
          head_commit: { ...commit, committer: author },
        },
      },
      repository.owner.founder,
    );
  };
});
