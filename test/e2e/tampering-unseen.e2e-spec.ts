import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/world.js';
import { CHANGED, CI, ENFORCE, InstalledScene } from './scene/installed-scene.js';

const FOLDER = /^GET .*\/contents\/\.github(\/|%2F)workflows/;

describe('what was done to installed files while nobody told or the host did not answer', () => {
  let world: TestEnvironment;
  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    await world.install();
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.github.faults.clear();
    expect(world.violations).toEqual([]);
  });

  it('is found by the next reconciliation where the delivery was lost', async () => {
    const repo = await InstalledScene.install(world, { name: 'lost' });
    await repo.approved('v1.0.0');
    world.outbox.faults.next({ kind: 'lose', times: 3 });
    await repo.push({ [CI]: CHANGED });
    world.outbox.faults.clear();
    expect(await repo.flags()).toEqual([]);
    await world.resync();
    expect(await repo.flags()).toEqual([`main ${CI}`]);
    expect(await repo.reasons('v1.0.0')).toEqual(['tampered']);
  });

  it('keeps the gate closed from when it is known that the branch moved, until the branch was looked at', async () => {
    const repo = await InstalledScene.install(world, { name: 'unseen' });
    await repo.approved('v1.0.0');
    world.github.faults.next({ kind: '5xx', match: FOLDER, times: 1_000 });
    await repo.push({ 'src/b.ts': '1' });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false, tests_passing: true });
    expect(await repo.reasons('v1.0.0')).toEqual(['workflows_unknown']);
    world.github.faults.clear();
    // The host is left alone for a while that did not answer.
    world.clock.advance(5 * 60_000);
    await world.resync();
    expect(await repo.reasons('v1.0.0')).toEqual([]);
  });

  it('is looked for when the gate itself finds the branch moved', async () => {
    const repo = await InstalledScene.install(world, { name: 'asked' });
    await repo.approved('v1.0.0');
    world.outbox.faults.next({ kind: 'lose', times: 3 });
    await repo.push({ [ENFORCE]: CHANGED });
    world.outbox.faults.clear();
    world.clock.advance(21 * 60_000);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false });
    await world.settle();
    expect(await repo.flags()).toEqual([`main ${ENFORCE}`]);
    expect(await repo.reasons('v1.0.0')).toEqual(['tampered']);
  });

  it('is told once where the answer to the issue was lost', async () => {
    const repo = await InstalledScene.install(world, { name: 'unheard' });
    world.github.faults.next({ kind: 'drop', afterWork: true, match: /^POST .*\/issues$/ });
    await repo.push({ [CI]: CHANGED });
    await world.settle();
    expect(repo.issues(CI).map(({ state }) => state)).toEqual(['open']);
    await repo.restore();
    expect(repo.issues(CI).map(({ state }) => state)).toEqual(['closed']);
  });

  it('takes no issue of somebody else for its own', async () => {
    const repo = await InstalledScene.install(world, { name: 'posing' });
    const body = `<!-- shipgate:tampering:${CI} -->`;
    const posing = repo.repository.issues.create({ title: `About ${CI}`, body, author: repo.person('poser') });
    await repo.push({ [CI]: CHANGED });
    expect(repo.issues(CI).map(({ author }) => author.login)).toEqual(['poser', world.githubApp.bot.login]);
    await repo.restore();
    expect([posing.state, posing.body]).toEqual(['open', body]);
  });

  it('closes the gate also where no issue may be written, and says so in the log', async () => {
    const organization = world.github.createOrganization({ login: 'globex' });
    const permissions = { ...world.githubApp.permissions, issues: 'read' as const };
    world.github.installApp(world.githubApp, organization, { repositories: 'all', permissions });
    const repo = await InstalledScene.install(world, { name: 'mute', organization });
    await repo.push({ [CI]: CHANGED });
    expect([await repo.flags(), repo.issues(CI)]).toEqual([[`main ${CI}`], []]);
    expect(
      world.lines.filter((line) => line.includes('Tampering issue could not be written at globex/mute')),
    ).toHaveLength(1);
  });

  it('costs nothing to look for where nothing changed', async () => {
    const repo = await InstalledScene.install(world, { name: 'quiet' });
    for (const branch of ['release/v1.0.0', 'release/v2.0.0']) repo.commit({ branch });
    repo.milestone('v1.0.0');
    await world.settle();
    await world.resync();
    await world.resync();
    const before = world.exchanges.length;
    await world.resync();
    const paid = world.exchanges
      .slice(before)
      .filter(({ path, status }) => path.startsWith('/repos/acme/quiet') && status !== 304);
    expect(paid.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});
