import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Deployment } from '../github-sim/state/deployments.js';
import { TestEnvironment } from '../support/test-environment.js';
import { signIn, type JsonAnswer, type UserSession } from '../support/user-session.js';
import { ReportScenario, VERSION } from './scenarios/report-scenario.js';
import { PLAIN_POLICY, type RepositoryScenario } from './scenarios/repository-scenario.js';

const POLICY = `${PLAIN_POLICY}  testing: { required_artifacts: [{ name: api, provenance: false }] }\n`;
const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const [A, B, C] = [digest('a'), digest('b'), digest('c')];
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Running {
  readonly name: string;
  readonly digest: string;
  readonly governed: boolean | null;
  readonly firstSeen: string;
  readonly lastSeen: string;
}

let env: TestEnvironment;
let member: UserSession;
let key: string;
const scenario = (name: string, sdlc: string | null = POLICY, isPrivate = false): Promise<ReportScenario> =>
  ReportScenario.in(env, { name, sdlc, private: isPrivate });

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  member = await signIn(env, env.github.createUser({ login: 'mona' }));
  key = await env.key(['deployment:write']);
});
afterAll(() => env.stop());
afterEach(() => expect(env.violations).toEqual([]));

async function put(
  repo: RepositoryScenario,
  body: object,
  { environment = 'production', bearer = key } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const url = `${await env.app.getUrl()}/api/environments/${encodeURIComponent(environment)}/running`;
  const response = await fetch(url, {
    method: 'PUT',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ repo: repo.repository.fullName, ...body }),
  });
  return { status: response.status, text: await response.text() };
}

/** States artifacts that are written as `name@digest`. */
async function state(repo: RepositoryScenario, artifacts: readonly string[], environment?: string): Promise<void> {
  const named = artifacts.map((text) => ({ name: text.split('@')[0], digest: text.split('@')[1] }));
  expect(await put(repo, { artifacts: named }, { ...(environment !== undefined && { environment }) })).toEqual({
    status: 204,
    text: '',
  });
}

const get = (repo: RepositoryScenario, environment = 'production'): Promise<JsonAnswer> =>
  member.get(
    `/api/environments/${encodeURIComponent(environment)}/running?repo=${encodeURIComponent(repo.repository.fullName)}`,
  );

async function running(repo: RepositoryScenario, environment?: string): Promise<readonly Running[]> {
  const { status, body } = await get(repo, environment);
  expect(status).toBe(200);
  return body['artifacts'] as readonly Running[];
}

/** What runs, as `name@digest` with whether it is governed. */
async function governed(repo: RepositoryScenario, environment?: string): Promise<Record<string, boolean | null>> {
  const artifacts = await running(repo, environment);
  return Object.fromEntries(artifacts.map((one) => [`${one.name}@${one.digest}`, one.governed]));
}

/** Returns a repository with a release that was approved with the digest A, and its candidate. */
async function approved(name: string): Promise<{ readonly repo: ReportScenario; readonly sha: string }> {
  const repo = await scenario(name);
  repo.milestone(VERSION);
  const sha = repo.commit();
  await env.waitUntilIdle();
  await build(repo, sha, A);
  repo.approve(VERSION);
  await env.waitUntilIdle();
  expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
  return { repo, sha };
}

/** Uploads tests and the digest of a commit, in one run. */
async function build(repo: RepositoryScenario, sha: string, built: string): Promise<void> {
  const run = repo.run(sha);
  expect((await run.uploadTests(VERSION, 3)).status).toBe(201);
  const response = await fetch(`${await env.app.getUrl()}/api/artifacts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await run.token()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ repo: repo.repository.fullName, version: VERSION, name: 'api', digest: built }),
  });
  expect(response.status).toBe(201);
  await env.waitUntilIdle();
}

const events = async (repo: RepositoryScenario): Promise<number> => {
  const [row] = await env.asSuperuser<{ n: number }>(
    `select count(*)::int as n from event where type = 'deployment.updated' and repository_id = '${await repo.repositoryId()}'`,
  );
  return row?.n ?? 0;
};
const entries = async (repo: RepositoryScenario): Promise<readonly { readonly data: object }[]> =>
  env.asSuperuser<{ data: object }>(
    `select data from audit_entry where action = 'running.changed' and data ->> 'repositoryId' = '${await repo.repositoryId()}'
     order by sequence`,
  );

describe('a statement of what runs', () => {
  it('replaces the one before, and keeps when each artifact was seen first', async () => {
    const repo = await scenario('replaced');
    await env.resync();
    await state(repo, [`api@${A}`, `web@${B}`, `web@${B}`]);
    const first = await running(repo);
    expect(first.map((one) => `${one.name}@${one.digest}`)).toEqual([`api@${A}`, `web@${B}`]);
    env.clock.advance(MINUTE_MS);
    await state(repo, [`api@${A}`, `api@${C}`], 'Production');
    const [kept, added] = await running(repo, 'PRODUCTION');
    expect(kept).toMatchObject({ digest: A, firstSeen: first[0]?.firstSeen });
    expect(kept?.lastSeen).not.toBe(first[0]?.lastSeen);
    expect(added).toMatchObject({ digest: C, firstSeen: kept?.lastSeen, lastSeen: kept?.lastSeen });
    env.clock.advance(MINUTE_MS);
    await state(repo, []);
    expect(await running(repo)).toEqual([]);
    env.clock.advance(MINUTE_MS);
    await state(repo, [`api@${A}`]);
    const [back] = await running(repo);
    expect(back?.firstSeen).toBe(back?.lastSeen);
    expect(back?.firstSeen).not.toBe(kept?.firstSeen);
    expect(await running(repo, 'staging')).toEqual([]);
  });

  it('counts as a whole if two arrive at once', async () => {
    const repo = await scenario('at-once');
    await env.resync();
    const sets = ['1', '2', '3', '4'].map((digit) => [`api@${digest(digit)}`, `web@${digest(digit)}`]);
    await Promise.all(sets.map((set) => state(repo, set)));
    const stored = (await running(repo)).map((one) => `${one.name}@${one.digest}`).sort();
    expect(sets).toContainEqual(stored);
  });

  it('makes an event and an audit entry only if something else runs', async () => {
    const repo = await scenario('announced');
    await env.resync();
    await state(repo, [`api@${A}`]);
    expect([await events(repo), (await entries(repo)).length]).toEqual([1, 1]);
    env.clock.advance(MINUTE_MS);
    await state(repo, [`api@${A}`]);
    expect([await events(repo), (await entries(repo)).length]).toEqual([1, 1]);
    await state(repo, [`api@${B}`]);
    expect(await events(repo)).toBe(2);
    expect((await entries(repo))[1]?.data).toMatchObject({
      environment: 'production',
      added: [`api@${B}`],
      addedCount: 1,
      removed: [`api@${A}`],
      removedCount: 1,
      statedBy: { kind: 'api_key' },
    });
  });

  it('is rejected if it is malformed', async () => {
    const repo = await scenario('malformed');
    await env.resync();
    const one = { name: 'api', digest: A };
    for (const body of [
      {},
      { artifacts: {} },
      { artifacts: [null] },
      { artifacts: [{ name: 'api' }] },
      { artifacts: [{ ...one, digest: 'sha256:1' }] },
      { artifacts: [{ ...one, name: ' api' }] },
      { artifacts: [{ ...one, more: 1 }] },
      { artifacts: Array.from({ length: 501 }, () => one) },
      { artifacts: [one], at: 'yesterday' },
      { artifacts: [one], at: new Date(env.clock.now().getTime() + 6 * MINUTE_MS).toISOString() },
    ]) {
      expect([body, (await put(repo, body)).status]).toEqual([body, 400]);
    }
    for (const environment of ['a\u0007', 'product\u{130}on', 'bac\u{212A}ing', '\u{394}\u{39F}\u{3A3}', '\u{1C8}']) {
      expect([environment, (await put(repo, { artifacts: [one] }, { environment })).status]).toEqual([
        environment,
        400,
      ]);
    }
    expect((await put(repo, { artifacts: [one], repo: 'acme/nothing' })).status).toBe(404);
    const at = new Date(env.clock.now().getTime() + 4 * MINUTE_MS).toISOString();
    expect((await put(repo, { artifacts: Array.from({ length: 500 }, () => one), at })).status).toBe(204);
    const { body } = await member.get(`/api/running?repo=${encodeURIComponent(repo.repository.fullName)}`);
    expect(body).toMatchObject({ artifacts: [{ name: 'api', statedAt: at }], pagination: { total: 1 } });
  });

  it('is taken for at most 100 environments of a repository', async () => {
    const repo = await scenario('many');
    await env.resync();
    await state(repo, [`api@${A}`], 'env-100');
    await env.asSuperuser(
      `insert into running_statement (org_id, id, repository_id, environment, received_at)
       select org_id, gen_random_uuid(), repository_id, 'env-' || n, received_at
       from running_statement, generate_series(1, 99) n where repository_id = '${await repo.repositoryId()}'`,
    );
    const artifacts = [{ name: 'api', digest: A }];
    expect((await put(repo, { artifacts }, { environment: 'one-more' })).status).toBe(422);
    expect(await running(repo, 'one-more')).toEqual([]);
    await state(repo, [], 'env-7');
    await state(repo, [`api@${A}`], 'one-more');
  });

  it('comes from a run of the repository in the environment, or from a key with the scope', async () => {
    const repo = await scenario('callers');
    const other = await scenario('callers-2');
    await env.resync();
    const artifacts = [{ name: 'api', digest: A }];
    const sha = repo.head();
    const statusOf = async (bearer: string): Promise<number> => (await put(repo, { artifacts }, { bearer })).status;
    const run = { environment: 'Production' };
    expect(await statusOf(await repo.run(sha, run).token())).toBe(204);
    expect(await statusOf(await repo.run(sha).token())).toBe(403);
    expect(await statusOf(await repo.run(sha, { environment: 'staging' }).token())).toBe(403);
    expect(await statusOf(await repo.run(sha, { ...run, event: 'pull_request' }).token())).toBe(403);
    expect(await statusOf(await repo.run(sha, { ...run, event: 'pull_request_target' }).token())).toBe(403);
    expect(await statusOf(await other.run(other.head(), run).token())).toBe(404);
    expect(await statusOf(await env.key(['evidence:write', 'gate:read']))).toBe(403);
    expect(await statusOf(await env.key(['deployment:write'], env.organization, [other.repository.name]))).toBe(404);
    expect((await member.send('PUT', '/api/environments/production/running', { artifacts })).status).toBe(401);
  });
});

describe('a running artifact', () => {
  it('is governed while a deployment is open whose gate was open, and after its release has shipped', async () => {
    const { repo, sha } = await approved('shipped');
    await state(repo, [`api@${A}`, `api@${B}`, `web@${A}`]);
    const expectApi = async (isGoverned: boolean): Promise<void> =>
      expect(await governed(repo)).toEqual({ [`api@${A}`]: isGoverned, [`api@${B}`]: false, [`web@${A}`]: null });
    await expectApi(false);
    await repo.start('d1', { commit_sha: sha });
    await expectApi(true);
    await state(repo, [`api@${A}`], 'eu');
    expect(await governed(repo, 'eu')).toEqual({ [`api@${A}`]: false });
    const before = await events(repo);
    await repo.report('d1', 'failed', { commit_sha: sha });
    await expectApi(false);
    expect(await events(repo)).toBeGreaterThan(before);
    await repo.start('d2', { commit_sha: sha });
    await repo.report('d2', 'succeeded', { commit_sha: sha });
    expect(await repo.stage()).toBe('DEPLOYED');
    await expectApi(true);
    expect(await governed(repo, 'eu')).toEqual({ [`api@${A}`]: true });
  });

  it('is not governed by a deployment whose gate was closed, or whose end is unknown', async () => {
    const { repo, sha } = await approved('closed');
    await state(repo, [`api@${A}`, `api@${B}`]);
    await repo.start('d1', { commit_sha: sha });
    // A build of another commit is not what the gate was open for.
    const next = repo.commit();
    await env.waitUntilIdle();
    await build(repo, next, B);
    expect(await repo.start('d2', { commit_sha: next })).toMatchObject({ body: { gate: { can_deploy: false } } });
    expect(await governed(repo)).toEqual({ [`api@${A}`]: true, [`api@${B}`]: false });
    env.clock.advance(DAY_MS);
    member = await signIn(env, member.user);
    expect(await governed(repo)).toEqual({ [`api@${A}`]: false, [`api@${B}`]: false });
  });

  it('is governed while a deployment of GitHub is open whose gate was open when it began', async () => {
    const { repo, sha } = await approved('by-github');
    await state(repo, [`api@${A}`]);
    const [statuses] = [repo.repository.deployments];
    const begin = async (environment = 'production'): Promise<Deployment> => {
      env.clock.advance(2_000);
      const deployment = statuses.create({ ref: sha, environment });
      statuses.setStatus(deployment, 'in_progress');
      await env.waitUntilIdle();
      return deployment;
    };
    await begin('staging');
    expect(await governed(repo)).toEqual({ [`api@${A}`]: false });
    const before = await events(repo);
    const failing = await begin();
    expect(await governed(repo)).toEqual({ [`api@${A}`]: true });
    statuses.setStatus(failing, 'failure');
    await env.waitUntilIdle();
    expect(await governed(repo)).toEqual({ [`api@${A}`]: false });
    expect(await events(repo)).toBeGreaterThan(before + 1);
    // The gate closes, because another commit is the candidate.
    const next = repo.commit();
    await env.waitUntilIdle();
    await build(repo, next, B);
    await begin();
    expect(await governed(repo)).toEqual({ [`api@${A}`]: false });
  });

  it('is not governed if one side of the same deployment is not', async () => {
    const { repo, sha } = await approved('two-sides');
    await state(repo, [`api@${A}`]);
    env.clock.advance(2_000);
    const deployment = repo.repository.deployments.create({ ref: sha, environment: 'production' });
    repo.repository.deployments.setStatus(deployment, 'in_progress');
    await env.waitUntilIdle();
    expect(await governed(repo)).toEqual({ [`api@${A}`]: true });
    await repo.start(String(deployment.id), { commit_sha: sha });
    expect(await governed(repo)).toEqual({ [`api@${A}`]: true });
    await repo.report(String(deployment.id), 'failed', { commit_sha: sha });
    expect(await governed(repo)).toEqual({ [`api@${A}`]: false });
    // The deployment at GitHub has failed, and the report of the next one names it.
    const second = repo.repository.deployments.create({ ref: sha, environment: 'production' });
    repo.repository.deployments.setStatus(second, 'failure');
    await env.waitUntilIdle();
    await repo.start(String(second.id), { commit_sha: sha });
    expect(await governed(repo)).toEqual({ [`api@${A}`]: false });
  });

  it('is not governed by a policy that is not valid, and not compared without a policy', async () => {
    const { repo, sha } = await approved('policies');
    await repo.start('d1', { commit_sha: sha });
    await repo.report('d1', 'succeeded', { commit_sha: sha });
    await state(repo, [`api@${A}`, `web@${B}`]);
    expect(await governed(repo)).toEqual({ [`api@${A}`]: true, [`web@${B}`]: null });
    repo.repository.commit({ files: { 'sdlc.yaml': 'version: v9\n' } });
    await env.waitUntilIdle();
    expect(await governed(repo)).toEqual({ [`api@${A}`]: false, [`web@${B}`]: false });
    const without = await scenario('without-policy', null);
    await env.resync();
    await state(without, [`api@${A}`]);
    expect(await governed(without)).toEqual({ [`api@${A}`]: null });
    await env.asSuperuser(`delete from observation where repository_id = '${await without.repositoryId()}'`);
    expect(await governed(without)).toEqual({ [`api@${A}`]: false });
  });

  it('is listed across repositories, those that are not governed first, and never of a hidden repository', async () => {
    const open = await scenario('listed');
    const hidden = await scenario('hidden', POLICY, true);
    await env.resync();
    await state(open, [`web@${A}`, `api@${B}`]);
    await state(hidden, [`api@${C}`]);
    expect((await get(hidden)).status).toBe(404);
    expect((await get(open)).status).toBe(200);
    const list = async (query: string): Promise<readonly Running[]> =>
      (await member.get(`/api/running${query}`)).body['artifacts'] as readonly Running[];
    const of = encodeURIComponent(open.repository.fullName);
    expect(await list(`?repo=${of}`)).toMatchObject([
      { repo: 'listed', environment: 'production', name: 'api', governed: false },
      { repo: 'listed', environment: 'production', name: 'web', governed: null },
    ]);
    expect(await list(`?repo=listed&environment=PRODUCTION&governed=false`)).toMatchObject([{ name: 'api' }]);
    expect(await list(`?repo=listed&governed=true`)).toEqual([]);
    expect(await list(`?repo=${encodeURIComponent(hidden.repository.fullName)}`)).toEqual([]);
    expect((await list('?governed=false&pageSize=50')).map((one) => one.digest)).not.toContain(C);
    expect((await member.get('/api/running?page=2&pageSize=10')).body).toMatchObject({ pagination: { page: 2 } });
    for (const query of ['governed=1', 'repo=a/b/c', 'environment=', 'page=0'])
      expect([query, (await member.get(`/api/running?${query}`)).status]).toEqual([query, 400]);
  });
});
