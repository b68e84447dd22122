/** The description of the job from the environment variables of a CI system. A member without a variable is undefined. */
export interface CiEnvironment {
  /** The name of the CI system; null outside of a known one. */
  readonly system: string | null;
  /** The repository on GitHub, as `owner/name`. */
  readonly repository?: string | undefined;
  readonly commit?: string | undefined;
  /** The branch or the tag. */
  readonly ref?: string | undefined;
  readonly pipeline?: string | undefined;
  /** The job with its matrix values. A retry of the job has the same name. */
  readonly job?: string | undefined;
  /** The page of the run. All jobs of one pipeline share it. With one run per job, a passing job would hide a failing one. */
  readonly runUrl?: string | undefined;
  /** The attempt of the job in its run. A later attempt replaces an earlier one. */
  readonly attempt?: number | undefined;
  /** Jobs that upload together, and their number. */
  readonly group?: { readonly name: string; readonly total: number } | undefined;
  /** Whether the commit may be a merge of a pull request that is never deployed. */
  readonly isPullRequest?: boolean | undefined;
}

/** The environment variables of the process. */
export type Env = Readonly<Record<string, string | undefined>>;

interface CiSystem {
  readonly name: string;
  /** The variable that the system sets in each job. */
  readonly variable: string;
  readonly describe: (variables: Variables) => Omit<CiEnvironment, 'system'>;
}

/** Reads environment variables. An empty variable counts as absent. */
class Variables {
  constructor(private readonly env: Env) {}

  /** Returns the first of the variables that is set. */
  text(...names: readonly string[]): string | undefined {
    for (const name of names) {
      const value = this.env[name]?.trim();
      if (value !== undefined && value !== '') return value;
    }
    return undefined;
  }

  number(name: string): number | undefined {
    const value = this.text(name);
    return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  }

  /** Returns the number of the variable plus one, for variables that count from 0. */
  next(name: string): number | undefined {
    const value = this.number(name);
    return value === undefined ? undefined : value + 1;
  }

  url(name: string, path: (base: string) => string): string | undefined {
    const base = this.text(name);
    return base === undefined ? undefined : path(base.replace(/\/+$/, ''));
  }
}

/** Returns `owner/name` of an address at GitHub, by HTTPS or SSH; undefined for another host. */
export function repositoryOfAddress(address: string | undefined): string | undefined {
  const [, path] =
    /^(?:https?:\/\/(?:[^@/]*@)?github\.com\/|(?:ssh:\/\/)?git@github\.com[:/])([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(
      address ?? '',
    ) ?? [];
  return path;
}

/** Returns the group of a job; undefined if the job is the only one of it. */
export const toGroup = (name: string | undefined, total: number | undefined): CiEnvironment['group'] =>
  name !== undefined && total !== undefined && total > 1 && total <= 256 ? { name, total } : undefined;

const isTrue = (value: string | undefined): boolean => value !== undefined && value !== 'false';

/** Removes the number of a parallel job: GitLab names the jobs of `parallel: 4` as `test 1/4`. */
const withoutNumber = (job: string | undefined): string | undefined => job?.replace(/[ :]\d+\/\d+$/, '');

/**
 * Returns the name of a job of Azure Pipelines: its stage, its name in the file, and its matrix entry. The displayed name is not
 * enough, because jobs may share it, and a retry of one job would replace the failing upload of another.
 */
function azureJob(variables: Variables): string | undefined {
  const phase = variables.text('SYSTEM_PHASENAME');
  if (phase === undefined) return undefined;
  const names = [variables.text('SYSTEM_STAGENAME'), phase, variables.text('SYSTEM_JOBNAME')];
  return names.filter((name) => name !== undefined && name !== '__default').join('.');
}

/**
 * The CI systems, each by the documentation of its predefined variables. TeamCity comes before Jenkins, because one machine may be an
 * agent of both, and `TEAMCITY_VERSION` is set only in builds of TeamCity.
 */
const SYSTEMS: readonly CiSystem[] = [
  {
    name: 'GitHub Actions',
    variable: 'GITHUB_ACTIONS',
    describe: (variables) => {
      const [server, repository, run] = ['GITHUB_SERVER_URL', 'GITHUB_REPOSITORY', 'GITHUB_RUN_ID'].map((name) =>
        variables.text(name),
      );
      const attempt = variables.number('GITHUB_RUN_ATTEMPT');
      const page = server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined;
      return {
        repository,
        commit: variables.text('GITHUB_SHA'),
        ref: variables.text('GITHUB_REF_NAME'),
        pipeline: variables.text('GITHUB_WORKFLOW'),
        job: variables.text('GITHUB_JOB'),
        runUrl: page,
        attempt,
        isPullRequest: variables.text('GITHUB_EVENT_NAME')?.startsWith('pull_request'),
      };
    },
  },
  {
    name: 'GitLab CI',
    variable: 'GITLAB_CI',
    describe: (variables) => {
      const job = variables.text('CI_JOB_NAME');
      return {
        commit: variables.text('CI_COMMIT_SHA'),
        ref: variables.text('CI_COMMIT_TAG', 'CI_COMMIT_REF_NAME'),
        pipeline: variables.text('CI_PIPELINE_NAME', 'CI_PROJECT_PATH'),
        job,
        runUrl: variables.text('CI_PIPELINE_URL'),
        // Older versions do not count retries. The id of the job grows with each one.
        attempt: variables.next('CI_JOB_RETRY_COUNT') ?? variables.number('CI_JOB_ID'),
        group: toGroup(withoutNumber(job), variables.number('CI_NODE_TOTAL')),
        isPullRequest: variables.text('CI_PIPELINE_SOURCE') === 'merge_request_event',
      };
    },
  },
  {
    name: 'CircleCI',
    variable: 'CIRCLECI',
    describe: (variables) => {
      const [job, total] = [variables.text('CIRCLE_JOB'), variables.number('CIRCLE_NODE_TOTAL')];
      const node = variables.next('CIRCLE_NODE_INDEX');
      return {
        repository: repositoryOfAddress(variables.text('CIRCLE_REPOSITORY_URL')),
        commit: variables.text('CIRCLE_SHA1'),
        ref: variables.text('CIRCLE_TAG', 'CIRCLE_BRANCH'),
        pipeline: 'CircleCI',
        job: job !== undefined && total !== undefined && total > 1 ? `${job} (${node}/${total})` : job,
        // Only this id stays the same when the failed jobs of a workflow run again.
        runUrl: variables.url(
          'CIRCLE_WORKFLOW_WORKSPACE_ID',
          (id) => `https://app.circleci.com/pipelines/workflows/${id}`,
        ),
        attempt: variables.number('CIRCLE_BUILD_NUM'),
        group: toGroup(job, total),
        isPullRequest: variables.text('CIRCLE_PULL_REQUEST') !== undefined,
      };
    },
  },
  {
    name: 'Buildkite',
    variable: 'BUILDKITE',
    describe: (variables) => {
      const step = variables.text('BUILDKITE_STEP_KEY', 'BUILDKITE_LABEL');
      const [node, total] = [
        variables.next('BUILDKITE_PARALLEL_JOB'),
        variables.number('BUILDKITE_PARALLEL_JOB_COUNT'),
      ];
      return {
        repository: repositoryOfAddress(variables.text('BUILDKITE_REPO')),
        commit: variables.text('BUILDKITE_COMMIT'),
        ref: variables.text('BUILDKITE_TAG', 'BUILDKITE_BRANCH'),
        pipeline: variables.text('BUILDKITE_PIPELINE_SLUG'),
        job: step !== undefined && node !== undefined && total !== undefined ? `${step} (${node}/${total})` : step,
        runUrl: variables.text('BUILDKITE_BUILD_URL'),
        attempt: variables.next('BUILDKITE_RETRY_COUNT'),
        group: toGroup(step, total),
        isPullRequest: isTrue(variables.text('BUILDKITE_PULL_REQUEST')),
      };
    },
  },
  {
    name: 'Azure Pipelines',
    variable: 'TF_BUILD',
    describe: (variables) => {
      const [project, build] = [variables.text('SYSTEM_TEAMPROJECT'), variables.text('BUILD_BUILDID')];
      const page = (base: string): string =>
        `${base}/${encodeURIComponent(project ?? '')}/_build/results?buildId=${build}`;
      return {
        repository:
          variables.text('BUILD_REPOSITORY_PROVIDER') === 'GitHub'
            ? variables.text('BUILD_REPOSITORY_NAME')
            : undefined,
        commit: variables.text('BUILD_SOURCEVERSION'),
        ref: variables.text('BUILD_SOURCEBRANCH')?.replace(/^refs\/(?:heads|tags)\//, ''),
        pipeline: variables.text('BUILD_DEFINITIONNAME'),
        job: azureJob(variables) ?? variables.text('SYSTEM_JOBDISPLAYNAME'),
        runUrl: project === undefined || build === undefined ? undefined : variables.url('SYSTEM_COLLECTIONURI', page),
        attempt: variables.number('SYSTEM_JOBATTEMPT'),
        // In a matrix, SYSTEM_JOBNAME is the matrix entry, which is different for each job.
        group: toGroup(variables.text('SYSTEM_PHASENAME'), variables.number('SYSTEM_TOTALJOBSINPHASE')),
        isPullRequest: variables.text('BUILD_REASON') === 'PullRequest',
      };
    },
  },
  {
    name: 'TeamCity',
    variable: 'TEAMCITY_VERSION',
    describe: (variables) => ({
      commit: variables.text('BUILD_VCS_NUMBER'),
      pipeline: variables.text('TEAMCITY_PROJECT_NAME'),
      job: variables.text('TEAMCITY_BUILDCONF_NAME'),
      runUrl: variables.text('BUILD_URL'),
    }),
  },
  {
    name: 'Jenkins',
    variable: 'JENKINS_URL',
    describe: (variables) => {
      const branch = variables.text('BRANCH_NAME');
      const name = variables.text('JOB_NAME');
      // The job of a multibranch pipeline ends with its branch, in which slashes are encoded.
      const suffix = branch === undefined ? '' : `/${encodeURIComponent(branch)}`;
      return {
        repository: repositoryOfAddress(variables.text('GIT_URL')),
        commit: variables.text('GIT_COMMIT'),
        ref: variables.text('TAG_NAME', 'BRANCH_NAME'),
        pipeline: suffix !== '' && name?.endsWith(suffix) ? name.slice(0, -suffix.length) : name,
        job: variables.text('STAGE_NAME'),
        runUrl: variables.text('BUILD_URL'),
        isPullRequest: variables.text('CHANGE_ID') !== undefined,
      };
    },
  },
];

/** Describes the job by the variables of the CI system that runs it. */
export function readCiEnvironment(env: Env): CiEnvironment {
  const variables = new Variables(env);
  const system = SYSTEMS.find(({ variable }) => variables.text(variable) !== undefined);
  return system === undefined ? { system: null } : { system: system.name, ...system.describe(variables) };
}

/** Whether the process runs in CI, where no user can answer a prompt. */
export const isInCi = (env: Env): boolean => isTrue(env['CI']) || readCiEnvironment(env).system !== null;
