import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';
import { askGate, postUpload } from './scene/service-requests.js';

const VERSION = 'v1.0.0';

let world: TestEnvironment;
let vault: RepositoryScene;
let open: RepositoryScene;

beforeAll(async () => {
  world = await TestEnvironment.start({ BILLING: 'off' });
  vault = new RepositoryScene(world, { name: 'vault', private: true });
  open = new RepositoryScene(world, { name: 'open', private: false });
  for (const scene of [vault, open]) scene.milestone(VERSION);
  await world.install();
  await world.settle();
});
afterAll(() => world.stop());

interface Told {
  readonly code: string;
  readonly actor: string;
  readonly detail?: string;
  readonly url?: string;
}

const bearerOf = {
  'a run of the repository': (of: RepositoryScene) => of.run(of.head()).token(),
  'a run of another repository': (of: RepositoryScene) => {
    const other = of === vault ? open : vault;
    return other.run(other.head()).token();
  },
  'a key that lists it': (of: RepositoryScene) => world.key(['gate:read'], world.organization, [of.repository.name]),
  'a key without a list': () => world.key(['gate:read']),
};

describe('the reasons of a closed gate', () => {
  it.each<[keyof typeof bearerOf, boolean]>([
    ['a run of the repository', true],
    ['a key that lists it', true],
    ['a run of another repository', false],
    ['a key without a list', false],
  ])('of a private repository are told to %s in words: %s', async (who, inWords) => {
    const bearer = await bearerOf[who](vault);
    const { status, body } = await askGate(world, bearer, { repo: 'vault', version: VERSION, explain: 'true' });
    expect([status, body['can_deploy']]).toEqual([200, false]);
    const reasons = body['reasons'] as readonly Told[];
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) {
      expect(reason).toMatchObject({ code: expect.any(String), actor: expect.any(String) });
      expect('detail' in reason).toBe(inWords);
      if (!inWords) expect(Object.keys(reason).toSorted()).toEqual(['actor', 'code']);
    }
  });

  it.each(Object.keys(bearerOf) as (keyof typeof bearerOf)[])(
    'of a public one are told to %s in words',
    async (who) => {
      const bearer = await bearerOf[who](open);
      const { body } = await askGate(world, bearer, { repo: 'open', version: VERSION, explain: 'true' });
      const reasons = body['reasons'] as readonly Told[];
      expect(reasons.length).toBeGreaterThan(0);
      for (const { detail } of reasons) expect(detail).toEqual(expect.any(String));
    },
  );

  it('are without words as soon as the repository turns private', async () => {
    const bearer = await world.key(['gate:read']);
    const told = async () =>
      (await askGate(world, bearer, { repo: 'open', version: VERSION, explain: 'true' })).body[
        'reasons'
      ] as readonly Told[];
    expect((await told()).every((reason) => 'detail' in reason)).toBe(true);
    open.repository.changeVisibility('private');
    await world.settle();
    expect((await told()).some((reason) => 'detail' in reason)).toBe(false);
    open.repository.changeVisibility('public');
    await world.settle();
  });
});

describe('an upload for a repository that the credential may not write to', () => {
  const body = (repo: string, version = VERSION) => ({
    repo,
    version,
    pipeline: 'build',
    metrics: { custom: { n: 1 } },
  });
  /** What of the answer a stranger can compare: all but its id, its date and what is left of the limit. */
  const told = async (bearer: string, repo: string, version?: string) => {
    const { status, body: answer, headers } = await postUpload(world, { bearer, body: body(repo, version) });
    const names = [...headers.keys()].filter((name) => !['date', 'x-request-id'].includes(name)).toSorted();
    return { status, answer, names };
  };

  it.each<[string, () => Promise<string>]>([
    ['a token of another repository', () => open.run(open.head()).token()],
    [
      'a token of another repository, of an event that may not upload',
      () => open.run(open.head(), { event: 'pull_request' }).token(),
    ],
    ['a key that does not list it', () => world.key(['evidence:write'], world.organization, ['open'])],
  ])('is answered like one for a repository that is not there: %s', async (_, make) => {
    const bearer = await make();
    const nowhere = await told(bearer, 'nowhere');
    expect(nowhere.status).toBe(404);
    expect(await told(bearer, 'vault')).toEqual(nowhere);
    expect(await told(bearer, 'acme/vault')).toEqual(await told(bearer, 'acme/nowhere'));
    expect(await told(bearer, 'vault', 'v9.9.9')).toEqual(await told(bearer, 'nowhere', 'v9.9.9'));
  });

  it('has neither the database nor GitHub asked for more', async () => {
    const bearer = await world.key(['evidence:write'], world.organization, ['open']);
    const before = world.exchanges.length;
    await told(bearer, 'vault', 'v8.8.8');
    expect(world.exchanges.slice(before)).toEqual([]);
  });

  it('is one for rules that are not there, where a run asks about them', async () => {
    const ask = async (repo: string) => {
      const headers = { authorization: `Bearer ${await open.run(open.head()).token()}` };
      const response = await fetch(`${world.baseUrl}/api/policy/check?repo=${repo}`, { headers });
      return [response.status, await response.json()];
    };
    expect(await ask('vault')).toEqual(await ask('nowhere'));
    expect((await ask('vault'))[0]).toBe(404);
  });
});
