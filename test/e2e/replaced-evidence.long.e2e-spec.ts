import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { junit, type CiRunClient, type GateAnswer } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { postUpload } from './scenarios/service-requests.js';

const VERSION = 'v1.0.0';
const POLICY = 'version: v1\nstages:\n  deployment: { requires_evidence_approval: false }\n';

/** A passing upload may hide a failing or missing one only if it certainly replaces it. */
describe('the tests of a candidate', () => {
  let env: TestEnvironment;
  let repo: RepositoryScenario;
  let key: string;
  let sha: string;
  let repositories = 0;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    key = await env.key();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  beforeEach(async () => {
    repositories += 1;
    repo = new RepositoryScenario(env, { name: `shop-${repositories}`, sdlc: POLICY });
    repo.milestone(VERSION);
    sha = repo.commit();
    await env.waitUntilIdle();
  });

  const report = (failed = 0): object => ({ files: [{ filename: 'junit.xml', content: junit(3, failed) }] });

  /** Uploads with an API key. */
  async function claim(more: object, failed = 0): Promise<void> {
    const body = {
      repo: repo.repository.fullName,
      version: VERSION,
      pipeline: 'build',
      commit_sha: sha,
      ...report(failed),
      ...more,
    };
    expect(await postUpload(env, { bearer: key, body })).toMatchObject({ status: 201 });
  }

  /** Uploads as a job of a run with its token. */
  async function prove(run: CiRunClient, job: string, failed = 0): Promise<void> {
    expect(await run.upload(VERSION, report(failed), await run.token(job))).toMatchObject({ status: 201 });
  }

  async function answer(): Promise<GateAnswer> {
    await env.waitUntilIdle();
    return repo.gate(VERSION);
  }
  const passes = async (): Promise<boolean> => (await answer()).tests_passing;
  const reasons = async (): Promise<readonly string[]> => ((await answer()).reasons ?? []).map(({ code }) => code);
  const details = async (): Promise<string> => ((await answer()).reasons ?? []).map(({ detail }) => detail).join('\n');

  it('do not pass through a passing file with the name of a failing one', async () => {
    await claim({}, 1);
    await claim({});
    expect(await passes()).toBe(false);
    expect(await details()).toContain('uploads that name no run do not replace each other');
  });

  it('do not pass through another job of a later attempt, and pass once the failed job ran again', async () => {
    const run = repo.run(sha);
    await prove(run, 'a', 1);
    const again = run.again(2);
    await prove(again, 'b');
    expect(await passes()).toBe(false);
    expect(await details()).toContain('Run the job "a" of run');
    await prove(again, 'a');
    expect(await passes()).toBe(true);
  });

  it('do not pass through an upload of a key that names no run', async () => {
    await prove(repo.run(sha), 'test', 1);
    await claim({});
    expect(await passes()).toBe(false);
    await prove(repo.run(sha), 'test');
    expect(await reasons()).toEqual([]);
  });

  it('do not pass through a later cell of a matrix that claims the name of a failed one', async () => {
    await claim({ job: 'test' }, 1);
    await claim({ job: 'test' });
    expect(await passes()).toBe(false);
    expect(await details()).toContain('run_attempt 2');
  });

  it('do not pass while a sibling job runs or after it was cancelled, and pass once it ran again', async () => {
    const run = repo.repository.workflowRuns.create({ sha, jobs: ['test (1)', 'test (2)', 'lint'] });
    for (const name of ['test (1)', 'test (2)']) run.start(name);
    await prove(repo.run(sha, { runId: run.id }), 'test (1)');
    run.complete('test (1)');
    expect([await passes(), await reasons()]).toEqual([false, ['evidence_incomplete']]);
    run.complete('test (2)', 'cancelled');
    expect([await passes(), await reasons()]).toEqual([false, ['evidence_failing']]);
    expect(await details()).toContain('the job "test (2)" of run');
    run.rerun();
    run.start('test (2)');
    await prove(repo.run(sha, { runId: run.id, attempt: 2 }), 'test (2)');
    run.complete('test (2)');
    expect([await passes(), await reasons()]).toEqual([true, []]);
  });

  it('do not pass through a claimed run whose URL ends in a higher number', async () => {
    await claim({ run_url: 'https://ci.example/actions/runs/9223372036854775807' });
    await prove(repo.run(sha), 'test', 1);
    expect(await passes()).toBe(false);
    await claim({ run_url: 'https://ci.example/actions/runs/9223372036854775806' });
    expect(await passes()).toBe(false);
  });

  it('pass once a job of another CI system was repeated within its pipeline', async () => {
    const run = { run_url: 'https://ci.example/pipelines/7', job: 'unit' };
    await claim(run, 1);
    expect(await passes()).toBe(false);
    await claim({ ...run, run_attempt: 2 ** 53 - 1 });
    expect(await passes()).toBe(true);
  });

  it('do not pass before as many jobs of a group uploaded as it declares', async () => {
    const group = { run_url: 'https://ci.example/pipelines/8', job_group: 'unit', job_total: 2 };
    await claim({ ...group, job: 'unit 1/2' });
    expect([await passes(), await reasons()]).toEqual([false, ['evidence_incomplete']]);
    await claim({ ...group, job: 'unit 2/2' });
    expect([await passes(), await reasons()]).toEqual([true, []]);
  });

  it.each([
    [{ job_total: 2 }, 'job_total needs job_group.'],
    [{ job_group: 'unit' }, 'job_group needs job_total.'],
    [{ job_group: 'unit', job_total: 2 }, 'job_group needs job, so that the jobs of the group can be counted.'],
    [{ job: 'a', job_group: 'unit', job_total: 257 }, 'job_total must not be greater than 256'],
    [{ run_attempt: 2 ** 53 }, 'run_attempt must not be greater than 9007199254740991'],
    [{ run_attempt: 0 }, 'run_attempt must not be less than 1'],
  ])('are not counted as tests if an upload declares %p', async (more, error) => {
    const body = { repo: repo.repository.fullName, version: VERSION, pipeline: 'build', ...report(), ...more };
    const refused = await postUpload(env, { bearer: key, body });
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) as unknown } });
  });

  it('belong to the job that a token proves, whatever name the upload states', async () => {
    const run = repo.run(sha);
    const body = { ...report(1), job: 'b' };
    expect(await run.upload(VERSION, body, await run.token('a'))).toMatchObject({ status: 201 });
    await prove(run.again(2), 'b');
    expect(await passes()).toBe(false);
    await prove(run.again(2), 'a');
    expect(await passes()).toBe(true);
  });
});
