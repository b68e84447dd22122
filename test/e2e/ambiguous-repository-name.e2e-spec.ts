import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { junit } from '../support/ci-run-client.js';
import { signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { givenPersonalKey, ToolsClient } from './remote-tools/tools-client.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { requestGate, postUpload } from './scenarios/service-requests.js';

const VERSION = 'v1.0.0';

/**
 * The state when the service has read only a part of a rename: two live rows of one workspace have the same name for a
 * moment.
 */
describe('a name that two repositories share', () => {
  let env: TestEnvironment;
  let scenario: RepositoryScenario;

  beforeAll(async () => {
    env = await TestEnvironment.start();
    await env.install();
    scenario = new RepositoryScenario(env, { name: 'payments' });
    scenario.repository.changeVisibility('public');
    await env.waitUntilIdle();
    await scenario.approved(VERSION);
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('selects neither of them at the gate and at the upload, for tokens, keys and users who can read only one of them', async () => {
    const reader = await signIn(env, env.github.createUser({ login: 'rhea' }));
    const tools = await ToolsClient.connect(env, (await givenPersonalKey(reader)).secret, '2025-11-25');
    const bearers = [await scenario.run(scenario.head()).token(), await env.key()];
    const query = { repo: 'payments', version: VERSION };
    for (const bearer of bearers) {
      expect(await requestGate(env, bearer, query)).toMatchObject({ status: 200, body: { can_deploy: true } });
    }
    const explained = await tools.call('explain_gate', query);
    expect(explained.content).toMatchObject({ canDeploy: true });
    // The other one is private, and its readers are unknown.
    await env.asSuperuser(
      `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
       select org_id, gen_random_uuid(), 1, name, true, default_branch, created_at, updated_at from repository`,
    );
    for (const bearer of bearers) {
      expect(await requestGate(env, bearer, query)).toMatchObject({ status: 404 });
      const body = { ...query, pipeline: 'build', files: [{ filename: 'junit.xml', content: junit(1) }] };
      expect(await postUpload(env, { bearer, body })).toMatchObject({ status: 404 });
    }
    const refused = await tools.call('explain_gate', query);
    expect([refused.isError, refused.text]).toEqual([true, expect.stringMatching(/no such repository/)]);
    await tools.close();
  });
});
