import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { codesOf, RepositoryScenario } from './scenarios/repository-scenario.js';

describe('a workspace on the free plan', () => {
  let env: TestEnvironment;

  beforeAll(async () => {
    env = await TestEnvironment.start();
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('has gates that open for three repositories, and the fourth gate names the plan limit', async () => {
    const scenarios: RepositoryScenario[] = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      const repo = new RepositoryScenario(env, { name });
      await repo.approved('v1.0.0');
      scenarios.push(repo);
    }
    const answers = await Promise.all(scenarios.map((repo) => repo.gate('v1.0.0')));
    expect(answers.map(({ can_deploy: open }) => open)).toEqual([true, true, true, false]);
    expect(answers.map(codesOf)).toEqual([[], [], [], ['plan_limit']]);

    scenarios[0]?.repository.delete();
    await env.waitUntilIdle();
    await env.resync();
    expect(await scenarios[3]?.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });
});
