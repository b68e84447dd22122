import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('the policy of a repository', () => {
  let env: TestEnvironment;
  const scenario = (name: string, sdlc: string | null = PLAIN_POLICY): RepositoryScenario =>
    new RepositoryScenario(env, { name, sdlc });

  /** The dispatches in the repository. */
  const dispatches = (repo: RepositoryScenario): readonly unknown[] =>
    env.exchanges
      .filter(({ method, path }) => method === 'POST' && path.endsWith(`/repos/${repo.repository.fullName}/dispatches`))
      .map(({ requestBody }) => requestBody);

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('closes the gate when it is missing, and lets it open when it is added', async () => {
    const repo = scenario('without', null);
    repo.milestone('v1.0.0');
    const sha = repo.commit();
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);
    const answer = await repo.gate('v1.0.0');
    expect(answer).toMatchObject({ current_stage: 'TESTING', tests_passing: false, can_deploy: false });
    expect(answer.reasons).toContainEqual(
      expect.objectContaining({ code: 'policy_missing', detail: 'There is no sdlc.yaml on main.' }),
    );
    repo.repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'EVIDENCING', can_deploy: false });
  });

  it('closes the gate while it is invalid, and the reason names line and key', async () => {
    const repo = scenario('invalid');
    await repo.approved('v1.0.0');
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
    repo.repository.commit({ files: { 'sdlc.yaml': 'version: v1\nstages:\n  deployment:\n    taget: production\n' } });
    await env.waitUntilIdle();
    const answer = await repo.gate('v1.0.0');
    expect(answer).toMatchObject({ current_stage: 'TESTING', tests_passing: false, can_deploy: false });
    const invalid = answer.reasons?.find(({ code }) => code === 'policy_invalid');
    expect(invalid?.detail).toMatch(/^sdlc\.yaml, line 4, stages\.deployment\.taget: .*target/);

    repo.repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('moves a release back when it requires more', async () => {
    const repo = scenario('tightened');
    const sha = await repo.approved('v1.0.0');
    const required = `${PLAIN_POLICY}  testing: { required_checks: [e2e] }\n`;
    repo.repository.commit({ files: { 'sdlc.yaml': required } });
    await env.waitUntilIdle();
    const answer = await repo.gate('v1.0.0');
    expect(answer).toMatchObject({ current_stage: 'TESTING', can_deploy: false });

    const { checkRuns } = repo.repository;
    checkRuns.create({ sha, name: 'e2e', app: env.githubApp, conclusion: 'failure' });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'TESTING', can_deploy: false });
    checkRuns.create({ sha, name: 'e2e', app: env.githubApp, conclusion: 'success' });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it('counts each of two jobs of one name, and a job that ran again once', async () => {
    const repo = scenario('same-names', `${PLAIN_POLICY}  testing: { required_checks: [e2e] }\n`);
    repo.milestone('v1.0.0');
    const sha = repo.commit();
    const run = repo.repository.workflowRuns.create({ sha, jobs: ['e2e'] });
    const failed = run.complete('e2e', 'failure');
    run.queue('e2e');
    run.complete('e2e');
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);
    const unmet = async (): Promise<readonly { readonly code: string; readonly detail: string }[]> =>
      (await repo.gate('v1.0.0')).reasons?.filter(({ code }) => code.startsWith('check_')) ?? [];
    expect(await unmet()).toEqual([
      expect.objectContaining({
        code: 'check_failing',
        detail: expect.stringContaining(`the check run ${failed.id} of github-actions`),
        url: expect.stringContaining(`/runs/${failed.id}`),
      }),
    ]);

    // Only one of the two runs again: it is not known which.
    run.rerun();
    run.complete('e2e');
    await env.waitUntilIdle();
    expect(await unmet()).toHaveLength(1);

    run.rerun({ jobs: [] });
    run.queue('e2e');
    run.complete('e2e');
    run.queue('e2e');
    run.complete('e2e');
    await env.waitUntilIdle();
    expect(await unmet()).toEqual([]);
  });

  it('is met by a failed job that ran again and passed', async () => {
    const repo = scenario('rerun', `${PLAIN_POLICY}  testing: { required_checks: [e2e] }\n`);
    repo.milestone('v1.0.0');
    const sha = repo.commit();
    const run = repo.repository.workflowRuns.create({ sha, jobs: ['e2e'] });
    run.complete('e2e', 'failure');
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'TESTING', tests_passing: false });
    run.rerun();
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'TESTING', tests_passing: false });
    run.complete('e2e');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'EVIDENCING', tests_passing: true });
  });

  it.each(['skipped', 'neutral'] as const)('is not met by a check that is %s, unless it says so', async (how) => {
    const requiring = (check: string): string => `${PLAIN_POLICY}  testing: { required_checks: [${check}] }\n`;
    const repo = scenario(`with-${how}`, requiring('e2e'));
    repo.milestone('v1.0.0');
    const sha = repo.commit();
    repo.repository.checkRuns.create({ sha, name: 'e2e', app: env.githubApp, conclusion: how });
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);
    const answer = await repo.gate('v1.0.0');
    expect(answer).toMatchObject({ current_stage: 'TESTING', tests_passing: false, can_deploy: false });
    expect(answer.reasons).toContainEqual(
      expect.objectContaining({
        code: 'check_skipped',
        detail: expect.stringContaining('set allow_skipped for it in sdlc.yaml'),
      }),
    );

    repo.repository.commit({
      branch: 'main',
      files: { 'sdlc.yaml': requiring('{ name: e2e, allow_skipped: true }') },
    });
    await env.waitUntilIdle();
    const allowed = await repo.gate('v1.0.0');
    expect(allowed).toMatchObject({ current_stage: 'EVIDENCING', tests_passing: true });
  });

  it('closes the gate as soon as the organization default requires more', async () => {
    const defaults = scenario('.github', 'version: v1\n');
    await env.waitUntilIdle();
    const repo = scenario('under-defaults');
    await repo.approved('v1.0.0');
    expect(await repo.gate('v1.0.0', { explain: 'false' })).toMatchObject({ can_deploy: true });
    const stricter = 'version: v1\nstages:\n  testing: { required_checks: [e2e] }\n';
    defaults.repository.commit({ files: { 'sdlc.yaml': stricter } });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0', { explain: 'false' })).toMatchObject({ can_deploy: false });

    // Every member can read the messages of a public repository, and the default is private.
    defaults.repository.commit({ files: { 'sdlc.yaml': 'version: v1\nstages:\n  deployment: { target: live }\n' } });
    const other = 'version: v1\nstages:\n  deployment: { target: test }\n';
    const open = new RepositoryScenario(env, { name: 'open-under-defaults', sdlc: other, private: false });
    open.milestone('v1.0.0');
    const sha = open.commit();
    await env.waitUntilIdle();
    await open.test('v1.0.0', sha);
    const reasons = (await open.gate('v1.0.0')).reasons?.filter(({ code }) => code === 'policy_invalid');
    const rejection = /line 3, stages\.deployment\.target: The organization's default does not allow this value\.$/;
    expect(reasons).toEqual([expect.objectContaining({ detail: expect.stringMatching(rejection) })]);

    defaults.repository.commit({ files: { 'sdlc.yaml': 'version: v1\n' } });
    await env.waitUntilIdle();
    expect(await repo.gate('v1.0.0', { explain: 'false' })).toMatchObject({ can_deploy: true });
  });

  it('is read only at the head of the default branch', async () => {
    const repo = scenario('elsewhere');
    repo.milestone('v1.0.0');
    const sha = repo.commit();
    await env.waitUntilIdle();
    await repo.test('v1.0.0', sha);
    const lax = 'version: v1\nstages:\n  deployment: { requires_evidence_approval: false }\n';
    repo.repository.commit({ branch: 'release/v1.0.0', files: { 'sdlc.yaml': lax } });
    await env.waitUntilIdle();
    await repo.test('v1.0.0', repo.head('release/v1.0.0'));
    expect(await repo.gate('v1.0.0')).toMatchObject({ current_stage: 'EVIDENCING', can_deploy: false });
  });

  it('closes the gate in a freeze, from its start to its end', async () => {
    const day = (offset: number): string =>
      new Date(env.clock.now().getTime() + offset * DAY_MS).toISOString().slice(0, 10);
    const repo = scenario('frozen', `${PLAIN_POLICY}freezes: [{ from: ${day(2)}, to: ${day(3)}, reason: year end }]\n`);
    await repo.approved('v1.0.0');
    expect(await repo.gate('v1.0.0', { explain: 'false' })).toMatchObject({ can_deploy: true });
    env.clock.advance(2 * DAY_MS);
    const answer = await repo.gate('v1.0.0');
    expect(answer).toMatchObject({ can_deploy: false, current_stage: 'DEPLOYMENT' });
    expect(answer.reasons).toEqual([
      expect.objectContaining({ code: 'freeze', detail: expect.stringContaining('year end') }),
    ]);
    env.clock.advance(2 * DAY_MS);
    expect(await repo.gate('v1.0.0')).toMatchObject({ can_deploy: true });
  });

  it.each([
    ['in a freeze that was added late and removed since', 'ungoverned'],
    ['without a freeze', 'release'],
  ] as const)('records a deployment that began after midnight %s as %s', async (_, kind) => {
    const midnight = (Math.floor(env.clock.now().getTime() / DAY_MS) + 2) * DAY_MS;
    const advanceTo = (time: number): void => env.clock.advance(time - env.clock.now().getTime());
    // The facts of before midnight are still valid after it, so only the freeze closes the gate.
    advanceTo(midnight - 2 * MINUTE_MS);
    const repo = scenario(`after-midnight-${kind}`);
    const sha = await repo.approved('v1.0.0');
    const day = new Date(midnight).toISOString().slice(0, 10);
    const freeze = kind === 'ungoverned' ? `freezes: [{ from: ${day}, to: ${day}, reason: audit }]` : '# No freeze.';
    repo.repository.commit({ files: { 'sdlc.yaml': `${PLAIN_POLICY}${freeze}\n` } });
    await env.waitUntilIdle();
    advanceTo(midnight + 1_000);
    const deployment = repo.repository.deployments.create({ ref: sha, environment: 'production' });
    env.clock.advance(DAY_MS);
    repo.repository.commit({ files: { 'sdlc.yaml': PLAIN_POLICY } });
    await env.waitUntilIdle();
    repo.repository.deployments.setStatus(deployment, 'success');
    await env.waitUntilIdle();
    const recorded = await env.asSuperuser(
      `select h.kind from deployment_record h join repository p on p.id = h.repository_id
       where p.name = '${repo.repository.name}'`,
    );
    expect(recorded).toEqual([{ kind }]);
  });

  it('starts the deployment once when the gate opens, if promotion is automatic', async () => {
    const repo = scenario('promoted', `${PLAIN_POLICY}  deployment: { promotion: auto }\n`);
    const sha = await repo.evidencing('v1.0.0');
    expect(dispatches(repo)).toEqual([]);
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    await repo.gate('v1.0.0');
    await env.waitUntilIdle();
    expect(dispatches(repo)).toEqual([
      { event_type: 'shipgate-deploy', client_payload: { version: 'v1.0.0', commit: sha } },
    ]);
  });

  it('starts the deployment although facts of the approval had expired', async () => {
    const repo = scenario('promoted-late', `${PLAIN_POLICY}  deployment: { promotion: auto }\n`);
    await repo.evidencing('v1.0.0');
    const pull = repo.evidencePull('v1.0.0');
    repo.repository.pulls.reviews.submit(pull, { by: repo.reviewer, state: 'CHANGES_REQUESTED', body: 'Not yet.' });
    await env.waitUntilIdle();
    env.clock.advance(60 * 60_000);
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    expect(dispatches(repo)).toHaveLength(1);
  });
});
