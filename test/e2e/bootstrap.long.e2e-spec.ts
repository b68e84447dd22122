import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { parsePolicyDocument } from '../../src/policy-document/policy-document.js';
import { signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PLAIN_POLICY } from './scenarios/repository-scenario.js';
import { bootstrapPulls, SetupScenario, textAt } from './scenarios/setup-scenario.js';

const CI = '.github/workflows/shipgate-ci.yml';
const ENFORCE = '.github/workflows/shipgate-enforce.yml';
const GUIDE = '.github/SHIPGATE.md';
const BRANCH = 'shipgate/bootstrap';

describe('a bootstrap', () => {
  let env: TestEnvironment;
  let scenario: SetupScenario;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = await SetupScenario.in(env);
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('proposes a valid policy and says what its merge does', async () => {
    const repository = scenario.repository('plain');
    await env.waitUntilIdle();
    expect((await scenario.bootstrap(repository)).status).toBe(201);
    const { issue } = scenario.openPull(repository);
    expect(issue.title).toBe('Set up Shipgate');
    expect(issue.body).toContain('rulesets');
    const policy = parsePolicyDocument(textAt(repository, BRANCH, 'sdlc.yaml') ?? '', 'main', null);
    expect(policy).toMatchObject({ status: 'valid', policy: { name: 'plain' } });
    await env.waitUntilIdle();
  });

  it('accepts an empty body, no body, and null for a token', async () => {
    for (const [name, body] of [
      ['none', undefined],
      ['empty', {}],
      ['null', { pat: null }],
    ] as const) {
      const repository = scenario.repository(`body-${name}`);
      await env.waitUntilIdle();
      const path = `/api/repos/${await scenario.idOf(repository)}/bootstrap`;
      expect([name, (await scenario.admin.send('POST', path, body)).status]).toEqual([name, 201]);
    }
    await env.waitUntilIdle();
  });

  it('changes none of the files that the repository has, except the enforcement file', async () => {
    const files = { 'sdlc.yaml': PLAIN_POLICY, [CI]: 'on: push', [ENFORCE]: 'on: never', [GUIDE]: 'Ours.' };
    const repository = scenario.repository('own-files', files);
    await env.waitUntilIdle();
    expect((await scenario.bootstrap(repository)).body).toMatchObject({ status: 'PR_OPEN' });
    const pull = scenario.openPull(repository);
    expect(pull.comparison()?.files.map(({ path }) => path)).toEqual([ENFORCE]);
    expect(pull.issue.body).toContain('The repository uses its own CI');
    expect(pull.issue.body).toContain('replaces the present file');
    repository.pulls.merge(pull);
    await env.waitUntilIdle();
    expect(await scenario.row(repository)).toMatchObject({ step: 'complete' });
    const [installed] = await env.asSuperuser<object>(
      `select i.custom_ci from workflow_installation i join repository r on r.id = i.repository_id
       where r.github_id = ${repository.id}`,
    );
    expect(installed).toEqual({ custom_ci: true });
  });

  it('proposes nothing if all files exist already', async () => {
    const first = scenario.repository('first-of-two');
    await env.waitUntilIdle();
    await scenario.bootstrap(first);
    const files = Object.fromEntries(
      ['sdlc.yaml', CI, ENFORCE, GUIDE].map((path) => [path, textAt(first, BRANCH, path) ?? '']),
    );
    const second = scenario.repository('second-of-two', files);
    await env.waitUntilIdle();
    const { status, body } = await scenario.bootstrap(second);
    expect([status, body['prNumber'], body['prUrl']]).toEqual([201, null, null]);
    expect(body['status']).toMatch(/^(MERGED|PROTECTION_PENDING|COMPLETE)$/);
    await env.waitUntilIdle();
    expect(await scenario.row(second)).toMatchObject({ step: 'complete', pull: null });
    expect(bootstrapPulls(second)).toEqual([]);
  });

  it('runs once when two are requested at once', async () => {
    const repository = scenario.repository('twice');
    await env.waitUntilIdle();
    const answers = await Promise.all([scenario.bootstrap(repository), scenario.bootstrap(repository)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    await env.waitUntilIdle();
    expect(bootstrapPulls(repository)).toHaveLength(1);
    expect((await scenario.bootstrap(repository)).status).toBe(409);
    repository.pulls.merge(scenario.openPull(repository));
    await env.waitUntilIdle();
    expect((await scenario.bootstrap(repository)).status).toBe(409);
    expect((await scenario.audit(repository)).filter((action) => action === 'bootstrap.begun')).toHaveLength(1);
  });

  it('never uses a branch or a pull request that another user created', async () => {
    const repository = scenario.repository('occupied');
    const stranger = env.github.createUser({ login: 'stranger' });
    repository.commit({ branch: BRANCH, files: { 'src/backdoor.ts': '1' }, author: stranger });
    const forged = repository.pulls.open({ head: BRANCH, title: 'Trust me', author: stranger });
    await env.waitUntilIdle();
    expect((await scenario.bootstrap(repository)).body).toMatchObject({ prNumber: forged.number });
    expect(textAt(repository, BRANCH, 'src/backdoor.ts')).toBeNull();
    expect(textAt(repository, BRANCH, ENFORCE)).toContain('workflow_call');
    expect(scenario.openPull(repository).issue.title).toBe('Set up Shipgate');
    await env.waitUntilIdle();
  });

  it('rejects a folder in the place of a file, and leaves no change', async () => {
    const repository = scenario.repository('folder', { 'sdlc.yaml/readme.md': 'a folder' });
    await env.waitUntilIdle();
    const { status, body } = await scenario.bootstrap(repository);
    expect([status, body['error']]).toEqual([422, expect.stringContaining('folder')]);
    expect(await scenario.row(repository)).toMatchObject({ step: 'closed', managed: false });
    expect(bootstrapPulls(repository)).toEqual([]);
  });

  it('rejects an empty and an archived repository', async () => {
    const empty = scenario.repository('empty', {});
    const archived = scenario.repository('archived');
    await env.waitUntilIdle();
    archived.archived = true;
    for (const repository of [empty, archived]) {
      const { status, body } = await scenario.bootstrap(repository);
      expect([status, body['error']]).toEqual([422, expect.stringContaining(repository.name)]);
      expect(await scenario.row(repository)).toBeNull();
    }
  });

  it('finds a repository that was just renamed, and never another of its name', async () => {
    const renamed = scenario.repository('before');
    await env.waitUntilIdle();
    renamed.rename('after');
    expect((await scenario.bootstrap(renamed)).status).toBe(201);
    await env.waitUntilIdle();

    const gone = scenario.repository('reborn');
    await env.waitUntilIdle();
    const id = await scenario.idOf(gone);
    gone.delete();
    const successor = scenario.repository('reborn');
    expect((await scenario.admin.send('POST', `/api/repos/${id}/bootstrap`)).status).toBe(404);
    await env.waitUntilIdle();
    expect((await scenario.admin.send('POST', `/api/repos/${id}/bootstrap`)).status).toBe(404);
    expect(bootstrapPulls(successor)).toEqual([]);
    expect((await scenario.bootstrap(successor)).status).toBe(201);
    await env.waitUntilIdle();
  });

  it('is limited to admins, for repositories of their workspace that they can read', async () => {
    const repository = scenario.repository('guarded');
    const hidden = env.github.createRepository(env.organization, { name: 'hidden', files: { a: '0' } });
    await env.waitUntilIdle();
    const member = await signIn(env, env.github.createUser({ login: 'a-member' }), { role: 'member' });
    expect((await scenario.bootstrap(repository, {}, member)).status).toBe(403);
    expect((await scenario.bootstrap(hidden)).status).toBe(404);

    const other = env.github.createOrganization({ login: 'globex' });
    await env.install(other);
    const outsider = await signIn(env, env.github.createUser({ login: 'outsider' }), {
      role: 'admin',
      organization: other,
    });
    expect((await scenario.bootstrap(repository, {}, outsider)).status).toBe(404);
    for (const id of [randomUUID(), 'payments']) {
      expect((await scenario.admin.send('POST', `/api/repos/${id}/bootstrap`)).status).toBe(404);
    }
    expect(bootstrapPulls(repository)).toEqual([]);
    expect(bootstrapPulls(hidden)).toEqual([]);
  });

  it('waits while the app is suspended', async () => {
    const repository = scenario.repository('suspended');
    await env.waitUntilIdle();
    const installation = env.github.state.installations.find(env.githubApp, env.organization);
    installation?.suspend();
    await env.waitUntilIdle();
    expect((await scenario.bootstrap(repository)).status).toBe(409);
    installation?.unsuspend();
    await env.waitUntilIdle();
    expect((await scenario.bootstrap(repository)).status).toBe(201);
    await env.waitUntilIdle();
  });

  it('returns 503 while GitHub is unavailable, and leaves no change', async () => {
    const repository = scenario.repository('away');
    await env.waitUntilIdle();
    env.github.faults.next({ kind: '5xx', match: /\/repos\/acme\/away/, times: 20 });
    const { status, headers } = await scenario.bootstrap(repository);
    expect([status, Number(headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
    env.github.faults.clear();
    expect(await scenario.row(repository)).toBeNull();
  });
});

describe('fifty bootstraps at once on the free plan', () => {
  let env: TestEnvironment;
  beforeAll(async () => {
    env = await TestEnvironment.start();
  });
  afterAll(() => env.stop());

  it('set up three repositories and return 402 for the others', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `crowd-${index}`);
    const repositories = names.map((name) =>
      env.github.createRepository(env.organization, { name, files: { a: '0' }, private: false }),
    );
    await env.install();
    const scenario = await SetupScenario.in(env);
    const answers = await Promise.all(repositories.map((repository) => scenario.bootstrap(repository)));
    const count = (expected: number): number => answers.filter(({ status }) => status === expected).length;
    expect([count(201), count(402)]).toEqual([3, 47]);
    await env.waitUntilIdle();
    expect(repositories.flatMap(bootstrapPulls)).toHaveLength(3);
    const { body } = await scenario.admin.get('/api/billing');
    expect(body['managedRepositories']).toEqual({ used: 3, limit: 3 });
    expect(env.violations).toEqual([]);
  }, 120_000);
});
