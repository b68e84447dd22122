import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/world.js';
import { codesOf, RepositoryScene } from './scene/repository-scene.js';

describe('a workspace on the free plan', () => {
  let world: TestEnvironment;

  beforeAll(async () => {
    world = await TestEnvironment.start();
    await world.install();
  });
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  it('has gates that open for three repositories, and says of the fourth why its gate stays closed', async () => {
    const scenes: RepositoryScene[] = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      const repo = new RepositoryScene(world, { name });
      await repo.approved('v1.0.0');
      scenes.push(repo);
    }
    const answers = await Promise.all(scenes.map((repo) => repo.gate('v1.0.0')));
    expect(answers.map(({ can_deploy: open }) => open)).toEqual([true, true, true, false]);
    expect(answers.map(codesOf)).toEqual([[], [], [], ['plan_limit']]);

    scenes[0]?.repository.delete();
    await world.settle();
    await world.resync();
    expect(await scenes[3]?.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });
});
