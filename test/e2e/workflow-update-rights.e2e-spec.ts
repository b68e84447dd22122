import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Organization } from '../github-sim/state/organization.js';
import type { Repository } from '../github-sim/state/repository.js';
import { TestEnvironment } from '../support/world.js';
import { textAt } from './scene/setup-scene.js';
import { CI, ENFORCE, UpdateScene } from './scene/update-scene.js';

const PATIENCE_MS = 120_000;

/** An organization that grants the app less than it asks for. */
async function givenTier(
  world: TestEnvironment,
  login: string,
  permissions: Readonly<Record<string, 'read' | 'write'>>,
): Promise<UpdateScene> {
  const organization: Organization = world.github.createOrganization({ login });
  world.github.installApp(world.githubApp, organization, { repositories: 'all', permissions });
  await world.settle();
  return UpdateScene.in(world, organization);
}

describe('who may write workflow files', () => {
  let world: TestEnvironment;
  let minimal: UpdateScene;
  let repository: Repository;
  let pats: { readonly good: string; readonly narrow: string; readonly stranger: string };

  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    await world.install();
    const { workflows: _, ...rest } = world.githubApp.permissions;
    minimal = await givenTier(world, 'globex', rest as Readonly<Record<string, 'read' | 'write'>>);
    repository = await minimal.outdated('ledger');
    const { tokens } = world.github.world;
    pats = {
      good: tokens.issuePersonal(minimal.admin.user),
      narrow: tokens.issuePersonal(minimal.admin.user, []),
      stranger: tokens.issuePersonal(world.github.createUser({ login: 'stranger' })),
    };
    for (const [name, pat] of Object.entries(pats)) world.canaries.add(`the ${name} personal token`, pat);
  }, PATIENCE_MS);
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  it('is told before anything is asked for', async () => {
    expect((await minimal.status(repository)).body).toMatchObject({
      status: 'PAT_REQUIRED',
      prNumber: null,
      branch: null,
    });
  });

  it.each<[string, () => object]>([
    ['no token', () => ({})],
    ['a token without the scope for workflows', () => ({ pat: pats.narrow })],
    ['a token of somebody who may not write there', () => ({ pat: pats.stranger })],
    ['a token that is none', () => ({ pat: 'ghp_000000000000000000000000000000000000' })],
  ])('is not the app of the minimal tier, nor whoever sends %s', async (_, order) => {
    const { status, body } = await minimal.update(repository, order());
    expect([status, body]).toEqual([422, { error: expect.stringMatching(/^PAT_REQUIRED: /) }]);
    expect(repository.git.branchHead(minimal.branch)).toBeNull();
  });

  it('is whoever sends a token that may: the app opens the pull request of what it wrote', async () => {
    const { status, body } = await minimal.update(repository, { pat: pats.good });
    expect([status, body['status']]).toEqual([201, 'PR_CREATED']);
    const pull = minimal.openPull(repository);
    expect(pull.issue.author.login).toBe('shipgate[bot]');
    for (const path of [CI, ENFORCE]) expect(textAt(repository, minimal.branch, path)).toBe(minimal.now[path]);
    // To answer what is open no token is needed.
    expect((await minimal.update(repository)).body).toMatchObject({ status: 'PR_OPEN' });
    repository.pulls.merge(pull);
    await world.settle();
    expect(await minimal.written(repository)).toMatchObject({ revision: minimal.revision, pull: null });
    // That the token is in no table, no line of the log and no answer, the end of the world looks after.
  });

  it('is the app where it may by itself: a token that is sent beside is not used', async () => {
    const full = await UpdateScene.in(world);
    const own = await full.outdated('full');
    const before = world.exchanges.length;
    expect((await full.update(own, { pat: pats.stranger })).status).toBe(201);
    const used = world.exchanges
      .slice(before)
      .filter(({ requestHeaders }) => requestHeaders['authorization']?.includes(pats.stranger));
    expect(used).toEqual([]);
  });

  it('is nobody where the app may only read', async () => {
    const reading = await givenTier(world, 'initech', {
      metadata: 'read',
      members: 'read',
      contents: 'read',
      pull_requests: 'read',
    });
    const closed = await reading.outdated('vault');
    const { status, body } = await reading.update(closed, { pat: pats.stranger });
    expect([status, typeof body['error']]).toEqual([422, 'string']);
    expect(reading.pulls(closed)).toEqual([]);
  });

  it('is never who has a repository that was made anew under the name', async () => {
    const gone = await minimal.outdated('phoenix');
    const id = await minimal.idOf(gone);
    const path = `/api/repos/${id}/workflow-update-pr`;
    gone.delete();
    const anew = world.github.createRepository(minimal.organization, {
      name: 'phoenix',
      files: { a: '1' },
      private: false,
    });
    const answer = await minimal.admin.send('POST', path, { pat: pats.good });
    expect(answer.status).toBe(404);
    await world.settle();
    expect((await minimal.admin.send('POST', path, { pat: pats.good })).status).toBe(404);
    expect(anew.pulls.list()).toEqual([]);
    expect(anew.git.branchHead(minimal.branch)).toBeNull();
  });
});
