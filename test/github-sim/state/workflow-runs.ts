import type { Sha } from '../git/git-object.js';
import { workflowJobPayload, workflowRunPayload } from '../views/workflow-run-view.js';
import { announceCheckRun, jobCheckRun } from './check-runs.js';
import { JobHolds } from './job-holds.js';
import type { Repository } from './repository.js';

/** GitHub has more conclusions. The published schemas of its webhooks have these. */
export type JobConclusion = 'success' | 'failure' | 'cancelled' | 'skipped';

/** A job of one attempt. Its id is the id of its check run, which is `check_run_id` in an identity token. */
export interface WorkflowJob {
  readonly id: number;
  readonly run: WorkflowRun;
  /** With the values of its matrix, such as `test (2)`. */
  readonly name: string;
  readonly attempt: number;
  readonly createdAt: Date;
  status: 'queued' | 'waiting' | 'in_progress' | 'completed';
  conclusion: JobConclusion | null;
  startedAt: Date;
  completedAt: Date | null;
}

export interface WorkflowRunSpec {
  readonly sha: Sha;
  /** The names of the jobs that are queued at once. */
  readonly jobs?: readonly string[];
  readonly event?: string;
  /** By default any id. */
  readonly id?: number;
  /** The fork that the commit is from. */
  readonly fork?: Repository;
}

interface RerunSpec {
  /** The names of the jobs that run again; by default those that failed or were cancelled. */
  readonly jobs?: readonly string[];
  /** Whether the new attempt also lists the other jobs, under new ids. GitHub does both. */
  readonly listsOthers?: boolean;
}

/** A run of a workflow. It sends events about its changes, except for `quietly`. */
export class WorkflowRun {
  readonly id: number;
  readonly sha: Sha;
  readonly event: string;
  readonly createdAt: Date;
  /** The repository of the commit: another one for the pull request of a fork. */
  readonly headRepository: Repository;
  /** The jobs that need an environment. */
  readonly holds: JobHolds = new JobHolds(this);
  /** The jobs of all attempts, oldest first. */
  readonly jobs: WorkflowJob[] = [];
  attempt = 1;
  /** The ids of the jobs whose check run was announced. */
  private readonly announced = new Set<number>();

  constructor(
    readonly repository: Repository,
    readonly number: number,
    { sha, id, event = 'push', fork }: WorkflowRunSpec,
  ) {
    this.id = id ?? repository.state.nextId();
    this.sha = sha;
    this.event = event;
    this.createdAt = repository.state.now();
    this.headRepository = fork ?? repository;
  }

  get status(): 'queued' | 'in_progress' | 'waiting' | 'completed' {
    const states = new Set(this.jobsOf(this.attempt).map(({ status }) => status));
    if (this.isCompleted) return 'completed';
    if (states.has('in_progress')) return 'in_progress';
    return states.has('waiting') ? 'waiting' : 'queued';
  }

  get isCompleted(): boolean {
    return this.jobsOf(this.attempt).every(({ status }) => status === 'completed');
  }

  /** The jobs in the list of an attempt. */
  jobsOf(attempt: number): readonly WorkflowJob[] {
    return this.jobs.filter((job) => job.attempt === attempt);
  }

  /** The newest job of this name. */
  job(name: string): WorkflowJob {
    const job = this.jobs.findLast((one) => one.name === name);
    if (!job) throw new Error(`The run has no job ${name}`);
    return job;
  }

  queue(...names: readonly string[]): void {
    for (const name of names) this.notify('queued', this.add(name));
  }

  /** Lets the job wait for the approval of an environment. */
  hold(name: string): WorkflowJob {
    return this.change(name, { status: 'waiting' }, 'waiting');
  }

  /** Queues the job after its wait. */
  letGo(name: string): void {
    this.change(name, { status: 'queued' }, 'queued');
  }

  start(name: string): WorkflowJob {
    return this.change(name, { status: 'in_progress', startedAt: this.repository.state.now() }, 'in_progress');
  }

  /** Completes the job. The run ends with its last job. */
  complete(name: string, conclusion: JobConclusion = 'success'): WorkflowJob {
    const ended = { status: 'completed', conclusion, completedAt: this.repository.state.now() } as const;
    const job = this.change(name, ended, 'completed');
    if (this.isCompleted) this.announce('completed');
    return job;
  }

  /** Cancels every job that has not ended, like a user who cancels the run. */
  cancel(): void {
    const unfinished = this.jobsOf(this.attempt).filter(({ status }) => status !== 'completed');
    for (const { name } of unfinished) this.complete(name, 'cancelled');
  }

  /** Starts a new attempt, in which failed jobs are queued again under new ids. */
  rerun({ jobs, listsOthers = false }: RerunSpec = {}): void {
    const newest = [...new Map(this.jobs.map((job) => [job.name, job])).values()];
    const isAgain = ({ name, conclusion }: WorkflowJob): boolean =>
      jobs?.includes(name) ?? (conclusion !== 'success' && conclusion !== 'skipped');
    this.attempt += 1;
    for (const job of newest) {
      if (isAgain(job)) this.notify('queued', this.add(job.name));
      else if (listsOthers) this.jobs.push({ ...job, id: this.repository.state.nextId(), attempt: this.attempt });
    }
    this.announce('requested');
  }

  /** Returns the job of this name in an attempt. Creates it as successful, without an event, if there is none. */
  quietly(name: string, attempt: number): WorkflowJob {
    this.attempt = Math.max(this.attempt, attempt);
    const known = this.jobsOf(attempt).find((job) => job.name === name);
    if (known) return known;
    const job = this.add(name, attempt);
    return Object.assign(job, { status: 'completed', conclusion: 'success', completedAt: this.repository.state.now() });
  }

  announce(action: 'requested' | 'completed'): void {
    const { repository } = this;
    repository.emit('workflow_run', workflowRunPayload(action, this), repository.owner.founder);
  }

  private add(name: string, attempt = this.attempt): WorkflowJob {
    const { state } = this.repository;
    const times = { createdAt: state.now(), startedAt: state.now(), completedAt: null };
    const job: WorkflowJob = {
      id: state.nextId(),
      run: this,
      name,
      attempt,
      status: 'queued',
      conclusion: null,
      ...times,
    };
    this.jobs.push(job);
    return job;
  }

  private change(name: string, changes: Partial<WorkflowJob>, action: WorkflowJob['status']): WorkflowJob {
    const job = Object.assign(this.job(name), changes);
    this.notify(action, job);
    return job;
  }

  private notify(action: WorkflowJob['status'], job: WorkflowJob): void {
    const { repository } = this;
    repository.emit('workflow_job', workflowJobPayload(action, job), repository.owner.founder);
    // A job that waited for an environment is queued a second time.
    if (action === 'queued' && !this.announced.has(job.id)) this.announceCheck(job, 'created');
    if (action === 'completed') this.announceCheck(job, 'completed');
  }

  private announceCheck(job: WorkflowJob, action: 'created' | 'completed'): void {
    this.announced.add(job.id);
    announceCheckRun(jobCheckRun(job), action, this.repository.owner.founder);
  }
}

/** The workflow runs of a repository, all of one workflow. Their jobs are check runs of the commit. */
export class WorkflowRuns {
  private readonly runs = new Map<number, WorkflowRun>();
  private lastNumber = 0;

  constructor(private readonly repository: Repository) {}

  create(spec: WorkflowRunSpec): WorkflowRun {
    const run = this.add(spec);
    run.announce('requested');
    run.queue(...(spec.jobs ?? []));
    return run;
  }

  /** Returns the run with this id. Creates it without an event if there is none. */
  quietly(spec: WorkflowRunSpec & { readonly id: number }): WorkflowRun {
    return this.find(spec.id) ?? this.add(spec);
  }

  find(id: number): WorkflowRun | null {
    return this.runs.get(id) ?? null;
  }

  /** Newest first. */
  list(): readonly WorkflowRun[] {
    return [...this.runs.values()].toReversed();
  }

  /** The jobs of all attempts of the runs of a commit. */
  jobsOf(sha: Sha): readonly WorkflowJob[] {
    return [...this.runs.values()].filter((run) => run.sha === sha).flatMap(({ jobs }) => jobs);
  }

  /** The newest run of a commit. */
  newestOf(sha: Sha): WorkflowRun {
    const run = [...this.runs.values()].findLast((one) => one.sha === sha);
    if (!run) throw new Error(`No run is of the commit ${sha}`);
    return run;
  }

  /** Deletes a run, like a user or the retention of the repository. */
  delete(run: WorkflowRun): void {
    this.runs.delete(run.id);
  }

  private add(spec: WorkflowRunSpec): WorkflowRun {
    this.lastNumber += 1;
    const run = new WorkflowRun(this.repository, this.lastNumber, spec);
    this.runs.set(run.id, run);
    return run;
  }
}
