import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { codesOf, RepositoryScenario } from './scenarios/repository-scenario.js';

const HOUR_MS = 3_600_000;

describe('the milestone of a release', () => {
  let env: TestEnvironment;
  const scenario = (name: string): RepositoryScenario => new RepositoryScenario(env, { name });

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  const statusOf = async (repo: RepositoryScenario, version: string): Promise<number> => {
    const search = new URLSearchParams({ version, repo: repo.repository.fullName });
    const headers = { authorization: `Bearer ${await repo.run(repo.head()).token()}` };
    return (await fetch(`${await env.app.getUrl()}/api/milestones/check?${search.toString()}`, { headers })).status;
  };

  it('cancels the release when it is closed early, and restores it when it is reopened', async () => {
    const repo = scenario('closed-early');
    const milestone = repo.milestone('v1.0.0');
    const sha = repo.commit();
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);
    repo.repository.milestones.close(milestone);
    await env.waitUntilIdle();
    expect(codesOf(await repo.gate('v1.0.0'))).toContain('cancelled');
    repo.repository.milestones.reopen(milestone);
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('can be closed in DEPLOYMENT, as teams do when they tag', async () => {
    const repo = scenario('closed-late');
    await repo.approved('v1.0.0');
    const [milestone] = repo.repository.milestones.list();
    if (milestone) repo.repository.milestones.close(milestone);
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: true });
  });

  it.each([
    ['renamed', (repo: RepositoryScenario) => repo.repository.issues.renameLabel('bug', 'feature')],
    ['deleted', (repo: RepositoryScenario) => repo.repository.issues.deleteLabel('bug')],
  ])('counts an open issue again whose exempt label was %s, without an event of the issue', async (name, change) => {
    const repo = scenario(`label-${name}`);
    await repo.approved('v1.0.0');
    const milestone = repo.repository.milestones.list()[0] ?? null;
    repo.repository.issues.create({ title: 'One', milestone, labels: ['bug'] });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    change(repo);
    await env.waitUntilIdle();
    const plain = await repo.gate('v1.0.0', { explain: 'false' });
    expect([plain.can_deploy, codesOf(await repo.gate('v1.0.0'))]).toEqual([false, ['issue_open']]);
  });

  it('renames the release while there is no candidate, and blocks it afterwards', async () => {
    const repo = scenario('renamed');
    const milestone = repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    repo.repository.milestones.edit(milestone, { title: 'v1.1.0' });
    await env.waitUntilIdle();
    expect(await statusOf(repo, 'v1.0.0')).toBe(404);
    expect(await repo.gate('v1.1.0')).toMatchObject({ current_stage: 'PLANNING' });

    const sha = repo.commit();
    await repo.test('v1.1.0', sha);
    repo.approve('v1.1.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.1.0')).toMatchObject({ can_deploy: true });
    repo.repository.milestones.edit(milestone, { title: 'v2.0.0' });
    await env.waitUntilIdle();
    expect(codesOf(await repo.gate('v1.1.0'))).toEqual(['milestone_renamed']);
    expect(await statusOf(repo, 'v2.0.0')).toBe(404);
    repo.repository.milestones.edit(milestone, { title: 'v1.1.0' });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.1.0')).toMatchObject({ can_deploy: true });
  });

  it('renames the release also if a gate request reads the change first', async () => {
    const repo = scenario('renamed-and-read');
    const milestone = repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    const held = env.github.faults.hold(({ url }) => url.startsWith('/repos/acme/renamed-and-read/milestones/'));
    repo.repository.milestones.edit(milestone, { title: 'v1.1.0' });
    await held.came;
    env.clock.advance(HOUR_MS);
    expect(codesOf(await repo.gate('v1.0.0'))).toContain('milestone_renamed');
    held.letThrough();
    await env.waitUntilIdle();
    // From the database, because a gate request for an unknown version searches for it on GitHub.
    expect(
      await env.asSuperuser(
        `select r.version, r.title from release r join repository p on p.id = r.repository_id where p.github_id = ${repo.repository.id}`,
      ),
    ).toEqual([{ version: 'v1.1.0', title: 'v1.1.0' }]);
  });

  it('ends the release when it is deleted, and a recreated one is another release', async () => {
    const repo = scenario('made-again');
    const sha = await repo.approved('v1.0.0');
    const [milestone] = repo.repository.milestones.list();
    if (milestone) repo.repository.milestones.delete(milestone);
    await env.waitUntilIdle();
    expect(await statusOf(repo, 'v1.0.0')).toBe(404);
    expect((await repo.run(sha).uploadTests('v1.0.0', 4)).status).toBe(404);

    env.clock.advance(61_000);
    repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'PLANNING', tests_passing: false });
    await repo.test('v1.0.0', sha);
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'EVIDENCING', evidence_pr_approved: false });
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('is matched exactly: v1.0 is not v1.0.1, and letter case counts', async () => {
    const repo = scenario('exact');
    repo.milestone('v1.0.1');
    repo.milestone('Sprint 12');
    await env.waitUntilIdle();
    expect(await statusOf(repo, 'v1.0.1')).toBe(200);
    for (const version of ['v1.0', 'V1.0.1', 'v1.0.1 ', 'v1.0.10', 'Sprint 12']) {
      expect(await statusOf(repo, version)).toBe(404);
    }
  });

  it('is found by the gate without a delivery', async () => {
    const repo = scenario('untold');
    await env.waitUntilIdle();
    env.outbox.faults.next({ kind: 'lose', event: 'milestone' });
    repo.milestone('v1.0.0');
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'PLANNING' });
  });
});
