import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { signInAndJoin } from './scenarios/members.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { SetupScenario, textAt } from './scenarios/setup-scenario.js';

describe('a repository, from no policy to an open gate', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await TestEnvironment.start();
    await env.install();
  });
  afterAll(() => env.stop());

  it('is set up by one request, one merge and one release', async () => {
    const scenario = await SetupScenario.in(env);
    const team = new RepositoryScenario(env, { name: 'payments', sdlc: null });
    const { repository } = team;
    await env.waitUntilIdle();
    const browser = await signInAndJoin(env, scenario.admin.user, env.organization);
    const answer = await browser.post(`/api/repos/${await scenario.idOf(repository)}/bootstrap`);
    expect(answer).toMatchObject({ status: 201, body: { status: 'PR_OPEN' } });

    const pull = scenario.openPull(repository);
    expect(answer.body).toEqual({ status: 'PR_OPEN', prNumber: pull.number, prUrl: expect.stringContaining('/pull/') });
    expect(pull.issue.author.login).toBe('shipgate[bot]');
    expect(pull.comparison()?.files.map(({ path }) => path)).toEqual([
      '.github/SHIPGATE.md',
      '.github/workflows/shipgate-ci.yml',
      '.github/workflows/shipgate-enforce.yml',
      'sdlc.yaml',
    ]);
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'pr_open', managed: true, tokens: 0 });

    repository.pulls.merge(pull, { by: scenario.admin.user });
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'complete', managed: true });
    expect(textAt(repository, 'main', 'sdlc.yaml')).toContain('name: "payments"');
    expect(await scenario.audit(repository)).toEqual(
      expect.arrayContaining(['bootstrap.begun', 'bootstrap.merged', 'protection.changed']),
    );

    await team.approved('v1.0.0');
    expect(await team.gate('v1.0.0')).toMatchObject({ can_deploy: true, reasons: [] });
    expect(env.violations).toEqual([]);
  });
});
