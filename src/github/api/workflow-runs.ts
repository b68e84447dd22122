import type { Clock } from '../../config/clock.js';
import type { RunJobFact, RunJobsFact } from '../../domain/facts/facts.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

const PERMISSION = 'actions';
/** 5,000 jobs. A matrix has at most 256 jobs, so this is enough for many attempts of several matrices. */
const MAX_PAGES = 50;
const READS = 3;

const NOT_GRANTED: RunJobsFact = { granted: false, jobs: [], complete: true };
const NO_RUN: RunJobsFact = { granted: true, jobs: [], complete: true };

/** A run of a workflow in its latest attempt. */
export interface WorkflowRun {
  readonly attempt: number;
  readonly headSha: string;
  /** The id of the repository that the commit is from; null if it was deleted. */
  readonly headRepositoryId: number | null;
  /** The event that started it, such as `push`. */
  readonly event: string;
  readonly isCompleted: boolean;
}

export class WorkflowRuns {
  constructor(
    private readonly calls: RepositoryCalls,
    private readonly clock: Clock,
  ) {}

  /** Returns null if there is no such run. */
  async find(ref: RepositoryRef, runId: number, signal?: AbortSignal): Promise<Observed<WorkflowRun | null>> {
    return this.calls.find(ref, this.calls.rest.actions.getWorkflowRun, { run_id: runId }, parseRun, signal);
  }

  /** Lists the ids of the 100 latest runs that wait for the rules of an environment. */
  async listWaiting(ref: RepositoryRef, signal?: AbortSignal): Promise<Observed<readonly number[]>> {
    return this.calls.get(
      ref,
      this.calls.rest.actions.listWorkflowRunsForRepo,
      { status: 'waiting', per_page: 100 },
      (page) => page.list('workflow_runs').map((run) => run.integer('id')),
      signal,
    );
  }

  /**
   * Lists the jobs of all attempts of a workflow run. GitHub answers 403 and 404 for many reasons. So the installation's
   * token shows whether the permission was granted, and a 404 means "no such run" only with that permission.
   */
  async jobs(ref: RepositoryRef, runId: number, signal?: AbortSignal): Promise<Observed<RunJobsFact>> {
    return observe(this.clock, async () => {
      if (!(await this.calls.isGranted(ref, PERMISSION, { signal }))) return NOT_GRANTED;
      try {
        return await this.readJobs(ref, runId, signal);
      } catch (error) {
        if (!GitHubError.is(error, 'forbidden', 'not_found')) throw error;
        // The permission may have been removed after the token was issued.
        if (!(await this.calls.isGranted(ref, PERMISSION, { withNewToken: true, signal }))) return NOT_GRANTED;
        if (error.kind === 'forbidden') throw error;
        await this.calls.confirm(ref, signal);
        return NO_RUN;
      }
    });
  }

  /** Reads the pages again if a job is missing because it moved to another page during the read. */
  private async readJobs(ref: RepositoryRef, runId: number, signal?: AbortSignal): Promise<RunJobsFact> {
    for (let reads = 1; ; reads += 1) {
      const parameters = { run_id: runId, filter: 'all', per_page: 100 } as const;
      const { listJobsForWorkflowRun } = this.calls.rest.actions;
      const { value: pages } = await this.calls.pages(ref, listJobsForWorkflowRun, parameters, MAX_PAGES, signal);
      const jobs = new Map(pages.flatMap((page) => page.list('jobs').map(parseJob)).map((job) => [job.id, job]));
      const total = Math.max(...pages.map((page) => page.integer('total_count')));
      const complete = jobs.size >= total;
      if (complete || pages.length === MAX_PAGES || reads === READS) {
        const listed = [...jobs.values()].toSorted((one, other) => one.id - other.id);
        const beganAt = complete ? firstTime(pages.flatMap((page) => page.list('jobs').map(readCreation))) : null;
        return { granted: true, jobs: listed, complete, ...(beganAt !== null && { beganAt }) };
      }
    }
  }
}

const parseRun = (run: JsonReader): WorkflowRun => ({
  attempt: run.integerOrNull('run_attempt') ?? 1,
  headSha: run.text('head_sha'),
  headRepositoryId: run.objectOrNull('head_repository')?.integer('id') ?? null,
  event: run.text('event'),
  isCompleted: run.textOrNull('status') === 'completed',
});

const parseJob = (job: JsonReader): RunJobFact => ({
  id: job.integer('id'),
  name: job.text('name'),
  attempt: job.integerOrNull('run_attempt') ?? 1,
  state: job.text('status') === 'completed' ? toJobState(job.textOrNull('conclusion')) : 'running',
});

const readCreation = (job: JsonReader): string | null => job.textOrNull('created_at');

/** Returns the first of the times, which are all of one form; null if one of them is missing. */
function firstTime(times: readonly (string | null)[]): string | null {
  let first: string | null = null;
  for (const time of times) {
    if (time === null) return null;
    if (first === null || time < first) first = time;
  }
  return first;
}

/** Maps a conclusion (https://docs.github.com/rest/actions/workflow-jobs). An unknown one counts as a failure. */
function toJobState(conclusion: string | null): RunJobFact['state'] {
  if (conclusion === 'success') return 'success';
  return conclusion === 'skipped' || conclusion === 'neutral' ? 'skipped' : 'failure';
}
