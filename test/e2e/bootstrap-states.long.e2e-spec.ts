import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { PLAIN_POLICY } from './scenarios/repository-scenario.js';
import { bootstrapPulls, SetupScenario, textAt } from './scenarios/setup-scenario.js';

const ENFORCE = '.github/workflows/shipgate-enforce.yml';

describe('a bootstrap', () => {
  let env: TestEnvironment;
  let scenario: SetupScenario;
  beforeAll(async () => {
    env = await TestEnvironment.start();
    await env.install();
    scenario = await SetupScenario.in(env);
    await env.asSuperuser(`update organization set plan = 'pro'`);
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  const opened = async (name: string, files?: Readonly<Record<string, string>>) => {
    const repository = scenario.repository(name, files);
    await env.waitUntilIdle();
    expect((await scenario.bootstrap(repository)).status).toBe(201);
    await env.waitUntilIdle();
    return { repository, pull: scenario.openPull(repository) };
  };
  /** Does the work without deliveries from GitHub. */
  const unheard = async (work: () => void): Promise<void> => {
    const { webhookUrl } = env.githubApp;
    env.githubApp.webhookUrl = null;
    work();
    await env.waitUntilIdle();
    env.githubApp.webhookUrl = webhookUrl;
  };

  it('releases its place in the quota when it is closed, and another can start', async () => {
    const { repository, pull } = await opened('closed-pull');
    repository.pulls.close(pull);
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'closed', managed: false, tokens: 0 });
    expect(await scenario.audit(repository)).toEqual(['bootstrap.begun', 'bootstrap.closed']);
    const { status, body } = await scenario.bootstrap(repository);
    expect([status, body['prNumber']]).toEqual([201, pull.number + 1]);
    await env.waitUntilIdle();
    expect(bootstrapPulls(repository)).toHaveLength(2);
  });

  it('leaves a repository with its own rules managed when it is closed', async () => {
    const { repository, pull } = await opened('closed-legacy', { 'sdlc.yaml': PLAIN_POLICY });
    repository.pulls.close(pull);
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'closed', managed: true });
  });

  it('does not count again when it is closed and reopened by hand', async () => {
    const { repository, pull } = await opened('reopened');
    repository.pulls.close(pull);
    await env.waitUntilIdle();
    repository.pulls.reopen(pull);
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'closed', managed: false });
    expect((await scenario.bootstrap(repository)).body).toMatchObject({ status: 'PR_OPEN', prNumber: pull.number });
    repository.pulls.merge(pull);
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'complete' });
  });

  it('is completed by the next sync when no delivery reported its merge', async () => {
    const { repository, pull } = await opened('unheard-merge');
    await unheard(() => void repository.pulls.merge(pull));
    expect(await scenario.row(repository)).toMatchObject({ step: 'pr_open' });
    await env.resync();
    expect(await scenario.row(repository)).toMatchObject({ step: 'complete', managed: true });
  });

  it.each(['squash', 'rebase'] as const)('completes when it is merged by %s', async (method) => {
    const { repository, pull } = await opened(`by-${method}`);
    repository.pulls.merge(pull, { method });
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'complete' });
  });

  it('sets up nothing when it is merged into another branch', async () => {
    const { repository, pull } = await opened('misled');
    repository.createBranch('elsewhere', repository.git.branchHead('main') ?? '');
    repository.pulls.changeBase(pull, 'elsewhere', repository.owner.founder);
    repository.pulls.merge(pull);
    await env.waitUntilIdle();
    expect(textAt(repository, 'main', ENFORCE)).toBeNull();
    expect(await scenario.row(repository)).toMatchObject({
      step: 'closed',
      managed: false,
      detail: expect.stringContaining('merged into elsewhere'),
    });
  });

  it('sets up nothing when the enforcement file was removed before the merge', async () => {
    const { repository, pull } = await opened('taken-out');
    repository.commit({ branch: 'shipgate/bootstrap', files: { [ENFORCE]: 'on: never' } });
    repository.pulls.merge(pull);
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'closed', managed: expect.any(Boolean) });
  });

  it('continues when the default branch is renamed', async () => {
    const { repository, pull } = await opened('renamed-default');
    const head = repository.git.branchHead('main') ?? '';
    repository.createBranch('trunk', head);
    repository.pulls.changeBase(pull, 'trunk', repository.owner.founder);
    repository.defaultBranch = 'trunk';
    repository.pulls.merge(pull);
    await env.waitUntilIdle();
    await env.resync();
    expect(await scenario.row(repository)).toMatchObject({ step: 'complete', managed: true });
  });

  it('continues when the repository is removed from the installation and added again', async () => {
    const { repository, pull } = await opened('came-back');
    await env.asSuperuser(
      `update repository set removed_at = now(), managed_at = null where github_id = ${repository.id}`,
    );
    expect((await scenario.admin.send('POST', `/api/repos/${await scenario.idOf(repository)}/bootstrap`)).status).toBe(
      404,
    );
    await env.resync();
    expect(await scenario.row(repository)).toMatchObject({ step: 'pr_open', managed: true });
    repository.pulls.merge(pull);
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'complete', managed: true });
  });

  it('is not considered merged because a delivery says so', async () => {
    const { repository, pull } = await opened('liar');
    const stranger = env.github.createUser({ login: 'hands' });
    const forged = repository.commit({ branch: 'shipgate/bootstrap-not', files: { a: '2' }, author: stranger });
    repository.pulls.merge(repository.pulls.open({ head: 'shipgate/bootstrap-not', title: 'x', author: stranger }));
    expect(forged).not.toBe('');
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'pr_open', pull: pull.number });
  });

  it('appears in the events of the workspace', async () => {
    const { repository } = await opened('eventful');
    const rows = await env.asSuperuser(
      `select e.type from event e join repository r on r.id = e.repository_id
       where r.github_id = ${repository.id} and e.type = 'repo.updated'`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(2);
  });
});
