import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { parsePolicyDocument } from '../../src/features/policy/document/policy-document.js';
import { signIn } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { PLAIN_POLICY } from './scene/repository-scene.js';
import { bootstrapPulls, SetupScene, textAt } from './scene/setup-scene.js';

const CI = '.github/workflows/shipgate-ci.yml';
const ENFORCE = '.github/workflows/shipgate-enforce.yml';
const GUIDE = '.github/SHIPGATE.md';
const BRANCH = 'shipgate/bootstrap';

describe('a bootstrap', () => {
  let world: TestEnvironment;
  let scene: SetupScene;
  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    await world.install();
    scene = await SetupScene.in(world);
  });
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  it('proposes a policy that is valid, and says what its merge does', async () => {
    const repository = scene.repository('plain');
    await world.settle();
    expect((await scene.bootstrap(repository)).status).toBe(201);
    const { issue } = scene.openPull(repository);
    expect(issue.title).toBe('Set up Shipgate');
    expect(issue.body).toContain('rulesets');
    const policy = parsePolicyDocument(textAt(repository, BRANCH, 'sdlc.yaml') ?? '', 'main', null);
    expect(policy).toMatchObject({ status: 'valid', policy: { name: 'plain' } });
    await world.settle();
  });

  it('takes an empty body, none at all, and null for a token', async () => {
    for (const [name, body] of [
      ['none', undefined],
      ['empty', {}],
      ['null', { pat: null }],
    ] as const) {
      const repository = scene.repository(`body-${name}`);
      await world.settle();
      const path = `/api/repos/${await scene.idOf(repository)}/bootstrap`;
      expect([name, (await scene.admin.send('POST', path, body)).status]).toEqual([name, 201]);
    }
    await world.settle();
  });

  it('leaves alone what the repository has of its own, but for the enforcement', async () => {
    const files = { 'sdlc.yaml': PLAIN_POLICY, [CI]: 'on: push', [ENFORCE]: 'on: never', [GUIDE]: 'Ours.' };
    const repository = scene.repository('own-files', files);
    await world.settle();
    expect((await scene.bootstrap(repository)).body).toMatchObject({ status: 'PR_OPEN' });
    const pull = scene.openPull(repository);
    expect(pull.comparison()?.files.map(({ path }) => path)).toEqual([ENFORCE]);
    expect(pull.issue.body).toContain('CI counts as custom');
    expect(pull.issue.body).toContain('takes the place of the file there');
    repository.pulls.merge(pull);
    await world.settle();
    expect(await scene.row(repository)).toMatchObject({ step: 'complete' });
    const [installed] = await world.asSuperuser<object>(
      `select i.custom_ci from workflow_installation i join repository r on r.id = i.repository_id
       where r.github_id = ${repository.id}`,
    );
    expect(installed).toEqual({ custom_ci: true });
  });

  it('has nothing to propose where all of it lies there already', async () => {
    const first = scene.repository('first-of-two');
    await world.settle();
    await scene.bootstrap(first);
    const files = Object.fromEntries(
      ['sdlc.yaml', CI, ENFORCE, GUIDE].map((path) => [path, textAt(first, BRANCH, path) ?? '']),
    );
    const second = scene.repository('second-of-two', files);
    await world.settle();
    const { status, body } = await scene.bootstrap(second);
    expect([status, body['prNumber'], body['prUrl']]).toEqual([201, null, null]);
    expect(body['status']).toMatch(/^(MERGED|PROTECTION_PENDING|COMPLETE)$/);
    await world.settle();
    expect(await scene.row(second)).toMatchObject({ step: 'complete', pull: null });
    expect(bootstrapPulls(second)).toEqual([]);
  });

  it('is one, of two that are asked for at once', async () => {
    const repository = scene.repository('twice');
    await world.settle();
    const answers = await Promise.all([scene.bootstrap(repository), scene.bootstrap(repository)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    await world.settle();
    expect(bootstrapPulls(repository)).toHaveLength(1);
    expect((await scene.bootstrap(repository)).status).toBe(409);
    repository.pulls.merge(scene.openPull(repository));
    await world.settle();
    expect((await scene.bootstrap(repository)).status).toBe(409);
    expect((await scene.audit(repository)).filter((action) => action === 'bootstrap.begun')).toHaveLength(1);
  });

  it('never takes on what somebody else put on its branch, or proposed from it', async () => {
    const repository = scene.repository('occupied');
    const stranger = world.github.createUser({ login: 'stranger' });
    repository.commit({ branch: BRANCH, files: { 'src/backdoor.ts': '1' }, author: stranger });
    const forged = repository.pulls.open({ head: BRANCH, title: 'Trust me', author: stranger });
    await world.settle();
    expect((await scene.bootstrap(repository)).body).toMatchObject({ prNumber: forged.number });
    expect(textAt(repository, BRANCH, 'src/backdoor.ts')).toBeNull();
    expect(textAt(repository, BRANCH, ENFORCE)).toContain('workflow_call');
    expect(scene.openPull(repository).issue.title).toBe('Set up Shipgate');
    await world.settle();
  });

  it('refuses a folder where a file belongs, and leaves nothing of itself', async () => {
    const repository = scene.repository('folder', { 'sdlc.yaml/readme.md': 'a folder' });
    await world.settle();
    const { status, body } = await scene.bootstrap(repository);
    expect([status, body['error']]).toEqual([422, expect.stringContaining('folder')]);
    expect(await scene.row(repository)).toMatchObject({ step: 'closed', managed: false });
    expect(bootstrapPulls(repository)).toEqual([]);
  });

  it('refuses an empty and an archived repository', async () => {
    const empty = scene.repository('empty', {});
    const archived = scene.repository('archived');
    await world.settle();
    archived.archived = true;
    for (const repository of [empty, archived]) {
      const { status, body } = await scene.bootstrap(repository);
      expect([status, body['error']]).toEqual([422, expect.stringContaining(repository.name)]);
      expect(await scene.row(repository)).toBeNull();
    }
  });

  it('finds a repository that was renamed a moment ago, and never another of its name', async () => {
    const renamed = scene.repository('before');
    await world.settle();
    renamed.rename('after');
    expect((await scene.bootstrap(renamed)).status).toBe(201);
    await world.settle();

    const gone = scene.repository('reborn');
    await world.settle();
    const id = await scene.idOf(gone);
    gone.delete();
    const successor = scene.repository('reborn');
    expect((await scene.admin.send('POST', `/api/repos/${id}/bootstrap`)).status).toBe(404);
    await world.settle();
    expect((await scene.admin.send('POST', `/api/repos/${id}/bootstrap`)).status).toBe(404);
    expect(bootstrapPulls(successor)).toEqual([]);
    expect((await scene.bootstrap(successor)).status).toBe(201);
    await world.settle();
  });

  it('is for admins, of repositories that they may read, in their own workspace', async () => {
    const repository = scene.repository('guarded');
    const hidden = world.github.createRepository(world.organization, { name: 'hidden', files: { a: '0' } });
    await world.settle();
    const member = await signIn(world, world.github.createUser({ login: 'a-member' }), { role: 'member' });
    expect((await scene.bootstrap(repository, {}, member)).status).toBe(403);
    expect((await scene.bootstrap(hidden)).status).toBe(404);

    const other = world.github.createOrganization({ login: 'globex' });
    await world.install(other);
    const outsider = await signIn(world, world.github.createUser({ login: 'outsider' }), {
      role: 'admin',
      organization: other,
    });
    expect((await scene.bootstrap(repository, {}, outsider)).status).toBe(404);
    for (const id of [randomUUID(), 'payments']) {
      expect((await scene.admin.send('POST', `/api/repos/${id}/bootstrap`)).status).toBe(404);
    }
    expect(bootstrapPulls(repository)).toEqual([]);
    expect(bootstrapPulls(hidden)).toEqual([]);
  });

  it('waits for an app that is suspended', async () => {
    const repository = scene.repository('suspended');
    await world.settle();
    const installation = world.github.world.installations.find(world.githubApp, world.organization);
    installation?.suspend();
    await world.settle();
    expect((await scene.bootstrap(repository)).status).toBe(409);
    installation?.unsuspend();
    await world.settle();
    expect((await scene.bootstrap(repository)).status).toBe(201);
    await world.settle();
  });

  it('is 503 where GitHub is away, and nothing of it stays', async () => {
    const repository = scene.repository('away');
    await world.settle();
    world.github.faults.next({ kind: '5xx', match: /\/repos\/acme\/away/, times: 20 });
    const { status, headers } = await scene.bootstrap(repository);
    expect([status, Number(headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
    world.github.faults.clear();
    expect(await scene.row(repository)).toBeNull();
  });
});

describe('fifty bootstraps at once, on the free plan', () => {
  let world: TestEnvironment;
  beforeAll(async () => {
    world = await TestEnvironment.start();
  });
  afterAll(() => world.stop());

  it('set three repositories up, and answer 402 to the rest', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `crowd-${index}`);
    const repositories = names.map((name) =>
      world.github.createRepository(world.organization, { name, files: { a: '0' }, private: false }),
    );
    await world.install();
    const scene = await SetupScene.in(world);
    const answers = await Promise.all(repositories.map((repository) => scene.bootstrap(repository)));
    const count = (wanted: number): number => answers.filter(({ status }) => status === wanted).length;
    expect([count(201), count(402)]).toEqual([3, 47]);
    await world.settle();
    expect(repositories.flatMap(bootstrapPulls)).toHaveLength(3);
    const { body } = await scene.admin.get('/api/billing');
    expect(body['managedRepositories']).toEqual({ used: 3, limit: 3 });
    expect(world.violations).toEqual([]);
  }, 120_000);
});
