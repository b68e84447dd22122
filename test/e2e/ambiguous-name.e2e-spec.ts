import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { junit } from '../support/ci-run.js';
import { World } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';
import { askGate, postUpload } from './scene/service-requests.js';

const VERSION = 'v1.0.0';

/** A rename that the service has read half of: two live rows of one workspace bear the same name for a moment. */
describe('a name that two repositories bear', () => {
  let world: World;
  let scene: RepositoryScene;

  beforeAll(async () => {
    world = await World.start();
    await world.install();
    scene = new RepositoryScene(world, { name: 'payments' });
    await world.settle();
    await scene.approved(VERSION);
  });
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  it('names neither, at the gate and at the upload, by token and by key', async () => {
    const bearers = [await scene.run(scene.head()).token(), await world.key()];
    const question = { repo: 'payments', version: VERSION };
    for (const bearer of bearers) {
      expect(await askGate(world, bearer, question)).toMatchObject({ status: 200, body: { can_deploy: true } });
    }
    await world.asSuperuser(
      `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
       select org_id, gen_random_uuid(), 1, name, private, default_branch, created_at, updated_at from repository`,
    );
    for (const bearer of bearers) {
      expect(await askGate(world, bearer, question)).toMatchObject({ status: 404 });
      const body = { ...question, pipeline: 'build', files: [{ filename: 'junit.xml', content: junit(1) }] };
      expect(await postUpload(world, { bearer, body })).toMatchObject({ status: 404 });
    }
  });
});
