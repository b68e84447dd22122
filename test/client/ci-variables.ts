import type { CiEnvironment } from '../../src/client/ci-environment.js';

export const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';

export type Variables = Readonly<Record<string, string>>;

/** The variables of a job as each system documents and prints them, in the second of four parallel jobs and at its second attempt. */
export const GITHUB: Variables = {
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/payments',
  GITHUB_SHA: SHA,
  GITHUB_REF: 'refs/heads/release/v1.4.0',
  GITHUB_REF_NAME: 'release/v1.4.0',
  GITHUB_WORKFLOW: 'build',
  GITHUB_JOB: 'test',
  GITHUB_RUN_ID: '23625057533',
  GITHUB_RUN_ATTEMPT: '2',
  GITHUB_EVENT_NAME: 'push',
};
export const GITLAB: Variables = {
  CI: 'true',
  GITLAB_CI: 'true',
  CI_COMMIT_SHA: SHA,
  CI_COMMIT_REF_NAME: 'release/v1.4.0',
  CI_PROJECT_PATH: 'mirrors/payments',
  CI_JOB_NAME: 'test 2/4',
  CI_JOB_ID: '7000000001',
  CI_NODE_INDEX: '2',
  CI_NODE_TOTAL: '4',
  CI_PIPELINE_URL: 'https://gitlab.example/mirrors/payments/-/pipelines/88',
  CI_PIPELINE_SOURCE: 'push',
};
export const CIRCLECI: Variables = {
  CI: 'true',
  CIRCLECI: 'true',
  CIRCLE_SHA1: SHA,
  CIRCLE_BRANCH: 'release/v1.4.0',
  CIRCLE_JOB: 'test',
  CIRCLE_NODE_INDEX: '1',
  CIRCLE_NODE_TOTAL: '4',
  CIRCLE_BUILD_NUM: '131',
  CIRCLE_BUILD_URL: 'https://circleci.com/gh/acme/payments/131',
  CIRCLE_REPOSITORY_URL: 'git@github.com:acme/payments.git',
  CIRCLE_WORKFLOW_WORKSPACE_ID: '5f0e5c3a-95f1-4b7b-8d7e-3a0b0a4e7f10',
};
export const BUILDKITE: Variables = {
  CI: 'true',
  BUILDKITE: 'true',
  BUILDKITE_COMMIT: SHA,
  BUILDKITE_BRANCH: 'release/v1.4.0',
  BUILDKITE_TAG: '',
  BUILDKITE_PIPELINE_SLUG: 'payments',
  BUILDKITE_STEP_KEY: 'test',
  BUILDKITE_LABEL: ':jest: test',
  BUILDKITE_PARALLEL_JOB: '1',
  BUILDKITE_PARALLEL_JOB_COUNT: '4',
  BUILDKITE_BUILD_URL: 'https://buildkite.com/acme/payments/builds/88',
  BUILDKITE_RETRY_COUNT: '1',
  BUILDKITE_REPO: 'https://github.com/acme/payments.git',
  BUILDKITE_PULL_REQUEST: 'false',
};
export const AZURE: Variables = {
  TF_BUILD: 'True',
  BUILD_SOURCEVERSION: SHA,
  BUILD_SOURCEBRANCH: 'refs/heads/release/v1.4.0',
  BUILD_DEFINITIONNAME: 'payments',
  BUILD_BUILDID: '88',
  BUILD_REASON: 'IndividualCI',
  BUILD_REPOSITORY_PROVIDER: 'GitHub',
  BUILD_REPOSITORY_NAME: 'acme/payments',
  SYSTEM_COLLECTIONURI: 'https://dev.azure.com/acme/',
  SYSTEM_TEAMPROJECT: 'Online Shop',
  SYSTEM_STAGENAME: '__default',
  SYSTEM_PHASENAME: 'test',
  SYSTEM_JOBNAME: 'linux',
  SYSTEM_JOBDISPLAYNAME: 'Test linux',
  SYSTEM_JOBATTEMPT: '2',
  SYSTEM_TOTALJOBSINPHASE: '4',
};
export const JENKINS: Variables = {
  JENKINS_URL: 'https://jenkins.example/',
  GIT_COMMIT: SHA,
  GIT_URL: 'https://github.com/acme/payments.git',
  BRANCH_NAME: 'release/v1.4.0',
  JOB_NAME: 'acme/payments/release%2Fv1.4.0',
  STAGE_NAME: 'Test',
  BUILD_URL: 'https://jenkins.example/job/acme/job/payments/88/',
};
const TEAMCITY: Variables = {
  TEAMCITY_VERSION: '2026.1',
  BUILD_VCS_NUMBER: SHA,
  TEAMCITY_PROJECT_NAME: 'Payments',
  TEAMCITY_BUILDCONF_NAME: 'Test',
  BUILD_URL: 'https://teamcity.example/build/88',
};

const BRANCH = { commit: SHA, ref: 'release/v1.4.0' };
export const FOUR = { name: 'test', total: 4 };

/** What the command line reads from the variables of each system. */
export const DESCRIBED_JOBS: readonly (readonly [Variables, CiEnvironment])[] = [
  [
    GITHUB,
    {
      system: 'GitHub Actions',
      repository: 'acme/payments',
      ...BRANCH,
      pipeline: 'build',
      job: 'test',
      runUrl: 'https://github.com/acme/payments/actions/runs/23625057533',
      attempt: 2,
      isPullRequest: false,
    },
  ],
  [
    GITLAB,
    {
      system: 'GitLab CI',
      ...BRANCH,
      pipeline: 'mirrors/payments',
      job: 'test 2/4',
      runUrl: 'https://gitlab.example/mirrors/payments/-/pipelines/88',
      attempt: 7_000_000_001,
      group: FOUR,
      isPullRequest: false,
    },
  ],
  [
    CIRCLECI,
    {
      system: 'CircleCI',
      repository: 'acme/payments',
      ...BRANCH,
      pipeline: 'CircleCI',
      job: 'test (2/4)',
      runUrl: 'https://app.circleci.com/pipelines/workflows/5f0e5c3a-95f1-4b7b-8d7e-3a0b0a4e7f10',
      attempt: 131,
      group: FOUR,
      isPullRequest: false,
    },
  ],
  [
    BUILDKITE,
    {
      system: 'Buildkite',
      repository: 'acme/payments',
      ...BRANCH,
      pipeline: 'payments',
      job: 'test (2/4)',
      runUrl: 'https://buildkite.com/acme/payments/builds/88',
      attempt: 2,
      group: FOUR,
      isPullRequest: false,
    },
  ],
  [
    AZURE,
    {
      system: 'Azure Pipelines',
      repository: 'acme/payments',
      ...BRANCH,
      pipeline: 'payments',
      job: 'test.linux',
      runUrl: 'https://dev.azure.com/acme/Online%20Shop/_build/results?buildId=88',
      attempt: 2,
      group: FOUR,
      isPullRequest: false,
    },
  ],
  [
    JENKINS,
    {
      system: 'Jenkins',
      repository: 'acme/payments',
      ...BRANCH,
      pipeline: 'acme/payments',
      job: 'Test',
      runUrl: 'https://jenkins.example/job/acme/job/payments/88/',
      isPullRequest: false,
    },
  ],
  [
    TEAMCITY,
    {
      system: 'TeamCity',
      commit: SHA,
      pipeline: 'Payments',
      job: 'Test',
      runUrl: 'https://teamcity.example/build/88',
    },
  ],
];
