import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { givenPersonalKey } from './remote-tools/tools-client.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

interface KeyAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

describe('the routes of members for personal keys', () => {
  let env: TestEnvironment;
  let ada: UserSession;
  let open: RepositoryScenario;
  let hidden: RepositoryScenario;
  /** The ids of the releases in both repositories. */
  let openId: string;
  let hiddenId: string;
  let reading: string;
  let writing: string;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    open = new RepositoryScenario(env, { name: 'payments', private: false });
    hidden = new RepositoryScenario(env, { name: 'vault' });
    for (const repo of [open, hidden]) repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    [openId, hiddenId] = [await releaseIdOf(open), await releaseIdOf(hidden)];
    ada = await signIn(env, env.github.createUser({ login: 'ada' }));
    reading = (await givenPersonalKey(ada, 'read')).secret;
    writing = (await givenPersonalKey(ada, 'write')).secret;
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  async function releaseIdOf({ repository }: RepositoryScenario): Promise<string> {
    const [row] = await env.asSuperuser<{ readonly id: string }>(
      `select r.id from release r join repository p on p.id = r.repository_id where p.github_id = ${repository.id}`,
    );
    return row?.id ?? '';
  }
  async function send(method: string, path: string, headers: Readonly<Record<string, string>>): Promise<KeyAnswer> {
    const response = await fetch(`${env.baseUrl}${path}`, { method, headers });
    return { status: response.status, headers: response.headers, body: (await response.json()) as KeyAnswer['body'] };
  }
  const withKey = (secret: string, path: string, method = 'GET'): Promise<KeyAnswer> =>
    send(method, path, { authorization: `Bearer ${secret}` });
  const versionsIn = (body: KeyAnswer['body'], list: string): readonly unknown[] =>
    (body[list] as readonly { readonly repo: string; readonly version: string }[]).map(
      ({ repo, version }) => `${repo} ${version}`,
    );

  it.each(['read', 'write'])('list and show releases to a key with the scope %s', async (scope) => {
    const secret = scope === 'read' ? reading : writing;
    for (const query of ['', '?pageSize=10&search=payments&outcome=in_progress']) {
      const listed = await withKey(secret, `/api/dashboard${query}`);
      expect([listed.status, listed.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(versionsIn(listed.body, 'releases')).toEqual(['payments v1.0.0']);
    }
    const { body } = await withKey(secret, '/api/milestones/acme/payments?search=v1');
    expect(versionsIn(body, 'milestones')).toEqual(['payments v1.0.0']);
    const details = await withKey(secret, `/api/milestones/${openId}`);
    const release = { milestoneId: openId, version: 'v1.0.0' };
    expect(details).toMatchObject({ status: 200, body: { release } });
    const record = await withKey(secret, `/api/milestones/${openId}/approval-record`);
    expect(record).toMatchObject({ status: 200, body: { release, deployments: [] } });
  });

  it('show nothing of a repository that the owner of the key cannot read', async () => {
    for (const secret of [reading, writing]) {
      const unknown = await withKey(secret, `/api/milestones/${randomUUID()}`);
      expect(unknown.status).toBe(404);
      for (const path of [`/api/milestones/${hiddenId}`, `/api/milestones/${hiddenId}/approval-record`]) {
        expect(await withKey(secret, path)).toMatchObject({ status: 404, body: unknown.body });
      }
      const nowhere = await withKey(secret, '/api/milestones/acme/nowhere');
      expect(nowhere.status).toBe(404);
      expect(await withKey(secret, '/api/milestones/acme/vault')).toMatchObject({ status: 404, body: nowhere.body });
      expect((await withKey(secret, `/api/milestones/${hiddenId}/start`, 'POST')).status).toBe(
        secret === reading ? 403 : 404,
      );
    }
  });

  it('show and start nothing of another workspace', async () => {
    const organization = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(organization);
    const eve = await signIn(env, env.github.createUser({ login: 'eve' }), { role: 'admin', organization });
    const { secret } = await givenPersonalKey(eve, 'write');
    expect((await withKey(secret, '/api/dashboard')).body).toMatchObject({ releases: [], counts: { all: 0 } });
    expect((await withKey(secret, '/api/milestones/acme/payments')).status).toBe(404);
    expect((await withKey(secret, `/api/milestones/${openId}`)).status).toBe(404);
    expect((await withKey(secret, `/api/milestones/${openId}/start`, 'POST')).status).toBe(404);
  });

  it('show nothing to a key if the request names another workspace', async () => {
    const named = (workspace: string) =>
      send('GET', '/api/dashboard', { authorization: `Bearer ${reading}`, 'x-workspace': workspace });
    expect((await named('ACME')).status).toBe(200);
    expect((await named('elsewhere')).status).toBe(409);
  });

  it('start a release for a key with the scope write only, in the name of its owner', async () => {
    const started = () =>
      env.asSuperuser<{ readonly actor: { readonly login: string }; readonly keyId: string | null }>(
        `select actor, data ->> 'keyId' as "keyId" from audit_entry where action = 'release.started' order by sequence`,
      );
    expect(await withKey(reading, `/api/milestones/${openId}/start`, 'POST')).toMatchObject({
      status: 403,
      body: { error: 'The credential lacks the scope write.' },
    });
    expect(await started()).toEqual([]);
    for (const _ of [1, 2]) {
      expect(await withKey(writing, `/api/milestones/${openId}/start`, 'POST')).toMatchObject({
        status: 200,
        body: { milestoneId: openId },
      });
    }
    expect((await started()).map(({ actor, keyId }) => [actor.login, keyId !== null])).toEqual([['ada', true]]);
    await env.waitUntilIdle();
  });

  it('accept no other change by a key, and no key that is revoked', async () => {
    for (const path of [`/api/milestones/${openId}/refresh`, `/api/milestones/${openId}/evidence-pr`, '/api/sync']) {
      expect(await withKey(writing, path, 'POST')).toMatchObject({
        status: 401,
        body: { error: 'This needs a session.' },
      });
    }
    const { id, secret } = await givenPersonalKey(ada, 'write');
    expect((await withKey(secret, '/api/dashboard')).status).toBe(200);
    expect((await ada.send('DELETE', `/api/settings/mcp-keys/${id}`)).status).toBe(204);
    expect(await withKey(secret, '/api/dashboard')).toMatchObject({
      status: 401,
      body: { error: 'The credential is not valid.' },
    });
  });

  it('use only the key if a request also has a session, and only the session without a key', async () => {
    const grace = await signIn(env, env.github.createUser({ login: 'grace' }));
    const path = `/api/milestones/${openId}/start`;
    const both = { cookie: grace.cookie, authorization: `Bearer ${reading}` };
    expect((await send('POST', path, { ...both, origin: env.baseUrl })).status).toBe(403);
    expect((await send('GET', '/api/dashboard', { ...both, authorization: 'Bearer sgp_mistyped' })).status).toBe(401);
    const proxied = { cookie: grace.cookie, authorization: 'Bearer e30.e30.e30' };
    for (const authorization of ['Basic cHJveHk6eA==', proxied.authorization]) {
      expect((await send('GET', '/api/dashboard', { ...proxied, authorization })).status).toBe(200);
      expect((await send('GET', '/api/dashboard', { authorization })).status).toBe(401);
    }
    // The session still needs a page of the service for a change.
    expect((await send('POST', path, proxied)).status).toBe(403);
    expect((await send('POST', path, { ...proxied, origin: env.baseUrl })).status).toBe(200);
  });

  it('request a credential that they accept', async () => {
    const { status, headers, body } = await send('GET', '/api/dashboard', {});
    expect([status, headers.get('www-authenticate'), body]).toEqual([
      401,
      'Bearer realm="shipgate"',
      { error: 'This needs a session, or a personal key as a bearer credential.' },
    ]);
  });
});
