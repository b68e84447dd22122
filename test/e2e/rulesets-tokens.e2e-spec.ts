import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/world.js';
import { edit, namesOf, ProtectionScene, RELEASE } from './scene/protection-scene.js';

describe('the rulesets of a repository that the app may not administer', () => {
  let world: TestEnvironment;
  let scene: ProtectionScene;
  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    const { administration: _, ...permissions } = world.githubApp.permissions;
    world.github.installApp(world.githubApp, world.organization, { repositories: 'all', permissions });
    await world.settle();
    scene = await ProtectionScene.in(world);
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.github.faults.clear();
    expect(world.violations).toEqual([]);
  });

  it('are made with the token of somebody who does, which is forgotten then', async () => {
    const repo = await scene.merged('lent');
    expect(await scene.order(repo)).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/^PAT_REQUIRED: The app may not administer/) },
    });
    const { token } = scene.administrator(repo, 'alma');
    expect(await scene.order(repo, { pat: token })).toMatchObject({ status: 202, body: { status: 'pending' } });
    await world.settle();
    expect(await scene.row(repo)).toMatchObject({ status: 'active', step: 'complete', tokens: 0 });
    expect(namesOf(repo)).toHaveLength(2);
    const by = world.exchanges.filter(({ method, path }) => method === 'POST' && path.endsWith('/lent/rulesets'));
    expect(by.map(({ requestHeaders }) => requestHeaders['authorization'])).toEqual([
      `Bearer ${token}`,
      `Bearer ${token}`,
    ]);
    // From here on the app looks by itself, and is not told who may bypass them.
    await scene.sync(repo);
    expect(await scene.row(repo)).toMatchObject({
      status: 'active',
      detail: expect.stringContaining('GitHub shows only to administrators of the repository who may bypass them'),
    });
    edit(repo, RELEASE, () => ({ enforcement: 'disabled' }));
    await world.settle();
    expect(await scene.status(repo)).toBe('drifted');
    expect((await scene.order(repo)).status).toBe(422);
    expect(await scene.status(repo)).toBe('drifted');
  });

  it('are not made with a token that GitHub refuses, or of somebody who may not', async () => {
    const repo = await scene.merged('refused');
    const tokens = world.github.world.tokens;
    const writer = tokens.issuePersonal(repo.person('wanda'));
    expect((await scene.order(repo, { pat: writer })).body['error']).toMatch(/does not administer the repository/);
    expect((await scene.order(repo, { pat: 'ghp_0123456789abcdef' })).body['error']).toMatch(/does not accept this/);
    const stranger = tokens.issuePersonal(world.github.createUser({ login: 'stan' }));
    expect((await scene.order(repo, { pat: stranger })).status).toBe(422);
    expect(await scene.row(repo)).toBeNull();
    expect(namesOf(repo)).toEqual([]);
  });

  it('wait for nobody whose token GitHub stops taking: the admin is told', async () => {
    const repo = await scene.merged('revoked');
    const { token } = scene.administrator(repo, 'rhea');
    world.github.faults.next({ kind: 'delay', ms: 500, match: /^GET .*\/revoked\/contents\// });
    expect((await scene.order(repo, { pat: token })).status).toBe(202);
    world.github.world.tokens.revoke(token);
    await world.settle();
    expect(await scene.row(repo)).toMatchObject({
      status: 'failed',
      step: 'protection_failed',
      tokens: 0,
      detail: expect.stringContaining('GitHub rejected the personal access token'),
    });
    expect(namesOf(repo)).toEqual([]);
  });

  it('are not asked for with a token of which GitHub says nothing', async () => {
    const repo = await scene.merged('away');
    const { token } = scene.administrator(repo, 'aaron');
    world.github.faults.next({ kind: '5xx', match: /^GET \/repos\/acme\/away$/, times: 10 });
    const answer = await scene.order(repo, { pat: token });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect(await scene.row(repo)).toBeNull();
  });

  it('take the newer of two tokens, and forget both', async () => {
    const repo = await scene.merged('two-tokens');
    const [first, second] = [scene.administrator(repo, 'tess'), scene.administrator(repo, 'theo')];
    await Promise.all([first, second].map(({ token }) => scene.order(repo, { pat: token })));
    await world.settle();
    expect(await scene.row(repo)).toMatchObject({ status: 'active', tokens: 0 });
    expect(namesOf(repo)).toHaveLength(2);
  });

  it('are left to the app where it may do it after all', async () => {
    const elsewhere = world.github.createOrganization({ login: 'globex' });
    await world.install(elsewhere);
    const granted = await ProtectionScene.in(world, elsewhere);
    const repo = await granted.merged('granted');
    const { token } = granted.administrator(repo, 'gina');
    expect((await granted.order(repo, { pat: token })).status).toBe(202);
    await world.settle();
    expect(await granted.row(repo)).toMatchObject({ status: 'active', tokens: 0 });
    const used = world.exchanges.filter(({ requestHeaders }) => requestHeaders['authorization'] === `Bearer ${token}`);
    expect(used).toEqual([]);
  });

  it('are not made where the app may not publish the check that they ask for', async () => {
    const elsewhere = world.github.createOrganization({ login: 'initech' });
    const permissions = { ...world.githubApp.permissions, checks: 'read' as const };
    world.github.installApp(world.githubApp, elsewhere, { repositories: 'all', permissions });
    await world.settle();
    const checkless = await ProtectionScene.in(world, elsewhere);
    const repo = await checkless.merged('checkless');
    await checkless.order(repo);
    await world.settle();
    expect(await checkless.row(repo)).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('"checks: write"'),
    });
    expect(namesOf(repo)).toEqual([]);
  });
});
