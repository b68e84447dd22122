import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Repository } from '../github-sim/state/repository.js';
import type { User } from '../github-sim/state/user.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { bootstrapPulls, SetupScenario } from './scenarios/setup-scenario.js';

const MINUTE_MS = 60_000;
const WRITES_FILES = /^POST .*\/git\/(blobs|trees|commits|refs)/;

describe('a bootstrap in the minimal tier', () => {
  let env: TestEnvironment;
  let scenario: SetupScenario;
  /** A user with the permissions that the app lacks. */
  let maintainer: User;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    const { workflows: _, administration: __, ...permissions } = env.githubApp.permissions;
    env.github.installApp(env.githubApp, env.organization, { repositories: 'all', permissions });
    await env.waitUntilIdle();
    scenario = await SetupScenario.in(env);
    maintainer = env.github.createUser({ login: 'maintainer' });
    env.organization.addMember(maintainer, 'admin');
    env.secretLeaks.add('token of the maintainer', maintainer.token);
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  const given = async (name: string): Promise<Repository> => {
    const repository = scenario.repository(name);
    await env.waitUntilIdle();
    return repository;
  };
  /** The kinds of tokens that wrote the files of the repository, by the beginning of the token. */
  const writers = ({ name }: Repository): ReadonlySet<string> =>
    new Set(
      env.exchanges
        .filter(({ method, path }) => WRITES_FILES.test(`${method} ${path}`) && path.includes(`/${name}/`))
        .map(({ requestHeaders }) => (requestHeaders['authorization'] ?? '').slice(0, 'Bearer ghx'.length)),
    );
  const read = async (repository: Repository): Promise<object> =>
    (await scenario.admin.get(`/api/repos/${await scenario.idOf(repository)}`)).body;
  const refused = async (repository: Repository, pat?: string): Promise<string> => {
    const { status, body } = await scenario.bootstrap(repository, pat === undefined ? {} : { pat });
    expect(status).toBe(422);
    return String(body['error']);
  };

  it('uses the token of an authorized user from the request to an open gate, and stores nothing of it', async () => {
    const team = new RepositoryScenario(env, { name: 'walked', sdlc: null });
    const { repository } = team;
    repository.private = false;
    await env.waitUntilIdle();
    const { status, body } = await scenario.bootstrap(repository, { pat: maintainer.token });
    expect([status, body['status']]).toEqual([201, 'PR_OPEN']);
    const pull = scenario.openPull(repository);
    expect(pull.issue.author.login).toBe('shipgate[bot]');
    expect([...writers(repository)]).toEqual(['Bearer ghp']);
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'pr_open', tokens: 1 });

    repository.pulls.merge(pull);
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'complete', tokens: 0 });
    expect(repository.rulesets.list().length).toBeGreaterThan(0);
    await team.approved('v1.0.0');
    expect(await team.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('requires a token and says so', async () => {
    const repository = await given('without-token');
    expect(await read(repository)).toMatchObject({
      setup: { prNumber: null, prUrl: null, tokenNeeded: true },
      protection: { tokenNeeded: true },
    });
    expect(await refused(repository)).toMatch(/^PAT_REQUIRED: /);
    expect(await scenario.row(repository)).toBeNull();
  });

  it('shows its pull request, and that a stored token is enough to protect the branches', async () => {
    const repository = await given('shown');
    const { body } = await scenario.bootstrap(repository, { pat: maintainer.token });
    const { prNumber, prUrl } = body;
    expect(await read(repository)).toMatchObject({
      setupState: 'PR_OPEN',
      setup: { prNumber, prUrl, tokenNeeded: true },
      protection: { tokenNeeded: false },
    });
    env.clock.advance(61 * MINUTE_MS);
    expect(await read(repository)).toMatchObject({
      setup: { prNumber, tokenNeeded: true },
      protection: { tokenNeeded: true },
    });
    repository.pulls.close(scenario.openPull(repository));
    await env.waitUntilIdle();
    expect(await read(repository)).toMatchObject({ setupState: 'NOT_STARTED', setup: { prNumber: null } });
  });

  it('rejects an insufficient token with a message, before anything is stored', async () => {
    const repository = await given('bad-token');
    const reader = env.github.createUser({ login: 'reader' });
    const outsider = env.github.createUser({ login: 'passer-by' });
    repository.setCollaborator(reader, 'read');
    expect(await refused(repository, `ghp_${'0'.repeat(36)}`)).toContain('unknown, expired or revoked');
    expect(await refused(repository, reader.token)).toContain('cannot write');
    expect(await refused(repository, outsider.token)).toContain('cannot write');
    const hidden = await given('hidden');
    hidden.private = true;
    expect(await refused(hidden, outsider.token)).toContain('cannot access the repository');
    for (const pat of ['', 'with space in it', 'x'.repeat(256)]) {
      expect((await scenario.bootstrap(repository, { pat })).status).toBe(400);
    }
    expect(await scenario.row(repository)).toBeNull();
  });

  it('rejects a token without the right to write workflows, and leaves no change', async () => {
    const repository = await given('narrow-token');
    const narrow = env.github.state.tokens.issuePersonal(maintainer, []);
    expect(await refused(repository, narrow)).toMatch(/^PAT_REQUIRED: /);
    expect(await scenario.row(repository)).toMatchObject({ step: 'closed', managed: false, tokens: 0 });
    expect((await scenario.bootstrap(repository, { pat: maintainer.token })).status).toBe(201);
    await env.waitUntilIdle();
    expect(bootstrapPulls(repository)).toHaveLength(1);
  });

  it('deletes the token when its pull request is closed', async () => {
    const repository = await given('closed-again');
    await scenario.bootstrap(repository, { pat: maintainer.token });
    await env.waitUntilIdle();
    repository.pulls.close(scenario.openPull(repository));
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'closed', tokens: 0 });
  });

  it('continues with the stored token when its request was interrupted', async () => {
    const repository = await given('died-with-token');
    env.github.faults.next({ kind: '5xx', match: /^POST .*\/git\/trees/, times: 30 });
    expect((await scenario.bootstrap(repository, { pat: maintainer.token })).status).toBe(503);
    expect(await scenario.row(repository)).toMatchObject({ step: 'opening', tokens: 1 });
    env.github.faults.clear();
    env.clock.advance(5 * MINUTE_MS);
    await env.hurry();
    expect(await scenario.row(repository)).toMatchObject({ step: 'pr_open', tokens: 1 });
    expect(bootstrapPulls(repository)).toHaveLength(1);
  });

  it('is given up if its pull request was not opened before its token expired', async () => {
    const repository = await given('died-for-long');
    env.github.faults.next({ kind: '5xx', match: /^POST .*\/git\/trees/, times: 30 });
    await scenario.bootstrap(repository, { pat: maintainer.token });
    env.github.faults.clear();
    env.clock.advance(61 * MINUTE_MS);
    await env.hurry();
    expect(await scenario.row(repository)).toMatchObject({
      step: 'closed',
      managed: false,
      tokens: 0,
      detail: expect.stringContaining('PAT_REQUIRED'),
    });
  });

  it('waits for another token if it is merged after its token expired', async () => {
    const repository = await given('merged-late');
    await scenario.bootstrap(repository, { pat: maintainer.token });
    await env.waitUntilIdle();
    env.clock.advance(61 * MINUTE_MS);
    repository.pulls.merge(scenario.openPull(repository));
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'protection_pending', tokens: 0 });
    const path = `/api/repos/${await scenario.idOf(repository)}/configure-rulesets`;
    expect((await scenario.admin.send('POST', path, { pat: maintainer.token })).status).toBe(202);
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'complete', tokens: 0 });
  });
});

describe('a token that is sent with a bootstrap in the full tier', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await TestEnvironment.start();
    await env.install();
  });
  afterAll(() => env.stop());

  it('is neither used nor stored', async () => {
    const scenario = await SetupScenario.in(env);
    const repository = scenario.repository('needs-none');
    await env.waitUntilIdle();
    const { token } = scenario.admin.user;
    expect((await scenario.bootstrap(repository, { pat: token })).status).toBe(201);
    expect(await scenario.row(repository)).toMatchObject({ tokens: 0 });
    expect(env.exchanges.some(({ requestHeaders }) => requestHeaders['authorization']?.includes(token))).toBe(false);
    await env.waitUntilIdle();
    expect(env.violations).toEqual([]);
  });

  it('is requested when the app has lost its permission', async () => {
    const scenario = await SetupScenario.in(env, 'second-admin');
    const repository = scenario.repository('lost-right');
    await env.waitUntilIdle();
    await env.asSuperuser(`update organization set granted_permissions = null`);
    const installation = env.github.state.installations.find(env.githubApp, env.organization);
    const { workflows: _, ...permissions } = env.githubApp.permissions;
    Object.assign(installation ?? {}, { permissions });
    env.clock.advance(61 * MINUTE_MS);
    const { status, body } = await scenario.bootstrap(repository);
    expect([status, body['error']]).toEqual([422, expect.stringMatching(/^PAT_REQUIRED: /)]);
    expect(await scenario.row(repository)).toMatchObject({ step: 'closed', managed: false });
  });
});
