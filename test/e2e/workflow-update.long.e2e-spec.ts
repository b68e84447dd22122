import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Repository } from '../github-sim/state/repository.js';
import { signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { textAt } from './scenarios/setup-scenario.js';
import { CI, ENFORCE, OLD_REVISION, UpdateScenario } from './scenarios/update-scenario.js';

describe('the update of workflow files', () => {
  let env: TestEnvironment;
  let scenario: UpdateScenario;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = await UpdateScenario.in(env);
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  const filesOf = (repository: Repository): readonly string[] =>
    scenario
      .openPull(repository)
      .comparison()
      ?.files.map(({ path }) => path) ?? [];

  it('replaces older files with the present ones in one pull request', async () => {
    const repository = await scenario.outdated('payments', { 'sdlc.yaml': 'version: v1\n' });
    const before = {
      targetRevision: scenario.revision,
      installedRevision: OLD_REVISION,
      managedFiles: [CI, ENFORCE],
      prNumber: null,
      prUrl: null,
      branch: null,
    };
    expect(await scenario.status(repository)).toMatchObject({
      status: 200,
      body: { ...before, status: 'UPDATE_AVAILABLE' },
    });
    const created = await scenario.update(repository);
    const pull = scenario.openPull(repository);
    const open = {
      ...before,
      prNumber: pull.issue.number,
      prUrl: expect.stringMatching(/\/pull\/\d+$/),
      branch: scenario.branch,
    };
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual({ ...open, status: 'PR_CREATED' });
    expect(pull.issue.author.login).toBe('shipgate[bot]');
    expect(filesOf(repository)).toEqual([CI, ENFORCE]);
    for (const path of [CI, ENFORCE]) expect(textAt(repository, scenario.branch, path)).toBe(scenario.now[path]);
    expect((await scenario.update(repository)).body).toEqual({ ...open, status: 'PR_OPEN' });
    expect((await scenario.status(repository)).body).toEqual({ ...open, status: 'PR_OPEN' });
    expect(scenario.pulls(repository)).toHaveLength(1);
    expect(await scenario.written(repository)).toEqual({
      revision: OLD_REVISION,
      customCi: false,
      pull: pull.issue.number,
    });

    await env.waitUntilIdle();
    const received = await scenario.received(repository);
    repository.pulls.merge(pull);
    await env.waitUntilIdle();
    expect(await scenario.written(repository)).toEqual({ revision: scenario.revision, customCi: false, pull: null });
    expect(await scenario.received(repository)).toBeGreaterThan(received);
    const after = { ...before, installedRevision: scenario.revision, status: 'UP_TO_DATE' };
    expect((await scenario.status(repository)).body).toEqual(after);
    expect(await scenario.update(repository)).toMatchObject({ status: 200, body: after });
    expect(await scenario.audit(repository)).toEqual(['workflow_update.opened', 'workflow_update.merged']);
    expect(textAt(repository, 'main', 'sdlc.yaml')).toBe('version: v1\n');
  });

  it.each([
    ['of another name', null],
    ['at the same place', 'name: our own\n'],
  ])('does not change a custom CI workflow: %s', async (name, ci) => {
    const repository = await scenario.outdated(`custom-${name.replaceAll(' ', '-')}`, { [CI]: ci });
    expect((await scenario.status(repository)).body).toMatchObject({
      managedFiles: [ENFORCE],
      installedRevision: OLD_REVISION,
    });
    expect(await scenario.update(repository)).toMatchObject({ status: 201, body: { managedFiles: [ENFORCE] } });
    expect(filesOf(repository)).toEqual([ENFORCE]);
    repository.pulls.merge(scenario.openPull(repository));
    await env.waitUntilIdle();
    expect(await scenario.written(repository)).toEqual({ revision: scenario.revision, customCi: true, pull: null });
    expect(textAt(repository, 'main', CI)).toBe(ci);
    expect((await scenario.status(repository)).body).toMatchObject({ status: 'UP_TO_DATE', managedFiles: [ENFORCE] });
  });

  it('restores changed or removed files, and distinguishes a changed CI workflow from one that was never installed', async () => {
    const repository = await scenario.outdated('meddled');
    repository.commit({ files: { [ENFORCE]: null, [CI]: 'name: meddled\n' } });
    expect((await scenario.status(repository)).body).toMatchObject({
      status: 'UPDATE_AVAILABLE',
      installedRevision: null,
    });
    expect((await scenario.update(repository)).status).toBe(201);
    repository.pulls.merge(scenario.openPull(repository));
    await env.waitUntilIdle();
    expect(await scenario.written(repository)).toMatchObject({ revision: scenario.revision, customCi: false });
  });

  it('opens one pull request for many requests at once', async () => {
    const repository = await scenario.outdated('crowd');
    const answers = await Promise.all(Array.from({ length: 8 }, () => scenario.update(repository)));
    const { number } = scenario.openPull(repository).issue;
    expect(new Set(answers.map(({ body }) => body['prNumber']))).toEqual(new Set([number]));
    expect(answers.filter(({ status }) => status === 201)).not.toHaveLength(0);
    expect(answers.every(({ status }) => status === 201 || status === 200)).toBe(true);
    expect(scenario.pulls(repository)).toHaveLength(1);
    expect(await scenario.audit(repository)).toEqual(['workflow_update.opened']);
  });

  it('can be requested again after its pull request is closed', async () => {
    const repository = await scenario.outdated('closed');
    await scenario.update(repository);
    repository.pulls.close(scenario.openPull(repository));
    await env.waitUntilIdle();
    expect(await scenario.written(repository)).toMatchObject({ revision: OLD_REVISION, pull: null });
    expect((await scenario.status(repository)).body).toMatchObject({ status: 'UPDATE_AVAILABLE', prNumber: null });
    expect((await scenario.update(repository)).status).toBe(201);
    expect(scenario.pulls(repository)).toHaveLength(2);
  });

  it('replaces a pull request that proposes another revision', async () => {
    const repository = await scenario.outdated('superseded');
    const branch = 'shipgate-workflow-update-0000000000000002';
    repository.commit({ branch, files: { [ENFORCE]: 'name: the gate in between\n' } });
    const older = repository.pulls.open({ head: branch, title: 'older', author: env.githubApp.bot });
    repository.commit({ branch: 'feature', files: { 'src/b.ts': '1' } });
    const others = repository.pulls.open({ head: 'feature', title: 'ours' });
    expect((await scenario.status(repository)).body).toMatchObject({ status: 'UPDATE_AVAILABLE' });
    expect((await scenario.update(repository)).status).toBe(201);
    expect([older.issue.state, others.issue.state]).toEqual(['closed', 'open']);
  });

  it('rewrites its pull request if it contains files that now belong to the team', async () => {
    const repository = await scenario.outdated('rewritten');
    await scenario.update(repository);
    const { issue } = scenario.openPull(repository);
    repository.commit({ files: { [CI]: 'name: our own by now\n' } });
    await env.waitUntilIdle();
    expect((await scenario.status(repository)).body).toMatchObject({
      status: 'UPDATE_AVAILABLE',
      managedFiles: [ENFORCE],
    });
    expect(await scenario.update(repository)).toMatchObject({
      status: 200,
      body: { status: 'PR_OPEN', prNumber: issue.number },
    });
    expect(filesOf(repository)).toEqual([ENFORCE]);
    expect(issue.body).toContain('the repository uses its own CI');
  });

  describe('changes of others on its branch', () => {
    const author = () => env.github.createUser({ login: `mallory-${randomUUID().slice(0, 8)}` });

    it('are not merged under its name: a pull request of another user with the same files', async () => {
      const repository = await scenario.outdated('forged');
      repository.commit({ branch: scenario.branch, files: scenario.now });
      repository.pulls.open({ head: scenario.branch, title: 'Update the workflows of Shipgate', author: author() });
      expect((await scenario.status(repository)).body).toMatchObject({
        status: 'CONFLICT',
        prNumber: null,
        branch: scenario.branch,
      });
      const { status, body } = await scenario.update(repository);
      expect([status, body['error']]).toEqual([409, expect.stringContaining(scenario.branch)]);
      expect(scenario.pulls(repository)).toHaveLength(1);
      expect(await scenario.written(repository)).toMatchObject({ pull: null });
    });

    it('are not overwritten: a commit of another user', async () => {
      const repository = await scenario.outdated('taken');
      const theirs = repository.commit({ branch: scenario.branch, files: { 'src/theirs.ts': '1' }, author: author() });
      expect((await scenario.update(repository)).status).toBe(409);
      expect(repository.git.branchHead(scenario.branch)).toBe(theirs);
      repository.deleteBranch(scenario.branch);
      expect((await scenario.update(repository)).status).toBe(201);
    });

    it('are not adopted: a change on top of its open pull request', async () => {
      const repository = await scenario.outdated('on-top');
      await scenario.update(repository);
      repository.commit({ branch: scenario.branch, files: { [ENFORCE]: 'name: weaker\n' }, author: author() });
      expect((await scenario.status(repository)).body).toMatchObject({ status: 'CONFLICT' });
      expect((await scenario.update(repository)).status).toBe(409);
    });
  });

  describe('after a failure at any step', () => {
    const [BLOBS, COMMITS, REFS, PULLS] = ['/git/blobs', '/git/commits', '/git/refs', '/pulls'];
    it.each<[string, boolean]>([
      [BLOBS, false],
      [COMMITS, true],
      [REFS, false],
      [REFS, true],
      [PULLS, false],
      [PULLS, true],
    ])('continues at the same step, at %s (carried out: %s)', async (step, afterWork) => {
      const repository = await scenario.outdated(`step${step.replaceAll('/', '-')}-${afterWork ? 'after' : 'before'}`);
      env.github.faults.next({
        kind: 'drop',
        match: ({ method, url }) => method === 'POST' && url.endsWith(step),
        afterWork,
        times: 4,
      });
      const first = await scenario.update(repository);
      expect([201, 503]).toContain(first.status);
      env.github.faults.clear();
      // Enough time for the circuit breaker to close after so many failures.
      env.clock.advance(120_000);
      const second = await scenario.update(repository);
      expect([second.status, second.body['status']]).toEqual(
        first.status === 201 || (step === PULLS && afterWork) ? [200, 'PR_OPEN'] : [201, 'PR_CREATED'],
      );
      expect(filesOf(repository)).toEqual([CI, ENFORCE]);
      expect(await scenario.written(repository)).toMatchObject({ pull: scenario.openPull(repository).issue.number });
    });

    it('is completed also if its pull request was not saved', async () => {
      const repository = await scenario.outdated('unwritten');
      await scenario.update(repository);
      await env.waitUntilIdle();
      await env.asSuperuser(`delete from workflow_update where repository_id = '${await scenario.idOf(repository)}'`);
      repository.pulls.merge(scenario.openPull(repository));
      await env.waitUntilIdle();
      expect(await scenario.written(repository)).toMatchObject({ revision: scenario.revision, pull: null });
    });
  });

  it('is completed by the next sync if no delivery reported the merge', async () => {
    const repository = await scenario.outdated('unheard');
    await scenario.update(repository);
    await env.waitUntilIdle();
    const { webhookUrl } = env.githubApp;
    env.githubApp.webhookUrl = null;
    repository.pulls.merge(scenario.openPull(repository));
    await env.waitUntilIdle();
    env.githubApp.webhookUrl = webhookUrl;
    expect(await scenario.written(repository)).toMatchObject({ revision: OLD_REVISION });
    await env.resync();
    expect(await scenario.written(repository)).toMatchObject({ revision: scenario.revision, pull: null });
  });

  it('is rejected, and reported as unavailable, if it is not possible', async () => {
    const bare = env.github.createRepository(scenario.organization, {
      name: 'bare',
      files: { a: '1' },
      private: false,
    });
    await env.waitUntilIdle();
    expect((await scenario.status(bare)).status).toBe(409);
    expect((await scenario.update(bare)).status).toBe(409);
    for (const id of [randomUUID(), 'no-uuid']) {
      expect((await scenario.admin.get(`/api/repos/${id}/workflow-update-status`)).status).toBe(404);
      expect((await scenario.admin.send('POST', `/api/repos/${id}/workflow-update-pr`)).status).toBe(404);
    }
    const repository = await scenario.outdated('refused');
    const member = await signIn(env, env.github.createUser({ login: 'mia' }));
    expect((await scenario.status(repository, member)).status).toBe(200);
    expect((await scenario.update(repository, {}, member)).status).toBe(403);
    for (const pat of ['', 'a b', 7, 'x'.repeat(256)]) {
      expect((await scenario.update(repository, { pat })).status).toBe(400);
    }
    expect((await scenario.update(repository, { pat: null })).status).toBe(201);
  });

  it('waits while GitHub is unavailable', async () => {
    const repository = await scenario.outdated('away');
    env.github.faults.next({ kind: '5xx', match: /\/away\//, times: 50 });
    const { status, headers } = await scenario.status(repository);
    expect([status, headers.get('retry-after')]).toEqual([503, '10']);
  });
});
