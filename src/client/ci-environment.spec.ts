import { describe, expect, it } from '@jest/globals';
import {
  AZURE,
  BUILDKITE,
  CIRCLECI,
  DESCRIBED_JOBS,
  FOUR,
  GITHUB,
  GITLAB,
  JENKINS,
  SHA,
  type Variables,
} from '../../test/client/ci-variables.js';
import { type CiEnvironment, isInCi, readCiEnvironment, repositoryOfAddress } from './ci-environment.js';

describe('readCiEnvironment', () => {
  it.each<readonly [Variables, CiEnvironment]>([
    ...DESCRIBED_JOBS,
    [{}, { system: null }],
    [{ GITHUB_ACTIONS: '' }, { system: null }],
  ])('describes the job by %j', (variables, expected) => {
    expect(readCiEnvironment(variables)).toEqual(expected);
  });

  it('gives the jobs of one pipeline one run, and a retried job a later attempt', () => {
    for (const [first, ...others] of [
      [GITHUB, { ...GITHUB, GITHUB_JOB: 'lint' }],
      [GITLAB, { ...GITLAB, CI_JOB_NAME: 'lint', CI_JOB_ID: '7000000002' }],
      [CIRCLECI, { ...CIRCLECI, CIRCLE_JOB: 'lint', CIRCLE_BUILD_NUM: '132', CIRCLE_BUILD_URL: 'https://x/132' }],
      [BUILDKITE, { ...BUILDKITE, BUILDKITE_STEP_KEY: 'lint' }],
      [AZURE, { ...AZURE, SYSTEM_PHASENAME: 'lint' }],
      [JENKINS, { ...JENKINS, STAGE_NAME: 'Lint' }],
    ] as const) {
      const urls = [first, ...others].map((variables) => readCiEnvironment(variables).runUrl);
      expect(new Set(urls).size).toBe(1);
      const jobs = [first, ...others].map((variables) => readCiEnvironment(variables).job);
      expect(new Set(jobs).size).toBe(2);
    }
    const attempt = (variables: Variables): number => readCiEnvironment(variables).attempt ?? 0;
    expect(attempt({ ...GITLAB, CI_JOB_RETRY_COUNT: '0' })).toBe(1);
    expect(attempt({ ...GITLAB, CI_JOB_ID: '7000000009' })).toBeGreaterThan(attempt(GITLAB));
    expect(attempt({ ...CIRCLECI, CIRCLE_BUILD_NUM: '140' })).toBeGreaterThan(attempt(CIRCLECI));
    expect(attempt({ ...BUILDKITE, BUILDKITE_RETRY_COUNT: '2' })).toBe(3);
  });

  it.each<[string, Variables]>([
    ['GitHub', { ...GITHUB, GITHUB_EVENT_NAME: 'pull_request_target' }],
    ['GitLab', { ...GITLAB, CI_PIPELINE_SOURCE: 'merge_request_event' }],
    ['CircleCI', { ...CIRCLECI, CIRCLE_PULL_REQUEST: 'https://github.com/acme/payments/pull/7' }],
    ['Buildkite', { ...BUILDKITE, BUILDKITE_PULL_REQUEST: '7' }],
    ['Azure', { ...AZURE, BUILD_REASON: 'PullRequest' }],
    ['Jenkins', { ...JENKINS, CHANGE_ID: '7' }],
  ])('recognizes a run for a pull request: %s', (_, variables) => {
    expect(readCiEnvironment(variables).isPullRequest).toBe(true);
  });

  it('distinguishes the jobs of Azure Pipelines that share a displayed name, and groups those of one matrix', () => {
    const jobs = [
      AZURE,
      { ...AZURE, SYSTEM_JOBNAME: 'windows' },
      { ...AZURE, SYSTEM_PHASENAME: 'lint' },
      { ...AZURE, SYSTEM_STAGENAME: 'nightly' },
    ].map((variables) => readCiEnvironment({ ...variables, SYSTEM_JOBDISPLAYNAME: 'Job' }));
    expect(jobs.map(({ job }) => job)).toEqual(['test.linux', 'test.windows', 'lint.linux', 'nightly.test.linux']);
    expect(jobs.slice(0, 2).map(({ group }) => group)).toEqual([FOUR, FOUR]);
    const { SYSTEM_PHASENAME: _phase, ...older } = AZURE;
    expect(readCiEnvironment(older)).toMatchObject({ job: 'Test linux', group: undefined });
  });

  it.each<[string, Variables, Omit<CiEnvironment, 'system' | 'commit'>]>([
    [
      'a run of GitHub Actions (OndraM/ci-detector)',
      {
        GITHUB_ACTIONS: 'true',
        GITHUB_EVENT_NAME: 'push',
        GITHUB_JOB: 'tests',
        GITHUB_REF: 'refs/heads/test-github',
        GITHUB_HEAD_REF: '',
        GITHUB_REPOSITORY: 'OndraM/ci-detector',
        GITHUB_RUN_ID: '135716608',
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_SHA: SHA,
      },
      // Later runners also set GITHUB_REF_NAME and GITHUB_RUN_ATTEMPT.
      {
        repository: 'OndraM/ci-detector',
        job: 'tests',
        runUrl: 'https://github.com/OndraM/ci-detector/actions/runs/135716608',
        isPullRequest: false,
      },
    ],
    [
      'a job of GitLab 11 (OndraM/ci-detector)',
      {
        GITLAB_CI: 'true',
        CI_COMMIT_SHA: SHA,
        CI_COMMIT_REF_NAME: 'test-gitlab',
        CI_JOB_ID: '111560648',
        CI_JOB_NAME: 'job1',
        CI_PIPELINE_SOURCE: 'push',
        CI_PIPELINE_URL: 'https://gitlab.com/OndraM/ci-detector/pipelines/33997853',
        CI_PROJECT_PATH: 'OndraM/ci-detector',
      },
      {
        ref: 'test-gitlab',
        pipeline: 'OndraM/ci-detector',
        job: 'job1',
        runUrl: 'https://gitlab.com/OndraM/ci-detector/pipelines/33997853',
        attempt: 111_560_648,
        isPullRequest: false,
      },
    ],
    [
      'a job of CircleCI for a pull request (votingworks/vxsuite)',
      {
        CIRCLECI: 'true',
        CIRCLE_BRANCH: 'caro/em_networked_config',
        CIRCLE_BUILD_NUM: '849188',
        CIRCLE_JOB: 'validate-monorepo',
        CIRCLE_NODE_INDEX: '0',
        CIRCLE_NODE_TOTAL: '1',
        CIRCLE_PULL_REQUEST: 'https://github.com/votingworks/vxsuite/pull/6390',
        CIRCLE_REPOSITORY_URL: 'git@github.com:votingworks/vxsuite.git',
        CIRCLE_SHA1: SHA,
        CIRCLE_WORKFLOW_ID: 'ae2e945d-66eb-4785-8877-aeefdb25e271',
        CIRCLE_WORKFLOW_WORKSPACE_ID: 'ae2e945d-66eb-4785-8877-aeefdb25e271',
      },
      {
        repository: 'votingworks/vxsuite',
        ref: 'caro/em_networked_config',
        pipeline: 'CircleCI',
        job: 'validate-monorepo',
        runUrl: 'https://app.circleci.com/pipelines/workflows/ae2e945d-66eb-4785-8877-aeefdb25e271',
        attempt: 849_188,
        isPullRequest: true,
      },
    ],
    [
      'a job of Buildkite for a pull request (OliverKoo/simulation)',
      {
        BUILDKITE: 'true',
        BUILDKITE_BRANCH: 'add_build_ymal',
        BUILDKITE_BUILD_URL: 'https://buildkite.com/uber-atg/oliver-simulation/builds/87',
        BUILDKITE_COMMIT: SHA,
        BUILDKITE_LABEL: 'Plugin Tests',
        BUILDKITE_PIPELINE_SLUG: 'oliver-simulation',
        BUILDKITE_PULL_REQUEST: '14',
        BUILDKITE_REPO: 'git@github.com:OliverKoo/simulation.git',
        BUILDKITE_RETRY_COUNT: '0',
        BUILDKITE_TAG: '',
      },
      {
        repository: 'OliverKoo/simulation',
        ref: 'add_build_ymal',
        pipeline: 'oliver-simulation',
        job: 'Plugin Tests',
        runUrl: 'https://buildkite.com/uber-atg/oliver-simulation/builds/87',
        attempt: 1,
        isPullRequest: true,
      },
    ],
    [
      'a job of Azure Pipelines for a pull request (OndraM/ci-detector)',
      {
        TF_BUILD: 'True',
        BUILD_BUILDID: '4',
        BUILD_DEFINITIONNAME: 'OndraM.ci-detector',
        BUILD_REASON: 'PullRequest',
        BUILD_REPOSITORY_NAME: 'OndraM/ci-detector',
        BUILD_REPOSITORY_PROVIDER: 'GitHub',
        BUILD_SOURCEBRANCH: 'refs/pull/89/merge',
        BUILD_SOURCEVERSION: SHA,
        SYSTEM_COLLECTIONURI: 'https://dev.azure.com/ondrejmachulda/',
        SYSTEM_JOBATTEMPT: '1',
        SYSTEM_JOBDISPLAYNAME: 'Job',
        SYSTEM_JOBNAME: '__default',
        SYSTEM_PHASENAME: 'Job',
        SYSTEM_STAGENAME: '__default',
        SYSTEM_TEAMPROJECT: 'ci-detector',
        SYSTEM_TOTALJOBSINPHASE: '1',
      },
      {
        repository: 'OndraM/ci-detector',
        ref: 'refs/pull/89/merge',
        pipeline: 'OndraM.ci-detector',
        job: 'Job',
        runUrl: 'https://dev.azure.com/ondrejmachulda/ci-detector/_build/results?buildId=4',
        attempt: 1,
        isPullRequest: true,
      },
    ],
    [
      'a build of a job of Jenkins without a pipeline (OndraM/ci-detector)',
      {
        JENKINS_URL: 'http://jenkins.foo/',
        BUILD_URL: 'http://jenkins.foo/job/foo_job_name/1337/',
        GIT_BRANCH: 'origin/branchname',
        GIT_COMMIT: SHA,
        GIT_URL: 'ssh://git@gitserver:7999/project/repo.git',
        JOB_NAME: 'foo_job_name',
      },
      { pipeline: 'foo_job_name', runUrl: 'http://jenkins.foo/job/foo_job_name/1337/', isPullRequest: false },
    ],
    [
      'a build of TeamCity 10 (OndraM/ci-detector)',
      {
        TEAMCITY_VERSION: '10.0 (build 42002)',
        BUILD_NUMBER: '5',
        BUILD_VCS_NUMBER: SHA,
        TEAMCITY_BUILDCONF_NAME: 'Build',
        TEAMCITY_PROJECT_NAME: 'Ci Detector',
      },
      // Only later versions set BUILD_URL. Without it the command line requires --run-url.
      { pipeline: 'Ci Detector', job: 'Build' },
    ],
  ])('describes the job by the variables that were printed by %s', (_, variables, expected) => {
    const { system, ...described } = readCiEnvironment(variables);
    expect(system).not.toBeNull();
    expect(JSON.parse(JSON.stringify(described))).toEqual({ commit: SHA, ...expected });
  });

  it('prefers a tag to a branch', () => {
    expect(readCiEnvironment({ ...GITLAB, CI_COMMIT_TAG: 'v1.4.0' }).ref).toBe('v1.4.0');
    expect(readCiEnvironment({ ...BUILDKITE, BUILDKITE_TAG: 'v1.4.0' }).ref).toBe('v1.4.0');
    expect(readCiEnvironment({ ...AZURE, BUILD_SOURCEBRANCH: 'refs/tags/v1.4.0' }).ref).toBe('v1.4.0');
  });
});

it.each([
  ['https://github.com/acme/payments.git', 'acme/payments'],
  ['https://x-access-token:secret@github.com/acme/payments', 'acme/payments'],
  ['git@github.com:acme/payments.git', 'acme/payments'],
  ['ssh://git@github.com/acme/pay.ments', 'acme/pay.ments'],
  ['https://gitlab.example/acme/payments.git', undefined],
  ['https://github.com.example/acme/payments', undefined],
  [undefined, undefined],
])('repositoryOfAddress(%s) is %s', (address, repository) => {
  expect(repositoryOfAddress(address)).toBe(repository);
});

it.each<[Variables, boolean]>([
  [{}, false],
  [{ CI: 'false' }, false],
  [{ CI: 'true' }, true],
  [{ CI: '1' }, true],
  [JENKINS, true],
])('isInCi(%j) is %s', (variables, expected) => {
  expect(isInCi(variables)).toBe(expected);
});
