import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import type { Answer } from './scenarios/service-requests.js';

const NAMES = { because: expect.stringContaining('names the version') };

describe('the release of a CI run', () => {
  let env: TestEnvironment;
  let other: RepositoryScenario;
  const scenario = (name: string, sdlc?: string): RepositoryScenario =>
    new RepositoryScenario(env, { name, ...(sdlc !== undefined && { sdlc }) });

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    other = scenario('other');
    await env.waitUntilIdle();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  async function request(bearer: string, query: Readonly<Record<string, string>>): Promise<Answer> {
    const url = `${env.baseUrl}/api/milestones/resolve?${new URLSearchParams(query).toString()}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${bearer}` } });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
  }
  /** The response to a run of the repository. */
  const resolve = async (repo: RepositoryScenario, ref: string, sha = repo.head()): Promise<Answer['body']> => {
    const { status, body } = await request(await repo.run(sha).token(), { repo: repo.repository.fullName, ref, sha });
    if (status !== 200) throw new Error(`a run is answered with ${status}: ${JSON.stringify(body)}`);
    return body;
  };

  it('is the version in a tag or a release branch, also if it is shipped or cancelled', async () => {
    const repo = scenario('named');
    await repo.deploy(await repo.approved('v1.0.0'));
    const cancelled = repo.milestone('v1.1.0');
    repo.milestone('v1.2.0');
    await env.waitUntilIdle();
    repo.repository.milestones.close(cancelled);
    await env.waitUntilIdle();
    for (const ref of ['v1.0.0', 'refs/tags/v1.0.0']) {
      expect(await resolve(repo, ref)).toEqual({ version: 'v1.0.0', ...NAMES });
    }
    expect(await resolve(repo, 'release/v1.1.0')).toEqual({ version: 'v1.1.0', ...NAMES });
    expect(await resolve(repo, 'refs/heads/hotfix/v1.2.0')).toEqual({ version: 'v1.2.0', ...NAMES });
    // The shipped and the cancelled one are not built any more.
    expect(await resolve(repo, 'main')).toMatchObject({ version: 'v1.2.0' });
  });

  it('is the one of the development branch that has no release branch', async () => {
    const repo = scenario('trunk');
    repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    expect(await resolve(repo, 'refs/heads/main')).toMatchObject({ version: 'v1.0.0' });

    repo.milestone('v1.1.0');
    await env.waitUntilIdle();
    expect(await resolve(repo, 'main')).toEqual({
      version: null,
      because: expect.stringContaining('Name the version.'),
      candidates: ['v1.1.0', 'v1.0.0'],
    });

    repo.repository.commit({ branch: 'release/v1.0.0', files: { 'src/a.ts': 'cut' } });
    await env.waitUntilIdle();
    expect(await resolve(repo, 'main')).toMatchObject({ version: 'v1.1.0' });
    expect(await resolve(repo, 'release/v1.0.0')).toMatchObject({ version: 'v1.0.0' });
    expect(await resolve(repo, 'feature/pay')).toEqual({
      version: null,
      because: expect.stringContaining('"feature/pay" is neither'),
      candidates: [],
    });
  });

  it('is the one of several whose candidate is the commit', async () => {
    const repo = scenario('several');
    const sha = await repo.evidencing('v1.0.0');
    repo.milestone('v1.1.0');
    await env.waitUntilIdle();
    expect(await resolve(repo, 'main', sha)).toMatchObject({ version: 'v1.0.0' });
    expect(await resolve(repo, 'main', repo.commit())).toMatchObject({
      version: null,
      candidates: ['v1.1.0', 'v1.0.0'],
    });
  });

  it('follows the naming, the patterns and the development branch of the policy', async () => {
    const repo = scenario(
      'ruled',
      'version: v1\nrelease_naming: { format: semver }\nstages:\n  development: { branch: develop }\n  testing: { branch_pattern: "ship/*" }\n',
    );
    repo.repository.commit({ branch: 'develop', files: { 'src/a.ts': 'first' } });
    await env.waitUntilIdle();
    repo.milestone('2.0.0');
    await env.waitUntilIdle();
    expect(await resolve(repo, 'develop')).toMatchObject({ version: '2.0.0' });
    expect(await resolve(repo, 'ship/2.0.0')).toMatchObject({ version: '2.0.0' });
    for (const ref of ['main', 'v2.0.0', 'release/2.0.0']) {
      expect(await resolve(repo, ref)).toMatchObject({ version: null, candidates: [] });
    }
  });

  it('is unknown if the policy is not valid and the reference names no version', async () => {
    const repo = scenario('invalid', 'version: v1\nnmae: payments\n');
    repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    expect(await resolve(repo, 'v1.0.0')).toMatchObject({ version: 'v1.0.0' });
    const bearer = await repo.run(repo.head()).token();
    expect(await request(bearer, { repo: repo.repository.fullName, ref: 'feature/pay' })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('The sdlc.yaml of the repository is missing or not valid') },
    });
  });

  it('is looked up at GitHub once if it is not stored', async () => {
    const repo = scenario('new');
    await env.waitUntilIdle();
    const countReads = (): number =>
      env.exchanges.filter(({ method, path }) => method === 'GET' && path === '/repos/acme/new/milestones').length;
    const before = countReads();
    for (const _ of [1, 2]) {
      expect(await resolve(repo, 'v9.9.9')).toEqual({
        version: null,
        because: '"v9.9.9" names the version v9.9.9, but the repository has no release of it.',
        candidates: [],
      });
    }
    expect(countReads()).toBe(before + 1);
    env.outbox.faults.next({ kind: 'lose', event: 'milestone' });
    repo.milestone('v1.0.0');
    expect(await resolve(repo, 'v1.0.0')).toMatchObject({ version: 'v1.0.0' });
    expect(countReads()).toBe(before + 2);
  });

  it('is returned only for the repository of a run and the repositories of a key', async () => {
    const repo = scenario('own');
    repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(elsewhere);
    const query = { repo: 'acme/own', ref: 'v1.0.0' };
    const statusFor = async (bearer: string): Promise<number> => (await request(bearer, query)).status;
    expect(await statusFor(await repo.run(repo.head()).token())).toBe(200);
    // A run of an event that cannot upload can still find its release.
    expect(await statusFor(await repo.run(repo.head(), { event: 'pull_request' }).token())).toBe(200);
    expect(await statusFor(await env.key(['gate:read']))).toBe(200);
    expect(await statusFor(await env.key(['gate:read'], env.organization, ['own']))).toBe(200);
    expect(await statusFor(await env.key(['evidence:write']))).toBe(403);

    const unknown = await request(await env.key(['gate:read']), { ...query, repo: 'acme/nowhere' });
    expect(unknown).toMatchObject({ status: 404, body: { error: 'There is no such repository.' } });
    for (const bearer of [
      await other.run(other.head()).token(),
      await env.key(['gate:read'], env.organization, ['other']),
      await env.key(['gate:read'], elsewhere),
    ]) {
      expect(await request(bearer, query)).toMatchObject({ status: 404, body: unknown.body });
    }
  });

  it.each([
    [{ ref: 'main' }, 'repo'],
    [{ repo: 'own' }, 'ref'],
    [{ repo: 'own', ref: '' }, 'ref'],
    [{ repo: 'own', ref: 'a'.repeat(256) }, 'ref'],
    [{ repo: 'own', ref: 'a\nb' }, 'ref'],
    [{ repo: 'a/b/c', ref: 'main' }, 'repo'],
    [{ repo: 'own', ref: 'main', sha: 'HEAD' }, 'sha'],
    [{ repo: 'own', ref: 'main', version: 'v1.0.0' }, 'version'],
  ])('is not searched for with %j', async (query, field) => {
    const bearer = await env.key(['gate:read']);
    expect(await request(bearer, query as unknown as Record<string, string>)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(field) },
    });
  });
});
