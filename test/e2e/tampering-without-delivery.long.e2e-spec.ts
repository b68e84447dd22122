import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { CHANGED, CI, ENFORCE, InstalledScenario } from './scenarios/installed-scenario.js';

const FOLDER = /^GET .*\/contents\/\.github(\/|%2F)workflows/;

describe('tampering without a delivery, or while GitHub does not answer', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  it('is found by the next reconciliation if the delivery was lost', async () => {
    const repo = await InstalledScenario.install(env, { name: 'lost' });
    await repo.approved('v1.0.0');
    env.outbox.faults.next({ kind: 'lose', times: 3 });
    await repo.push({ [CI]: CHANGED });
    env.outbox.faults.clear();
    expect(await repo.flags()).toEqual([]);
    await env.resync();
    expect(await repo.flags()).toEqual([`main ${CI}`]);
    expect(await repo.reasons('v1.0.0')).toEqual(['tampered']);
  });

  it('closes the gate when a branch has moved, until the branch was checked', async () => {
    const repo = await InstalledScenario.install(env, { name: 'unseen' });
    await repo.approved('v1.0.0');
    env.github.faults.next({ kind: '5xx', match: FOLDER, times: 1_000 });
    await repo.push({ 'src/b.ts': '1' });
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false, tests_passing: true });
    expect(await repo.reasons('v1.0.0')).toEqual(['workflows_unknown']);
    env.github.faults.clear();
    // There are no calls for a while after GitHub did not answer.
    env.clock.advance(5 * 60_000);
    await env.resync();
    expect(await repo.reasons('v1.0.0')).toEqual([]);
  });

  it('is checked when the gate itself reads that the branch moved', async () => {
    const repo = await InstalledScenario.install(env, { name: 'asked' });
    await repo.approved('v1.0.0');
    env.outbox.faults.next({ kind: 'lose', times: 3 });
    await repo.push({ [ENFORCE]: CHANGED });
    env.outbox.faults.clear();
    env.clock.advance(21 * 60_000);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: false });
    await env.waitUntilIdle();
    expect(await repo.flags()).toEqual([`main ${ENFORCE}`]);
    expect(await repo.reasons('v1.0.0')).toEqual(['tampered']);
  });

  it('opens one issue if the response to the issue was lost', async () => {
    const repo = await InstalledScenario.install(env, { name: 'unheard' });
    env.github.faults.next({ kind: 'drop', afterWork: true, match: /^POST .*\/issues$/ });
    await repo.push({ [CI]: CHANGED });
    await env.waitUntilIdle();
    expect(repo.issues(CI).map(({ state }) => state)).toEqual(['open']);
    await repo.restore();
    expect(repo.issues(CI).map(({ state }) => state)).toEqual(['closed']);
  });

  it('ignores issues of other users', async () => {
    const repo = await InstalledScenario.install(env, { name: 'posing' });
    const body = `<!-- shipgate:tampering:${CI} -->`;
    const posing = repo.repository.issues.create({
      title: `About ${CI}`,
      body,
      author: repo.createCollaborator('poser'),
    });
    await repo.push({ [CI]: CHANGED });
    expect(repo.issues(CI).map(({ author }) => author.login)).toEqual(['poser', env.githubApp.bot.login]);
    await repo.restore();
    expect([posing.state, posing.body]).toEqual(['open', body]);
  });

  it('closes the gate also if no issue can be created, and logs that', async () => {
    const organization = env.github.createOrganization({ login: 'globex' });
    const permissions = { ...env.githubApp.permissions, issues: 'read' as const };
    env.github.installApp(env.githubApp, organization, { repositories: 'all', permissions });
    const repo = await InstalledScenario.install(env, { name: 'mute', organization });
    await repo.push({ [CI]: CHANGED });
    expect([await repo.flags(), repo.issues(CI)]).toEqual([[`main ${CI}`], []]);
    expect(
      env.lines.filter((line) => line.includes('Tampering issue could not be written at globex/mute')),
    ).toHaveLength(1);
  });

  it('uses no calls if nothing changed', async () => {
    const repo = await InstalledScenario.install(env, { name: 'quiet' });
    for (const branch of ['release/v1.0.0', 'release/v2.0.0']) repo.commit({ branch });
    repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    await env.resync();
    await env.resync();
    const before = env.exchanges.length;
    await env.resync();
    const paid = env.exchanges
      .slice(before)
      .filter(({ path, status }) => path.startsWith('/repos/acme/quiet') && status !== 304);
    expect(paid.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});
