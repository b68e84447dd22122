import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Repository } from '../github-sim/state/repository.js';
import type { User } from '../github-sim/state/user.js';
import { TestEnvironment } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';
import { bootstrapPulls, SetupScene } from './scene/setup-scene.js';

const MINUTE_MS = 60_000;
const WRITES_FILES = /^POST .*\/git\/(blobs|trees|commits|refs)/;

describe('a bootstrap in the minimal tier', () => {
  let world: TestEnvironment;
  let scene: SetupScene;
  /** Who may do in the repositories what the app may not. */
  let maintainer: User;
  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    const { workflows: _, administration: __, ...permissions } = world.githubApp.permissions;
    world.github.installApp(world.githubApp, world.organization, { repositories: 'all', permissions });
    await world.settle();
    scene = await SetupScene.in(world);
    maintainer = world.github.createUser({ login: 'maintainer' });
    world.organization.addMember(maintainer, 'admin');
    world.canaries.add('token of the maintainer', maintainer.token);
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.github.faults.clear();
    expect(world.violations).toEqual([]);
  });

  const given = async (name: string): Promise<Repository> => {
    const repository = scene.repository(name);
    await world.settle();
    return repository;
  };
  /** As whom the files of the repository were written, by the beginning of the token. */
  const writers = ({ name }: Repository): ReadonlySet<string> =>
    new Set(
      world.exchanges
        .filter(({ method, path }) => WRITES_FILES.test(`${method} ${path}`) && path.includes(`/${name}/`))
        .map(({ requestHeaders }) => (requestHeaders['authorization'] ?? '').slice(0, 'Bearer ghx'.length)),
    );
  const refused = async (repository: Repository, pat?: string): Promise<string> => {
    const { status, body } = await scene.bootstrap(repository, pat === undefined ? {} : { pat });
    expect(status).toBe(422);
    return String(body['error']);
  };

  it('goes by the token of somebody who may, from the call to an open gate, and keeps nothing of it', async () => {
    const team = new RepositoryScene(world, { name: 'walked', sdlc: null });
    const { repository } = team;
    repository.private = false;
    await world.settle();
    const { status, body } = await scene.bootstrap(repository, { pat: maintainer.token });
    expect([status, body['status']]).toEqual([201, 'PR_OPEN']);
    const pull = scene.openPull(repository);
    expect(pull.issue.author.login).toBe('shipgate[bot]');
    expect([...writers(repository)]).toEqual(['Bearer ghp']);
    await world.settle();
    expect(await scene.row(repository)).toMatchObject({ step: 'pr_open', tokens: 1 });

    repository.pulls.merge(pull);
    await world.settle();
    expect(await scene.row(repository)).toMatchObject({ step: 'complete', tokens: 0 });
    expect(repository.rulesets.list().length).toBeGreaterThan(0);
    await team.approved('v1.0.0');
    expect(await team.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('needs a token, and says so', async () => {
    const repository = await given('without-token');
    expect(await refused(repository)).toMatch(/^PAT_REQUIRED: /);
    expect(await scene.row(repository)).toBeNull();
  });

  it('refuses a token that does not do, in words and before anything is kept', async () => {
    const repository = await given('bad-token');
    const reader = world.github.createUser({ login: 'reader' });
    const outsider = world.github.createUser({ login: 'passer-by' });
    repository.setCollaborator(reader, 'read');
    expect(await refused(repository, `ghp_${'0'.repeat(36)}`)).toContain('unknown, expired or revoked');
    expect(await refused(repository, reader.token)).toContain('cannot write');
    expect(await refused(repository, outsider.token)).toContain('cannot write');
    const hidden = await given('hidden');
    hidden.private = true;
    expect(await refused(hidden, outsider.token)).toContain('cannot access the repository');
    for (const pat of ['', 'with space in it', 'x'.repeat(256)]) {
      expect((await scene.bootstrap(repository, { pat })).status).toBe(400);
    }
    expect(await scene.row(repository)).toBeNull();
  });

  it('refuses a token without the right to write workflows, and leaves nothing of itself', async () => {
    const repository = await given('narrow-token');
    const narrow = world.github.world.tokens.issuePersonal(maintainer, []);
    expect(await refused(repository, narrow)).toMatch(/^PAT_REQUIRED: /);
    expect(await scene.row(repository)).toMatchObject({ step: 'closed', managed: false, tokens: 0 });
    expect((await scene.bootstrap(repository, { pat: maintainer.token })).status).toBe(201);
    await world.settle();
    expect(bootstrapPulls(repository)).toHaveLength(1);
  });

  it('forgets the token where its pull request is closed', async () => {
    const repository = await given('closed-again');
    await scene.bootstrap(repository, { pat: maintainer.token });
    await world.settle();
    repository.pulls.close(scene.openPull(repository));
    await world.settle();
    expect(await scene.row(repository)).toMatchObject({ step: 'closed', tokens: 0 });
  });

  it('is gone on with by the token in custody where its request died', async () => {
    const repository = await given('died-with-token');
    world.github.faults.next({ kind: '5xx', match: /^POST .*\/git\/trees/, times: 30 });
    expect((await scene.bootstrap(repository, { pat: maintainer.token })).status).toBe(503);
    expect(await scene.row(repository)).toMatchObject({ step: 'opening', tokens: 1 });
    world.github.faults.clear();
    world.clock.advance(5 * MINUTE_MS);
    await world.hurry();
    expect(await scene.row(repository)).toMatchObject({ step: 'pr_open', tokens: 1 });
    expect(bootstrapPulls(repository)).toHaveLength(1);
  });

  it('is given up where it was not opened before the hour of its token was over', async () => {
    const repository = await given('died-for-long');
    world.github.faults.next({ kind: '5xx', match: /^POST .*\/git\/trees/, times: 30 });
    await scene.bootstrap(repository, { pat: maintainer.token });
    world.github.faults.clear();
    world.clock.advance(61 * MINUTE_MS);
    await world.hurry();
    expect(await scene.row(repository)).toMatchObject({
      step: 'closed',
      managed: false,
      tokens: 0,
      detail: expect.stringContaining('PAT_REQUIRED'),
    });
  });

  it('waits for another token where it is merged after the hour', async () => {
    const repository = await given('merged-late');
    await scene.bootstrap(repository, { pat: maintainer.token });
    await world.settle();
    world.clock.advance(61 * MINUTE_MS);
    repository.pulls.merge(scene.openPull(repository));
    await world.settle();
    expect(await scene.row(repository)).toMatchObject({ step: 'protection_pending', tokens: 0 });
    const path = `/api/repos/${await scene.idOf(repository)}/configure-rulesets`;
    expect((await scene.admin.send('POST', path, { pat: maintainer.token })).status).toBe(202);
    await world.settle();
    expect(await scene.row(repository)).toMatchObject({ step: 'complete', tokens: 0 });
  });
});

describe('a token that comes with a bootstrap in the full tier', () => {
  let world: TestEnvironment;
  beforeAll(async () => {
    world = await TestEnvironment.start();
    await world.install();
  });
  afterAll(() => world.stop());

  it('is neither used nor kept', async () => {
    const scene = await SetupScene.in(world);
    const repository = scene.repository('needs-none');
    await world.settle();
    const { token } = scene.admin.user;
    expect((await scene.bootstrap(repository, { pat: token })).status).toBe(201);
    expect(await scene.row(repository)).toMatchObject({ tokens: 0 });
    expect(world.exchanges.some(({ requestHeaders }) => requestHeaders['authorization']?.includes(token))).toBe(false);
    await world.settle();
    expect(world.violations).toEqual([]);
  });

  it('is asked for where the app turns out to have lost its right', async () => {
    const scene = await SetupScene.in(world, 'second-admin');
    const repository = scene.repository('lost-right');
    await world.settle();
    await world.asSuperuser(`update organization set granted_permissions = null`);
    const installation = world.github.world.installations.find(world.githubApp, world.organization);
    const { workflows: _, ...permissions } = world.githubApp.permissions;
    Object.assign(installation ?? {}, { permissions });
    world.clock.advance(61 * MINUTE_MS);
    const { status, body } = await scene.bootstrap(repository);
    expect([status, body['error']]).toEqual([422, expect.stringMatching(/^PAT_REQUIRED: /)]);
    expect(await scene.row(repository)).toMatchObject({ step: 'closed', managed: false });
  });
});
