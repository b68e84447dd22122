import type { Clock } from '../../config/clock.js';
import type { RunJobFact, RunJobsFact } from '../../domain/facts/facts.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

const PERMISSION = 'actions';
/** 5,000 jobs: a matrix has at most 256, so that many attempts of several matrices are read whole. */
const MAX_PAGES = 50;
const READS = 3;

const NOT_GRANTED: RunJobsFact = { granted: false, jobs: [], complete: true };
const NO_RUN: RunJobsFact = { granted: true, jobs: [], complete: true };

export class WorkflowRuns {
  constructor(
    private readonly calls: RepositoryCalls,
    private readonly clock: Clock,
  ) {}

  /**
   * The jobs of a workflow run, of all attempts. GitHub answers 403 and 404 for many reasons: only a token of the installation
   * tells that the permission was not granted, and only one that has it tells that there is no such run.
   */
  async jobs(ref: RepositoryRef, runId: number, signal?: AbortSignal): Promise<Observed<RunJobsFact>> {
    return observe(this.clock, async () => {
      if (!(await this.calls.isGranted(ref, PERMISSION, { signal }))) return NOT_GRANTED;
      try {
        return await this.readJobs(ref, runId, signal);
      } catch (error) {
        if (!GitHubError.is(error, 'forbidden', 'not_found')) throw error;
        // The permission may have been withdrawn after the token was handed out.
        if (!(await this.calls.isGranted(ref, PERMISSION, { anew: true, signal }))) return NOT_GRANTED;
        if (error.kind === 'forbidden') throw error;
        await this.calls.confirm(ref, signal);
        return NO_RUN;
      }
    });
  }

  /** Read again where a job moved from page to page meanwhile, so that one is missing that GitHub counts. */
  private async readJobs(ref: RepositoryRef, runId: number, signal?: AbortSignal): Promise<RunJobsFact> {
    for (let reads = 1; ; reads += 1) {
      const parameters = { run_id: runId, filter: 'all', per_page: 100 } as const;
      const { listJobsForWorkflowRun } = this.calls.rest.actions;
      const { value: pages } = await this.calls.pages(ref, listJobsForWorkflowRun, parameters, MAX_PAGES, signal);
      const jobs = new Map(pages.flatMap((page) => page.list('jobs').map(jobOf)).map((job) => [job.id, job]));
      const total = Math.max(...pages.map((page) => page.integer('total_count')));
      const complete = jobs.size >= total;
      if (complete || pages.length === MAX_PAGES || reads === READS) {
        return { granted: true, jobs: [...jobs.values()].toSorted((one, other) => one.id - other.id), complete };
      }
    }
  }
}

const jobOf = (job: JsonReader): RunJobFact => ({
  id: job.integer('id'),
  name: job.text('name'),
  attempt: job.integerOrNull('run_attempt') ?? 1,
  state: job.text('status') === 'completed' ? endOf(job.textOrNull('conclusion')) : 'running',
});

/** https://docs.github.com/rest/actions/workflow-jobs: whatever is not known to be well is a failure. */
function endOf(conclusion: string | null): RunJobFact['state'] {
  if (conclusion === 'success') return 'success';
  return conclusion === 'skipped' || conclusion === 'neutral' ? 'skipped' : 'failure';
}
