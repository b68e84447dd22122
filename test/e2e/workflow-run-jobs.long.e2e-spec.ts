import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { WorkflowRun } from '../github-sim/state/workflow-runs.js';
import { TestEnvironment } from '../support/test-environment.js';
import { codesOf, RepositoryScenario } from './scenarios/repository-scenario.js';

const VERSION = 'v1.0.0';

let env: TestEnvironment;
let scenarios = 0;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
});
afterAll(async () => {
  expect(env.violations).toEqual([]);
  await env.stop();
});

/** Creates a release in TESTING whose candidate has a CI run with these jobs, all in progress. */
async function given(
  ...jobs: readonly string[]
): Promise<{ readonly repo: RepositoryScenario; readonly run: WorkflowRun }> {
  scenarios += 1;
  const repo = new RepositoryScenario(env, { name: `app-${scenarios}` });
  repo.milestone(VERSION);
  const sha = repo.commit();
  const run = repo.workflow(sha, ...jobs);
  for (const name of jobs) run.start(name);
  await env.waitUntilIdle();
  return { repo, run };
}

async function upload(repo: RepositoryScenario, run: WorkflowRun, name: string, failed = 0): Promise<void> {
  const { status } = await repo.job(run, name).uploadTests(VERSION, 3, failed);
  expect(status).toBe(201);
  run.complete(name, failed === 0 ? 'success' : 'failure');
  await env.waitUntilIdle();
}

async function gateAnswer(repo: RepositoryScenario): Promise<readonly [boolean, readonly string[]]> {
  await env.waitUntilIdle();
  const answer = await repo.gate(VERSION);
  return [answer.tests_passing, codesOf(answer).filter((code) => code.startsWith('evidence_'))];
}

/** The number of calls for the jobs of a run, including pages. */
const reads = ({ id }: WorkflowRun): number =>
  env.exchanges.filter(({ path }) => path.endsWith(`/actions/runs/${id}/jobs`)).length;

it('waits for the unnamed jobs of a matrix, reads that they end, and allows a re-run of a failed one', async () => {
  const { repo, run } = await given('test (1)', 'test (2)', 'lint');
  await upload(repo, run, 'test (1)');
  expect(await gateAnswer(repo)).toEqual([false, ['evidence_incomplete']]);
  run.complete('test (2)', 'cancelled');
  expect(await gateAnswer(repo)).toEqual([false, ['evidence_failing']]);
  run.rerun({ jobs: ['test (2)'] });
  run.start('test (2)');
  expect((await gateAnswer(repo))[0]).toBe(false);
  await upload(repo, run, 'test (2)', 1);
  expect(await gateAnswer(repo)).toEqual([false, ['evidence_failing']]);
  run.rerun({ jobs: ['test (2)'], listsOthers: true });
  run.start('test (2)');
  await upload(repo, run, 'test (2)');
  expect(await gateAnswer(repo)).toEqual([true, []]);
});

it('closes an open gate as soon as a sibling of an uploading job is queued again', async () => {
  const { repo, run } = await given('test (1)', 'test (2)');
  await upload(repo, run, 'test (1)');
  await upload(repo, run, 'test (2)');
  expect(await gateAnswer(repo)).toEqual([true, []]);
  run.queue('test (3)');
  expect(await gateAnswer(repo)).toEqual([false, ['evidence_incomplete']]);
  run.complete('test (3)', 'skipped');
  expect(await gateAnswer(repo)).toEqual([true, []]);
});

it('finds by the sync a change without a delivery', async () => {
  const { repo, run } = await given('test (1)', 'test (2)');
  await upload(repo, run, 'test (1)');
  Object.assign(run.job('test (2)'), { status: 'completed', conclusion: 'success' });
  expect(await gateAnswer(repo)).toEqual([false, ['evidence_incomplete']]);
  await env.resync();
  expect(await gateAnswer(repo)).toEqual([true, []]);
});

it('reads the jobs of a matrix periodically, not with each of their deliveries', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `test (${index})`);
  const { repo, run } = await given('test (first)');
  await upload(repo, run, 'test (first)');
  const [before, since] = [reads(run), performance.now()];
  run.queue(...names);
  for (const name of names) run.start(name);
  for (const name of names) run.complete(name);
  expect(await gateAnswer(repo)).toEqual([true, []]);
  // The limit depends on the time that the machine took for the 120 deliveries, which are collected for a second.
  expect(reads(run) - before).toBeLessThan(10 + (2 * (performance.now() - since)) / 1_000);
});

it('uses the field job while the installation cannot read Actions, and GitHub after an owner accepts it', async () => {
  const organization = env.github.createOrganization({ login: 'initech' });
  const { actions: _, ...permissions } = env.githubApp.permissions;
  const installation = env.github.installApp(env.githubApp, organization, { repositories: 'all', permissions });
  const repo = new RepositoryScenario(env, { name: 'reports', organization });
  repo.milestone(VERSION);
  const run = repo.workflow(repo.commit(), 'test (1)', 'test (2)');
  run.start('test (1)');
  await env.waitUntilIdle();
  await upload(repo, run, 'test (1)');
  expect(await gateAnswer(repo)).toEqual([true, []]);
  installation.accept(env.githubApp.permissions);
  expect(await gateAnswer(repo)).toEqual([false, ['evidence_incomplete']]);
  run.complete('test (2)');
  expect(await gateAnswer(repo)).toEqual([true, []]);
});

it('learns from a workflow run that an owner has accepted the permission, without a delivery', async () => {
  const organization = env.github.createOrganization({ login: 'hooli' });
  const { actions: _, ...permissions } = env.githubApp.permissions;
  const installation = env.github.installApp(env.githubApp, organization, { repositories: 'all', permissions });
  const repo = new RepositoryScenario(env, { name: 'nucleus', organization });
  repo.milestone(VERSION);
  const run = repo.workflow(repo.commit(), 'test (1)');
  await env.waitUntilIdle();
  await upload(repo, run, 'test (1)');
  const readsActions = async (): Promise<unknown> =>
    (await env.asSuperuser(`select reads_actions from organization where login = 'hooli'`))[0];
  expect(await readsActions()).toEqual({ reads_actions: false });
  env.outbox.faults.next({ kind: 'lose', event: 'installation' });
  installation.accept(env.githubApp.permissions);
  run.rerun({ jobs: ['test (1)'] });
  run.complete('test (1)');
  await env.waitUntilIdle();
  expect(await readsActions()).toEqual({ reads_actions: true });
});
