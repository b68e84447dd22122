import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { signIn, type UserSession } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { PLAIN_POLICY, RepositoryScene } from './scene/repository-scene.js';

let world: TestEnvironment;
let member: UserSession;

beforeAll(async () => {
  world = await TestEnvironment.start();
  const scene = (name: string, sdlc = PLAIN_POLICY): RepositoryScene => new RepositoryScene(world, { name, sdlc });
  const open = ['a', 'b', 'c', 'd'].map((name) => scene(name));
  for (const { repository } of [...open, scene('wrong', 'version: v1\nstage: {}\n')]) {
    repository.changeVisibility('public');
  }
  const hushed = scene('hushed', 'version: v2\n');
  expect(hushed.repository.private).toBe(true);
  await world.install();
  const user = world.github.createUser({ login: 'bob' });
  world.organization.addMember(user, 'member');
  member = await signIn(world, user);
});
afterAll(() => world.stop());

const warnings = async (of = member): Promise<readonly Record<string, unknown>[]> => {
  const { status, body } = await of.get('/api/config/repo-warnings');
  expect([status, Object.keys(body)]).toEqual([200, ['warnings']]);
  return body['warnings'] as readonly Record<string, unknown>[];
};

it('tells a member what is wrong with the repositories that they may read, and of no other', async () => {
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

it('tells it in their own workspace alone', async () => {
  const globex = world.github.createOrganization({ login: 'globex' });
  await world.install(globex);
  const user = world.github.createUser({ login: 'zoe' });
  globex.addMember(user, 'member');
  expect(await warnings(await signIn(world, user, { organization: globex }))).toEqual([]);
});

it('says of each repository that the installation is suspended, once it is', async () => {
  const installation = world.github.world.installations.find(world.githubApp, world.organization);
  installation?.suspend();
  await world.settle();
  const seen = await warnings();
  expect(seen.map(({ repo, code }) => [repo, code])).toEqual(
    ['a', 'b', 'c', 'd', 'wrong'].map((name) => [name, 'installation_suspended']),
  );
  installation?.unsuspend();
  await world.settle();
  expect((await warnings()).map(({ code }) => code)).toEqual(['plan_limit', 'policy_invalid']);
});

it('says of managed repositories that the app may not read Actions, until an owner accepts it', async () => {
  const organization = world.github.createOrganization({ login: 'initech' });
  const { repository } = new RepositoryScene(world, { name: 'reports', organization });
  repository.changeVisibility('public');
  world.github.createRepository(organization, { name: 'unmanaged', private: false });
  const { actions: _, ...permissions } = world.githubApp.permissions;
  const installation = world.github.installApp(world.githubApp, organization, { repositories: 'all', permissions });
  await world.settle();
  const user = world.github.createUser({ login: 'ian' });
  organization.addMember(user, 'member');
  const ian = await signIn(world, user, { organization });
  const expected = {
    repoId: expect.any(String),
    repo: 'reports',
    code: 'actions_not_readable',
    detail: expect.stringMatching(/^The app may not read Actions\. Ask an owner to accept/),
    since: null,
  };
  expect(await warnings(ian)).toEqual([expected]);
  installation.accept(world.githubApp.permissions);
  await world.settle();
  expect(await warnings(ian)).toEqual([]);
});
