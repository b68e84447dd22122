import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

let env: TestEnvironment;
let member: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start();
  const scenario = (name: string, sdlc = PLAIN_POLICY): RepositoryScenario =>
    new RepositoryScenario(env, { name, sdlc });
  const open = ['a', 'b', 'c', 'd'].map((name) => scenario(name));
  for (const { repository } of [...open, scenario('wrong', 'version: v1\nstage: {}\n')]) {
    repository.changeVisibility('public');
  }
  const privateRepo = scenario('hushed', 'version: v2\n');
  expect(privateRepo.repository.private).toBe(true);
  await env.install();
  const user = env.github.createUser({ login: 'bob' });
  env.organization.addMember(user, 'member');
  member = await signIn(env, user);
});
afterAll(() => env.stop());

const warnings = async (of = member): Promise<readonly Record<string, unknown>[]> => {
  const { status, body } = await of.get('/api/config/repo-warnings');
  expect([status, Object.keys(body)]).toEqual([200, ['warnings']]);
  return body['warnings'] as readonly Record<string, unknown>[];
};

it('returns to a member the warnings of repositories that they can read, and of no other', async () => {
  const seen = await warnings();
  expect(seen.map(({ code }) => code)).toEqual(['plan_limit', 'policy_invalid']);
  expect(seen.find(({ code }) => code === 'policy_invalid')).toEqual({
    repoId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    repo: 'wrong',
    code: 'policy_invalid',
    detail: expect.stringMatching(/^sdlc\.yaml, line 2: stage: .*stages/),
    since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  expect(JSON.stringify(seen)).not.toContain('hushed');
});

it('returns only the warnings of their own workspace', async () => {
  const globex = env.github.createOrganization({ login: 'globex' });
  await env.install(globex);
  const user = env.github.createUser({ login: 'zoe' });
  globex.addMember(user, 'member');
  expect(await warnings(await signIn(env, user, { organization: globex }))).toEqual([]);
});

it('returns for each repository that the installation is suspended', async () => {
  const installation = env.github.state.installations.find(env.githubApp, env.organization);
  installation?.suspend();
  await env.waitUntilIdle();
  const seen = await warnings();
  expect(seen.map(({ repo, code }) => [repo, code])).toEqual(
    ['a', 'b', 'c', 'd', 'wrong'].map((name) => [name, 'installation_suspended']),
  );
  installation?.unsuspend();
  await env.waitUntilIdle();
  expect((await warnings()).map(({ code }) => code)).toEqual(['plan_limit', 'policy_invalid']);
});

it('returns for managed repositories that the app cannot read Actions, until an owner accepts the permission', async () => {
  const organization = env.github.createOrganization({ login: 'initech' });
  const { repository } = new RepositoryScenario(env, { name: 'reports', organization });
  repository.changeVisibility('public');
  env.github.createRepository(organization, { name: 'unmanaged', private: false });
  const { actions: _, ...permissions } = env.githubApp.permissions;
  const installation = env.github.installApp(env.githubApp, organization, { repositories: 'all', permissions });
  await env.waitUntilIdle();
  const user = env.github.createUser({ login: 'ian' });
  organization.addMember(user, 'member');
  const ian = await signIn(env, user, { organization });
  const expected = {
    repoId: expect.any(String),
    repo: 'reports',
    code: 'actions_not_readable',
    detail: expect.stringMatching(/^The app may not read Actions\. Ask an owner to accept/),
    since: null,
  };
  expect(await warnings(ian)).toEqual([expected]);
  installation.accept(env.githubApp.permissions);
  await env.waitUntilIdle();
  expect(await warnings(ian)).toEqual([]);
});
