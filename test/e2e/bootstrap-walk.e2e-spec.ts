import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/world.js';
import { signInAndJoin } from './scene/members.js';
import { RepositoryScene } from './scene/repository-scene.js';
import { SetupScene, textAt } from './scene/setup-scene.js';

describe('a repository, from nothing to an open gate', () => {
  let world: TestEnvironment;
  beforeAll(async () => {
    world = await TestEnvironment.start();
    await world.install();
  });
  afterAll(() => world.stop());

  it('is set up by one call, one merge and one release', async () => {
    const scene = await SetupScene.in(world);
    const team = new RepositoryScene(world, { name: 'payments', sdlc: null });
    const { repository } = team;
    await world.settle();
    const browser = await signInAndJoin(world, scene.admin.user, world.organization);
    const answer = await browser.post(`/api/repos/${await scene.idOf(repository)}/bootstrap`);
    expect(answer).toMatchObject({ status: 201, body: { status: 'PR_OPEN' } });

    const pull = scene.openPull(repository);
    expect(answer.body).toEqual({ status: 'PR_OPEN', prNumber: pull.number, prUrl: expect.stringContaining('/pull/') });
    expect(pull.issue.author.login).toBe('shipgate[bot]');
    expect(pull.comparison()?.files.map(({ path }) => path)).toEqual([
      '.github/SHIPGATE.md',
      '.github/workflows/shipgate-ci.yml',
      '.github/workflows/shipgate-enforce.yml',
      'sdlc.yaml',
    ]);
    await world.settle();
    expect(await scene.row(repository)).toMatchObject({ step: 'pr_open', managed: true, tokens: 0 });

    repository.pulls.merge(pull, { by: scene.admin.user });
    await world.settle();
    expect(await scene.row(repository)).toMatchObject({ step: 'complete', managed: true });
    expect(textAt(repository, 'main', 'sdlc.yaml')).toContain('name: "payments"');
    expect(await scene.audit(repository)).toEqual(
      expect.arrayContaining(['bootstrap.begun', 'bootstrap.merged', 'protection.changed']),
    );

    await team.approved('v1.0.0');
    expect(await team.gate('v1.0.0')).toMatchObject({ can_deploy: true, reasons: [] });
    expect(world.violations).toEqual([]);
  });
});
