import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import type { User } from '../github-sim/state/user.js';
import { signIn } from '../support/user-session.js';
import { ReportScenario, VERSION } from './scenarios/report-scenario.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const POLICY = `version: v1
stages:
  development: { deploy_target: dev }
  testing: { deploy_target: Staging, soak: 1h }
  evidencing: { required_evidence: [{ kind: unit_tests }] }
  deployment: { requires_evidence_approval: false }
`;
const RUN_URL = 'https://jenkins.example/job/412/';
const NOTHING = {
  commitSha: null,
  commitUrl: null,
  version: null,
  since: null,
  source: null,
  runUrl: null,
  kind: null,
};

let env: TestEnvironment;
let mia: User;
beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  mia = env.github.createUser({ login: 'mia' });
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

interface Body {
  readonly environments: readonly Readonly<Record<string, unknown>>[];
  readonly reasons: readonly Readonly<Record<string, unknown>>[];
  readonly deployments: readonly Readonly<Record<string, unknown>>[];
}

async function releaseId(repo: ReportScenario): Promise<string> {
  const [row] = await env.asSuperuser<{ readonly id: string }>(
    `select id from release where repository_id = '${await repo.repositoryId()}' and version = '${VERSION}'`,
  );
  return row!.id;
}

async function read(repo: ReportScenario, rest = '?look=stored'): Promise<Body> {
  // The access of a member is confirmed at the sign-in, and the clock has advanced since the last one.
  const { status, body } = await (await signIn(env, mia)).get(`/api/milestones/${await releaseId(repo)}${rest}`);
  expect(status).toBe(200);
  return body as unknown as Body;
}

const states = ({ environments }: Body): readonly string[] =>
  environments.map(
    ({ name, state, isCandidate }) => `${String(name)} ${String(state)}${isCandidate === true ? ' candidate' : ''}`,
  );

/** Advances the clock, and runs the jobs that are due then. */
async function later(milliseconds: number): Promise<void> {
  for (let rest = milliseconds; rest > 0; rest -= 10 * MINUTE_MS) {
    env.clock.advance(Math.min(rest, 10 * MINUTE_MS));
    await env.hurry();
  }
}

describe('the environments of a release', () => {
  it('are those of the policy in order, with the soak as the gate has it', async () => {
    const repo = await ReportScenario.in(env, { name: 'chain', sdlc: POLICY, private: false });
    const sha = await repo.evidencing(VERSION);
    const before = await read(repo);
    expect(states(before)).toEqual(['dev not_deployed', 'Staging not_deployed', 'production not_deployed']);
    expect(before.environments).toMatchObject([
      { ...NOTHING, role: 'development', soakSeconds: null, soakEndsAt: null },
      { ...NOTHING, role: 'testing', soakSeconds: 3_600, soakEndsAt: null },
      { ...NOTHING, role: 'deployment', soakSeconds: null, soakEndsAt: null },
    ]);

    await repo.deploy(sha, 'DEV');
    const [events] = await env.asSuperuser<{ readonly count: number }>(
      `select count(*)::int as count from event where type = 'deployment.updated' and repository_id = '${await repo.repositoryId()}'`,
    );
    expect(events!.count).toBeGreaterThan(0);
    await repo.deploy(sha, 'staging');
    const soaking = await read(repo);
    expect(states(soaking)).toEqual(['dev deployed candidate', 'Staging soaking candidate', 'production not_deployed']);
    const condition = soaking.reasons.find(({ code }) => code === 'soaking');
    expect(soaking.environments[1]).toMatchObject({
      commitSha: sha,
      commitUrl: expect.stringContaining(`/commit/${sha}`),
      version: VERSION,
      since: expect.any(String),
      source: 'github',
      soakEndsAt: condition!['endsAt'],
    });

    // Nothing is read meanwhile, so it is not known whether the candidate stayed.
    env.clock.advance(2 * HOUR_MS);
    const stale = await read(repo);
    expect(stale.environments[1]).toMatchObject({ state: 'unknown', commitSha: sha, soakEndsAt: null });

    await later(2 * HOUR_MS);
    expect(states(await read(repo))[1]).toBe('Staging soaked candidate');
    const other = repo.commit();
    await repo.deploy(other, 'staging');
    expect((await read(repo)).environments[1]).toMatchObject({
      state: 'soaked',
      isCandidate: false,
      commitSha: other,
      version: null,
    });
  });

  it('show a deployment that failed after its success as no deployment', async () => {
    const repo = await ReportScenario.in(env, { name: 'ended', sdlc: POLICY, private: false });
    const sha = await repo.evidencing(VERSION);
    const staging = await repo.deploy(sha, 'staging');
    const dev = await repo.deploy(sha, 'dev');
    for (const id of [staging, dev]) {
      const deployment = repo.repository.deployments.list().find((one) => one.id === id);
      repo.repository.deployments.setStatus(deployment!, 'failure');
    }
    await env.waitUntilIdle();
    const { environments } = await read(repo);
    expect(environments).toMatchObject([
      { name: 'dev', state: 'failed', commitSha: null },
      { name: 'Staging', state: 'failed', commitSha: null },
      {},
    ]);
  });

  it('show reported deployments: running, failed, and successful without an open gate', async () => {
    const repo = await ReportScenario.in(env, { name: 'reported', sdlc: POLICY, private: false });
    const sha = await repo.evidencing(VERSION);
    const at = { commit_sha: sha, environment: 'Dev', run_url: RUN_URL };
    await repo.start('d1', at);
    expect(states(await read(repo))[0]).toBe('dev deploying');
    await repo.report('d1', 'failed', at);
    expect(states(await read(repo))[0]).toBe('dev failed');
    await repo.start('d2', at);
    env.clock.advance(MINUTE_MS);
    await repo.report('d2', 'succeeded', at);
    expect((await read(repo)).environments[0]).toMatchObject({
      state: 'deployed',
      isCandidate: true,
      source: 'api_key',
      runUrl: RUN_URL,
      kind: null,
    });
    await repo.report('d3', 'succeeded', { commit_sha: sha });
    expect((await read(repo)).environments[2]).toMatchObject({
      name: 'production',
      state: 'deployed',
      kind: 'ungoverned',
      source: 'api_key',
    });
    // The end of a deployment that started long ago is not known.
    const next = repo.commit();
    await env.waitUntilIdle();
    await repo.test(VERSION, next);
    await repo.start('d4', { ...at, commit_sha: next });
    expect((await read(repo)).environments[0]).toMatchObject({
      state: 'deploying',
      commitSha: sha,
      isCandidate: false,
    });
    env.clock.advance(25 * HOUR_MS);
    expect((await read(repo)).environments[0]).toMatchObject({ state: 'unknown', commitSha: sha });
  });
});

describe('the deployments of a release', () => {
  it('are listed with their source, latest first, and a linked one once', async () => {
    const repo = await ReportScenario.in(env, { name: 'listed', sdlc: POLICY, private: false });
    const sha = await repo.evidencing(VERSION);
    const github = await repo.deploy(sha, 'dev');
    env.clock.advance(MINUTE_MS);
    await repo.start('jenkins-1', { commit_sha: sha, environment: 'staging', run_url: RUN_URL });
    env.clock.advance(MINUTE_MS);
    const linked = await repo.deploy(sha, 'qa');
    await repo.report(String(linked), 'succeeded', { commit_sha: sha, environment: 'QA' });
    const { deployments } = await read(repo, '/deployments');
    expect(deployments).toMatchObject([
      { environment: 'QA', status: 'succeeded', source: 'api_key', canDeploy: null },
      { environment: 'staging', status: 'started', source: 'api_key', keyName: 'ci', runUrl: RUN_URL, canDeploy: true },
      {
        id: `github:${github}`,
        environment: 'dev',
        status: 'succeeded',
        source: 'github',
        keyName: null,
        commitSha: sha,
      },
    ]);
    const second = await read(repo, '/deployments?page=2&pageSize=10');
    expect(second).toMatchObject({ deployments: [], pagination: { page: 2, total: 3 } });
  });
});

describe('the environments of the repositories', () => {
  const list = async (search: string): Promise<Readonly<Record<string, unknown>>> =>
    (await (await signIn(env, mia)).get(`/api/environments?search=${search}`)).body;

  it('have what is deployed, its release and its kind, and leave out private repositories', async () => {
    const one = await ReportScenario.in(env, { name: 'where-one', sdlc: POLICY, private: false });
    const two = await ReportScenario.in(env, { name: 'where-two', private: false, sdlc: 'version: v1\n' });
    const hidden = await ReportScenario.in(env, { name: 'where-hidden', sdlc: POLICY, private: true });
    const sha = await one.evidencing(VERSION);
    await hidden.deploy(await hidden.evidencing(VERSION), 'staging');
    await one.deploy(sha, 'staging');
    const stranger = two.commit();
    await two.deploy(stranger);
    expect(await list('WHERE-')).toMatchObject({
      repositories: [
        {
          repo: 'where-one',
          environments: [
            { name: 'dev', role: 'development', commitSha: null },
            { name: 'Staging', role: 'testing', commitSha: sha, version: VERSION, source: 'github', kind: null },
            { name: 'production', role: 'deployment', commitSha: null },
          ],
        },
        {
          repo: 'where-two',
          environments: [{ name: 'production', commitSha: stranger, version: null, kind: 'ungoverned' }],
        },
      ],
      pagination: { total: 2 },
    });
  });
});
