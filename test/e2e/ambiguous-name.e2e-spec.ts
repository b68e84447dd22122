import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { junit } from '../support/ci-run.js';
import { signIn } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { givenPersonalKey, ToolsClient } from './remote-tools/tools-client.js';
import { RepositoryScene } from './scene/repository-scene.js';
import { askGate, postUpload } from './scene/service-requests.js';

const VERSION = 'v1.0.0';

/** A rename that the service has read half of: two live rows of one workspace bear the same name for a moment. */
describe('a name that two repositories bear', () => {
  let world: TestEnvironment;
  let scene: RepositoryScene;

  beforeAll(async () => {
    world = await TestEnvironment.start();
    await world.install();
    scene = new RepositoryScene(world, { name: 'payments' });
    scene.repository.changeVisibility('public');
    await world.settle();
    await scene.approved(VERSION);
  });
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  it('names neither, at the gate and at the upload, by token and by key, and to people who read but one of them', async () => {
    const reader = await signIn(world, world.github.createUser({ login: 'rhea' }));
    const tools = await ToolsClient.connect(world, (await givenPersonalKey(reader)).secret, '2025-11-25');
    const bearers = [await scene.run(scene.head()).token(), await world.key()];
    const question = { repo: 'payments', version: VERSION };
    for (const bearer of bearers) {
      expect(await askGate(world, bearer, question)).toMatchObject({ status: 200, body: { can_deploy: true } });
    }
    const explained = await tools.call('explain_gate', question);
    expect(explained.content).toMatchObject({ can_deploy: true });
    // The other one is private, and its readers are not known.
    await world.asSuperuser(
      `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
       select org_id, gen_random_uuid(), 1, name, true, default_branch, created_at, updated_at from repository`,
    );
    for (const bearer of bearers) {
      expect(await askGate(world, bearer, question)).toMatchObject({ status: 404 });
      const body = { ...question, pipeline: 'build', files: [{ filename: 'junit.xml', content: junit(1) }] };
      expect(await postUpload(world, { bearer, body })).toMatchObject({ status: 404 });
    }
    const refused = await tools.call('explain_gate', question);
    expect([refused.isError, refused.text]).toEqual([true, expect.stringMatching(/no such repository/)]);
    await tools.close();
  });
});
