import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { requestGate, postUpload } from './scenarios/service-requests.js';

const VERSION = 'v1.0.0';

let env: TestEnvironment;
let vault: RepositoryScenario;
let open: RepositoryScenario;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  vault = new RepositoryScenario(env, { name: 'vault', private: true });
  open = new RepositoryScenario(env, { name: 'open', private: false });
  for (const scenario of [vault, open]) scenario.milestone(VERSION);
  await env.install();
  await env.waitUntilIdle();
});
afterAll(() => env.stop());

interface Reason {
  readonly code: string;
  readonly actor: string;
  readonly detail?: string;
  readonly url?: string;
}

const bearerOf = {
  'a run of the repository': (of: RepositoryScenario) => of.run(of.head()).token(),
  'a run of another repository': (of: RepositoryScenario) => {
    const other = of === vault ? open : vault;
    return other.run(other.head()).token();
  },
  'a key that lists it': (of: RepositoryScenario) => env.key(['gate:read'], env.organization, [of.repository.name]),
  'a key without a list': () => env.key(['gate:read']),
};

describe('the reasons of a closed gate', () => {
  it.each<[keyof typeof bearerOf, boolean]>([
    ['a run of the repository', true],
    ['a key that lists it', true],
    ['a run of another repository', false],
    ['a key without a list', false],
  ])('of a private repository are returned to %s with details: %s', async (who, hasDetail) => {
    const bearer = await bearerOf[who](vault);
    const { status, body } = await requestGate(env, bearer, { repo: 'vault', version: VERSION, explain: 'true' });
    expect([status, body['can_deploy']]).toEqual([200, false]);
    const reasons = body['reasons'] as readonly Reason[];
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) {
      expect(reason).toMatchObject({ code: expect.any(String), actor: expect.any(String) });
      expect('detail' in reason).toBe(hasDetail);
      if (!hasDetail) expect(Object.keys(reason).toSorted()).toEqual(['actor', 'code']);
    }
  });

  it.each(Object.keys(bearerOf) as (keyof typeof bearerOf)[])(
    'of a public repository are returned to %s with details',
    async (who) => {
      const bearer = await bearerOf[who](open);
      const { body } = await requestGate(env, bearer, { repo: 'open', version: VERSION, explain: 'true' });
      const reasons = body['reasons'] as readonly Reason[];
      expect(reasons.length).toBeGreaterThan(0);
      for (const { detail } of reasons) expect(detail).toEqual(expect.any(String));
    },
  );

  it('have no details as soon as the repository becomes private', async () => {
    const bearer = await env.key(['gate:read']);
    const received = async () =>
      (await requestGate(env, bearer, { repo: 'open', version: VERSION, explain: 'true' })).body[
        'reasons'
      ] as readonly Reason[];
    expect((await received()).every((reason) => 'detail' in reason)).toBe(true);
    open.repository.changeVisibility('private');
    await env.waitUntilIdle();
    expect((await received()).some((reason) => 'detail' in reason)).toBe(false);
    open.repository.changeVisibility('public');
    await env.waitUntilIdle();
  });
});

describe('an upload to a repository without write permission of the credential', () => {
  const body = (repo: string, version = VERSION) => ({
    repo,
    version,
    pipeline: 'build',
    metrics: { custom: { n: 1 } },
  });
  /** What a caller without access can compare: everything except the id, the date and the rest of the limit. */
  const received = async (bearer: string, repo: string, version?: string) => {
    const { status, body: answer, headers } = await postUpload(env, { bearer, body: body(repo, version) });
    const names = [...headers.keys()].filter((name) => !['date', 'x-request-id'].includes(name)).toSorted();
    return { status, answer, names };
  };

  it.each<[string, () => Promise<string>]>([
    ['a token of another repository', () => open.run(open.head()).token()],
    [
      'a token of another repository, of an event that may not upload',
      () => open.run(open.head(), { event: 'pull_request' }).token(),
    ],
    ['a key that does not list it', () => env.key(['evidence:write'], env.organization, ['open'])],
  ])('gets the same response as one to an unknown repository: %s', async (_, make) => {
    const bearer = await make();
    const nowhere = await received(bearer, 'nowhere');
    expect(nowhere.status).toBe(404);
    expect(await received(bearer, 'vault')).toEqual(nowhere);
    expect(await received(bearer, 'acme/vault')).toEqual(await received(bearer, 'acme/nowhere'));
    expect(await received(bearer, 'vault', 'v9.9.9')).toEqual(await received(bearer, 'nowhere', 'v9.9.9'));
  });

  it('causes no further read from the database or from GitHub', async () => {
    const bearer = await env.key(['evidence:write'], env.organization, ['open']);
    const before = env.exchanges.length;
    await received(bearer, 'vault', 'v8.8.8');
    expect(env.exchanges.slice(before)).toEqual([]);
  });

  it('gets the response for a missing policy when a run requests the policy check', async () => {
    const request = async (repo: string) => {
      const headers = { authorization: `Bearer ${await open.run(open.head()).token()}` };
      const response = await fetch(`${env.baseUrl}/api/policy/check?repo=${repo}`, { headers });
      return [response.status, await response.json()];
    };
    expect(await request('vault')).toEqual(await request('nowhere'));
    expect((await request('vault'))[0]).toBe(404);
  });
});
