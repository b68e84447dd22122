import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BootstrapGitHubService } from '../../src/features/repositories/bootstrap/bootstrap-github.service.js';
import { BootstrapJobs } from '../../src/features/repositories/bootstrap/bootstrap.jobs.js';
import { RepositorySetupsService } from '../../src/features/repositories/setup-state/repository-setups.service.js';
import { GitHubError } from '../../src/github/transport/github-error.js';
import type { FaultSpec } from '../github-sim/faults.js';
import type { Repository } from '../github-sim/state/repository.js';
import { TestEnvironment } from '../support/test-environment.js';
import { bootstrapPulls, SetupScenario, textAt } from './scenarios/setup-scenario.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

const ENFORCE = '.github/workflows/shipgate-enforce.yml';
const MINUTE_MS = 60_000;

const TREE = /^POST .*\/git\/trees/;
const BRANCH = /^POST .*\/git\/refs/;
const PULL = /^POST .*\/pulls/;

/** Every point before the pull request at which a bootstrap can be interrupted, by the name of a repository. */
const CUTS: Readonly<Record<string, FaultSpec>> = {
  'at-the-look-for-its-branch': { kind: '5xx', match: /^GET .*\/git\/matching-refs\/heads(%2F|\/)shipgate/ },
  'at-the-first-object': { kind: '5xx', match: /^POST .*\/git\/blobs/ },
  'before-its-tree': { kind: '5xx', match: TREE },
  'after-its-commit': { kind: '5xx', match: /^POST .*\/git\/commits/, afterWork: true },
  'at-the-look-at-its-commit': { kind: '5xx', match: /^GET .*\/compare\// },
  'before-its-branch': { kind: '5xx', match: BRANCH },
  'after-its-branch': { kind: '5xx', match: BRANCH, afterWork: true },
  'at-the-answer-of-its-branch': { kind: 'drop', match: BRANCH, afterWork: true },
  'at-the-look-for-its-pull': { kind: '5xx', match: /^GET .*\/pulls\?/ },
  'before-its-pull': { kind: '5xx', match: PULL },
  'after-its-pull': { kind: '5xx', match: PULL, afterWork: true },
  'at-the-answer-of-its-pull': { kind: 'drop', match: PULL, afterWork: true },
};

describe('a bootstrap that is interrupted', () => {
  let env: TestEnvironment;
  let scenario: SetupScenario;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = await SetupScenario.in(env);
  });
  afterAll(() => env.stop());
  afterEach(() => {
    jest.restoreAllMocks();
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  const given = async (name: string): Promise<Repository> => {
    const repository = scenario.repository(name);
    await env.waitUntilIdle();
    return repository;
  };
  /** Continues an interrupted bootstrap, later than any pause that GitHub or its failures require. */
  const recover = async (): Promise<void> => {
    jest.restoreAllMocks();
    env.github.faults.clear();
    env.clock.advance(5 * MINUTE_MS);
    for (let rounds = 0; rounds < 3; rounds += 1) await env.hurry();
  };
  const expectOne = async (repository: Repository): Promise<void> => {
    expect(await scenario.row(repository)).toMatchObject({ step: 'pr_open', managed: true });
    expect(bootstrapPulls(repository)).toHaveLength(1);
    expect(textAt(repository, 'shipgate/bootstrap', ENFORCE)).toContain('workflow_call');
    expect(await scenario.audit(repository)).toEqual(['bootstrap.begun']);
    expect((await scenario.bootstrap(repository)).status).toBe(409);
  };

  it('is found by the next sync when it stopped right after the claim, without its job', async () => {
    const repository = await given('claimed-only');
    env.github.faults.next({ kind: '5xx', match: TREE, times: 30 });
    await scenario.bootstrap(repository);
    await env.asSuperuser(`delete from ${JOB_TABLE} where key like 'continue-bootstrap:%'`);
    env.github.faults.clear();
    env.clock.advance(5 * MINUTE_MS);
    await env.resync();
    await expectOne(repository);
  });

  it('continues by itself, once, when it stopped at any of its calls to GitHub', async () => {
    const cuts = Object.entries(CUTS).map(([name, fault]) => ({ name, fault, repository: scenario.repository(name) }));
    await env.waitUntilIdle();
    for (const { name, fault, repository } of cuts) {
      env.github.faults.next({ ...fault, times: 30 });
      const { status, body } = await scenario.bootstrap(repository);
      expect([name, status, body['error']]).toEqual([name, 503, expect.stringContaining('opened automatically')]);
      expect([name, await scenario.row(repository)]).toEqual([name, expect.objectContaining({ step: 'opening' })]);
      env.github.faults.clear();
      env.clock.advance(2 * MINUTE_MS);
    }
    await recover();
    for (const { repository } of cuts) await expectOne(repository);
  }, 120_000);

  it('continues in a job that finds the pull request when it stopped before that was saved', async () => {
    const repository = await given('cut-before-the-row');
    jest
      .spyOn(env.app.get(RepositorySetupsService), 'setPullRequest')
      .mockRejectedValue(new Error('the process ended'));
    expect((await scenario.bootstrap(repository)).status).toBe(500);
    expect(await scenario.row(repository)).toMatchObject({ step: 'opening' });
    expect(bootstrapPulls(repository)).toHaveLength(1);
    await recover();
    await expectOne(repository);
  });

  it('completes when its pull request was merged before it was saved', async () => {
    const repository = await given('merged-before-the-row');
    jest
      .spyOn(env.app.get(RepositorySetupsService), 'setPullRequest')
      .mockRejectedValue(new Error('the process ended'));
    await scenario.bootstrap(repository);
    repository.pulls.merge(scenario.openPull(repository));
    repository.deleteBranch('shipgate/bootstrap');
    await recover();
    expect(await scenario.row(repository)).toMatchObject({ step: 'complete', managed: true });
    expect(bootstrapPulls(repository)).toHaveLength(1);
  });

  it('opens one pull request when a job continues it at the same time', async () => {
    const repository = await given('in-parallel');
    const id = await scenario.idOf(repository);
    const orgId = await env.orgId();
    const jobs = env.app.get(BootstrapJobs);
    env.github.faults.next({ kind: 'delay', ms: 300, match: TREE, times: 2 });
    const request = scenario.bootstrap(repository);
    while ((await scenario.row(repository)) === null) await new Promise((resolve) => setTimeout(resolve, 5));
    const [answer] = await Promise.all([request, jobs.continue({ orgId, repositoryId: id }, { isLastAttempt: false })]);
    expect(answer).toMatchObject({ status: 201, body: { status: 'PR_OPEN' } });
    await env.waitUntilIdle();
    await expectOne(repository);
  });

  it('is not given up by a failed process after another process completed a step', async () => {
    const repository = await given('overtaken');
    const orgId = await env.orgId();
    const host = env.app.get(BootstrapGitHubService);
    const openPull = host.openPull.bind(host);
    jest.spyOn(host, 'openPull').mockImplementationOnce(async (...of) => {
      await openPull(...of);
      jest.restoreAllMocks();
      const job = { orgId, repositoryId: await scenario.idOf(repository) };
      await env.app.get(BootstrapJobs).continue(job, { isLastAttempt: false });
      throw new GitHubError('forbidden', 'refused at last');
    });
    expect((await scenario.bootstrap(repository)).status).toBe(422);
    await env.waitUntilIdle();
    await expectOne(repository);
  });

  it('ends when GitHub rejects every attempt, releases its place in the quota, and another can start', async () => {
    const repository = await given('given-up');
    env.github.faults.next({ kind: '5xx', match: PULL, times: 1_000 });
    await scenario.bootstrap(repository);
    env.clock.advance(5 * MINUTE_MS);
    const job = { orgId: await env.orgId(), repositoryId: await scenario.idOf(repository) };
    await env.app.get(BootstrapJobs).continue(job, { isLastAttempt: true });
    expect(await scenario.row(repository)).toMatchObject({ step: 'closed', managed: false });
    expect(await scenario.audit(repository)).toEqual(['bootstrap.begun', 'bootstrap.closed']);
    env.github.faults.clear();
    env.clock.advance(5 * MINUTE_MS);
    expect((await scenario.bootstrap(repository)).status).toBe(201);
    await env.waitUntilIdle();
    expect(bootstrapPulls(repository)).toHaveLength(1);
  });

  it.each([
    ['the read of its pull request', /^GET .*\/pulls\/\d+/],
    ['the reads of what it brought', /^GET .*\/contents\//],
    ['the making of its rulesets', /^POST .*\/rulesets/],
  ])('completes by itself when it stopped after the merge, at %s', async (what, match) => {
    const repository = await given(`merge-cut-at-${what.replaceAll(' ', '-')}`.slice(0, 90));
    await scenario.bootstrap(repository);
    await env.waitUntilIdle();
    env.github.faults.next({ kind: '5xx', match, times: 6 });
    repository.pulls.merge(scenario.openPull(repository));
    await env.waitUntilIdle();
    await recover();
    expect(await scenario.row(repository)).toMatchObject({ step: 'complete', managed: true });
    const merged = (await scenario.audit(repository)).filter((action) => action === 'bootstrap.merged');
    expect(merged).toHaveLength(1);
  });
});
