import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Repository } from '../github-sim/state/repository.js';
import { signIn } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { textAt } from './scene/setup-scene.js';
import { CI, ENFORCE, OLD_REVISION, UpdateScene } from './scene/update-scene.js';

describe('the update of workflow files', () => {
  let world: TestEnvironment;
  let scene: UpdateScene;
  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    await world.install();
    scene = await UpdateScene.in(world);
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.github.faults.clear();
    expect(world.violations).toEqual([]);
  });

  const filesOf = (repository: Repository): readonly string[] =>
    scene
      .openPull(repository)
      .comparison()
      ?.files.map(({ path }) => path) ?? [];

  it('goes from older files by one pull request to those of now', async () => {
    const repository = await scene.outdated('payments', { 'sdlc.yaml': 'version: v1\n' });
    const before = {
      targetRevision: scene.revision,
      installedRevision: OLD_REVISION,
      managedFiles: [CI, ENFORCE],
      prNumber: null,
      prUrl: null,
      branch: null,
    };
    expect(await scene.status(repository)).toMatchObject({
      status: 200,
      body: { ...before, status: 'UPDATE_AVAILABLE' },
    });
    const created = await scene.update(repository);
    const pull = scene.openPull(repository);
    const open = {
      ...before,
      prNumber: pull.issue.number,
      prUrl: expect.stringMatching(/\/pull\/\d+$/),
      branch: scene.branch,
    };
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual({ ...open, status: 'PR_CREATED' });
    expect(pull.issue.author.login).toBe('shipgate[bot]');
    expect(filesOf(repository)).toEqual([CI, ENFORCE]);
    for (const path of [CI, ENFORCE]) expect(textAt(repository, scene.branch, path)).toBe(scene.now[path]);
    expect((await scene.update(repository)).body).toEqual({ ...open, status: 'PR_OPEN' });
    expect((await scene.status(repository)).body).toEqual({ ...open, status: 'PR_OPEN' });
    expect(scene.pulls(repository)).toHaveLength(1);
    expect(await scene.written(repository)).toEqual({
      revision: OLD_REVISION,
      customCi: false,
      pull: pull.issue.number,
    });

    await world.settle();
    const told = await scene.told(repository);
    repository.pulls.merge(pull);
    await world.settle();
    expect(await scene.written(repository)).toEqual({ revision: scene.revision, customCi: false, pull: null });
    expect(await scene.told(repository)).toBeGreaterThan(told);
    const after = { ...before, installedRevision: scene.revision, status: 'UP_TO_DATE' };
    expect((await scene.status(repository)).body).toEqual(after);
    expect(await scene.update(repository)).toMatchObject({ status: 200, body: after });
    expect(await scene.audit(repository)).toEqual(['workflow_update.opened', 'workflow_update.merged']);
    expect(textAt(repository, 'main', 'sdlc.yaml')).toBe('version: v1\n');
  });

  it.each([
    ['of another name', null],
    ['at the same place', 'name: our own\n'],
  ])('leaves a custom CI alone: %s', async (name, ci) => {
    const repository = await scene.outdated(`custom-${name.replaceAll(' ', '-')}`, { [CI]: ci });
    expect((await scene.status(repository)).body).toMatchObject({
      managedFiles: [ENFORCE],
      installedRevision: OLD_REVISION,
    });
    expect(await scene.update(repository)).toMatchObject({ status: 201, body: { managedFiles: [ENFORCE] } });
    expect(filesOf(repository)).toEqual([ENFORCE]);
    repository.pulls.merge(scene.openPull(repository));
    await world.settle();
    expect(await scene.written(repository)).toEqual({ revision: scene.revision, customCi: true, pull: null });
    expect(textAt(repository, 'main', CI)).toBe(ci);
    expect((await scene.status(repository)).body).toMatchObject({ status: 'UP_TO_DATE', managedFiles: [ENFORCE] });
  });

  it('brings back what somebody changed or removed, without taking a changed CI for one that was never installed', async () => {
    const repository = await scene.outdated('meddled');
    repository.commit({ files: { [ENFORCE]: null, [CI]: 'name: meddled\n' } });
    expect((await scene.status(repository)).body).toMatchObject({
      status: 'UPDATE_AVAILABLE',
      installedRevision: null,
    });
    expect((await scene.update(repository)).status).toBe(201);
    repository.pulls.merge(scene.openPull(repository));
    await world.settle();
    expect(await scene.written(repository)).toMatchObject({ revision: scene.revision, customCi: false });
  });

  it('is one pull request for however many ask at once', async () => {
    const repository = await scene.outdated('crowd');
    const answers = await Promise.all(Array.from({ length: 8 }, () => scene.update(repository)));
    const { number } = scene.openPull(repository).issue;
    expect(new Set(answers.map(({ body }) => body['prNumber']))).toEqual(new Set([number]));
    expect(answers.filter(({ status }) => status === 201)).not.toHaveLength(0);
    expect(answers.every(({ status }) => status === 201 || status === 200)).toBe(true);
    expect(scene.pulls(repository)).toHaveLength(1);
    expect(await scene.audit(repository)).toEqual(['workflow_update.opened']);
  });

  it('is available again where its pull request is closed, and is proposed again', async () => {
    const repository = await scene.outdated('closed');
    await scene.update(repository);
    repository.pulls.close(scene.openPull(repository));
    await world.settle();
    expect(await scene.written(repository)).toMatchObject({ revision: OLD_REVISION, pull: null });
    expect((await scene.status(repository)).body).toMatchObject({ status: 'UPDATE_AVAILABLE', prNumber: null });
    expect((await scene.update(repository)).status).toBe(201);
    expect(scene.pulls(repository)).toHaveLength(2);
  });

  it('takes the place of one that proposes another revision', async () => {
    const repository = await scene.outdated('superseded');
    const branch = 'shipgate-workflow-update-0000000000000002';
    repository.commit({ branch, files: { [ENFORCE]: 'name: the gate in between\n' } });
    const older = repository.pulls.open({ head: branch, title: 'older', author: world.githubApp.bot });
    repository.commit({ branch: 'feature', files: { 'src/b.ts': '1' } });
    const others = repository.pulls.open({ head: 'feature', title: 'ours' });
    expect((await scene.status(repository)).body).toMatchObject({ status: 'UPDATE_AVAILABLE' });
    expect((await scene.update(repository)).status).toBe(201);
    expect([older.issue.state, others.issue.state]).toEqual(['closed', 'open']);
  });

  it('rewrites its pull request where it brings what is the team’s own by now', async () => {
    const repository = await scene.outdated('rewritten');
    await scene.update(repository);
    const { issue } = scene.openPull(repository);
    repository.commit({ files: { [CI]: 'name: our own by now\n' } });
    await world.settle();
    expect((await scene.status(repository)).body).toMatchObject({
      status: 'UPDATE_AVAILABLE',
      managedFiles: [ENFORCE],
    });
    expect(await scene.update(repository)).toMatchObject({
      status: 200,
      body: { status: 'PR_OPEN', prNumber: issue.number },
    });
    expect(filesOf(repository)).toEqual([ENFORCE]);
    expect(issue.body).toContain('CI is your own here');
  });

  describe('what others put on its branch', () => {
    const author = () => world.github.createUser({ login: `mallory-${randomUUID().slice(0, 8)}` });

    it('is not merged under its name: a pull request that somebody else opened, of the very same files', async () => {
      const repository = await scene.outdated('forged');
      repository.commit({ branch: scene.branch, files: scene.now });
      repository.pulls.open({ head: scene.branch, title: 'Update the workflows of Shipgate', author: author() });
      expect((await scene.status(repository)).body).toMatchObject({
        status: 'CONFLICT',
        prNumber: null,
        branch: scene.branch,
      });
      const { status, body } = await scene.update(repository);
      expect([status, body['error']]).toEqual([409, expect.stringContaining(scene.branch)]);
      expect(scene.pulls(repository)).toHaveLength(1);
      expect(await scene.written(repository)).toMatchObject({ pull: null });
    });

    it('is not overwritten: a commit of theirs', async () => {
      const repository = await scene.outdated('taken');
      const theirs = repository.commit({ branch: scene.branch, files: { 'src/theirs.ts': '1' }, author: author() });
      expect((await scene.update(repository)).status).toBe(409);
      expect(repository.git.branchHead(scene.branch)).toBe(theirs);
      repository.deleteBranch(scene.branch);
      expect((await scene.update(repository)).status).toBe(201);
    });

    it('is not taken for its own: a change on top of its open pull request', async () => {
      const repository = await scene.outdated('on-top');
      await scene.update(repository);
      repository.commit({ branch: scene.branch, files: { [ENFORCE]: 'name: weaker\n' }, author: author() });
      expect((await scene.status(repository)).body).toMatchObject({ status: 'CONFLICT' });
      expect((await scene.update(repository)).status).toBe(409);
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
    ])('goes on where it was, at %s (carried out: %s)', async (step, afterWork) => {
      const repository = await scene.outdated(`step${step.replaceAll('/', '-')}-${afterWork ? 'after' : 'before'}`);
      world.github.faults.next({
        kind: 'drop',
        match: ({ method, url }) => method === 'POST' && url.endsWith(step),
        afterWork,
        times: 4,
      });
      const first = await scene.update(repository);
      expect([201, 503]).toContain(first.status);
      world.github.faults.clear();
      // The circuit that opened after so many failures is given the time to close.
      world.clock.advance(120_000);
      const second = await scene.update(repository);
      expect([second.status, second.body['status']]).toEqual(
        first.status === 201 || (step === PULLS && afterWork) ? [200, 'PR_OPEN'] : [201, 'PR_CREATED'],
      );
      expect(filesOf(repository)).toEqual([CI, ENFORCE]);
      expect(await scene.written(repository)).toMatchObject({ pull: scene.openPull(repository).issue.number });
    });

    it('is finished also where nobody wrote down that it was opened', async () => {
      const repository = await scene.outdated('unwritten');
      await scene.update(repository);
      await world.settle();
      await world.asSuperuser(`delete from workflow_update where repository_id = '${await scene.idOf(repository)}'`);
      repository.pulls.merge(scene.openPull(repository));
      await world.settle();
      expect(await scene.written(repository)).toMatchObject({ revision: scene.revision, pull: null });
    });
  });

  it('is finished by the next sync where no delivery told of the merge', async () => {
    const repository = await scene.outdated('unheard');
    await scene.update(repository);
    await world.settle();
    const { webhookUrl } = world.githubApp;
    world.githubApp.webhookUrl = null;
    repository.pulls.merge(scene.openPull(repository));
    await world.settle();
    world.githubApp.webhookUrl = webhookUrl;
    expect(await scene.written(repository)).toMatchObject({ revision: OLD_REVISION });
    await world.resync();
    expect(await scene.written(repository)).toMatchObject({ revision: scene.revision, pull: null });
  });

  it('is refused, and said to be, where it cannot be', async () => {
    const bare = world.github.createRepository(scene.organization, { name: 'bare', files: { a: '1' }, private: false });
    await world.settle();
    expect((await scene.status(bare)).status).toBe(409);
    expect((await scene.update(bare)).status).toBe(409);
    for (const id of [randomUUID(), 'no-uuid']) {
      expect((await scene.admin.get(`/api/repos/${id}/workflow-update-status`)).status).toBe(404);
      expect((await scene.admin.send('POST', `/api/repos/${id}/workflow-update-pr`)).status).toBe(404);
    }
    const repository = await scene.outdated('refused');
    const member = await signIn(world, world.github.createUser({ login: 'mia' }));
    expect((await scene.status(repository, member)).status).toBe(200);
    expect((await scene.update(repository, {}, member)).status).toBe(403);
    for (const pat of ['', 'a b', 7, 'x'.repeat(256)]) {
      expect((await scene.update(repository, { pat })).status).toBe(400);
    }
    expect((await scene.update(repository, { pat: null })).status).toBe(201);
  });

  it('waits for a host that is away', async () => {
    const repository = await scene.outdated('away');
    world.github.faults.next({ kind: '5xx', match: /\/away\//, times: 50 });
    const { status, headers } = await scene.status(repository);
    expect([status, headers.get('retry-after')]).toEqual([503, '10']);
  });
});
