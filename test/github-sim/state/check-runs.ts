import type { Sha } from '../git/git-object.js';
import { checkRunView } from '../views/check-run-view.js';
import type { App } from './app.js';
import { ApiRejection } from './api-rejection.js';
import type { Repository } from './repository.js';
import type { User } from './user.js';
import type { WorkflowJob } from './workflow-runs.js';

export type CheckConclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'skipped'
  | 'timed_out'
  | 'action_required'
  | 'stale';

export interface CheckRunOutput {
  readonly title: string | null;
  readonly summary: string | null;
  readonly text: string | null;
}

export interface CheckRun {
  readonly id: number;
  readonly suiteId: number;
  readonly repository: Repository;
  readonly app: App;
  readonly headSha: Sha;
  readonly startedAt: Date;
  name: string;
  externalId: string;
  detailsUrl: string | null;
  status: 'queued' | 'waiting' | 'in_progress' | 'completed';
  conclusion: CheckConclusion | null;
  completedAt: Date | null;
  output: CheckRunOutput;
}

interface CheckRunSpec {
  readonly sha: Sha;
  readonly name: string;
  readonly app: App;
  readonly status?: CheckRun['status'];
  /** If present, the run is completed. */
  readonly conclusion?: CheckConclusion;
  readonly detailsUrl?: string;
  readonly externalId?: string;
  readonly output?: Partial<CheckRunOutput>;
}

export type CheckRunEdits = Partial<Omit<CheckRunSpec, 'sha' | 'app'>>;

/** Sends the event of a check run. */
export function announceCheckRun(run: CheckRun, action: 'created' | 'completed', by: User): void {
  const received = { ...checkRunView(run), details_url: run.detailsUrl ?? checkRunView(run).html_url };
  run.repository.emit('check_run', { action, check_run: received }, by);
}

/** The check run of a job. It is in the suite of its workflow run, which all attempts share. */
export function jobCheckRun({ run, ...job }: WorkflowJob): CheckRun {
  const { repository } = run;
  const { apps } = repository.state;
  return {
    ...job,
    suiteId: run.id,
    repository,
    app:
      apps.findBySlug('github-actions') ?? apps.register({ name: 'GitHub Actions', owner: repository.owner.founder }),
    headSha: run.sha,
    externalId: '',
    detailsUrl: `${repository.htmlUrl}/actions/runs/${run.id}/job/${job.id}`,
    output: { title: null, summary: null, text: null },
  };
}

/** The check runs of a repository. Only the app that created a run can change it. */
export class CheckRuns {
  private readonly runs: CheckRun[] = [];
  private readonly suites = new Map<string, number>();

  constructor(private readonly repository: Repository) {}

  create(spec: CheckRunSpec, by: User = spec.app.bot): CheckRun {
    const { state, git } = this.repository;
    if (!git.store.hasCommit(spec.sha)) throw new ApiRejection('invalid', `No commit found for SHA: ${spec.sha}`);
    const run: CheckRun = {
      id: state.nextId(),
      suiteId: this.suiteOf(spec),
      repository: this.repository,
      app: spec.app,
      headSha: spec.sha,
      startedAt: state.now(),
      name: spec.name,
      externalId: '',
      detailsUrl: null,
      status: 'queued',
      conclusion: null,
      completedAt: null,
      output: { title: null, summary: null, text: null },
    };
    this.runs.push(run);
    this.apply(run, spec);
    announceCheckRun(run, 'created', by);
    if (run.status === 'completed') announceCheckRun(run, 'completed', by);
    return run;
  }

  update(run: CheckRun, edits: CheckRunEdits, by: User = run.app.bot): void {
    const wasCompleted = run.status === 'completed';
    this.apply(run, edits);
    if (!wasCompleted && run.status === 'completed') announceCheckRun(run, 'completed', by);
  }

  find(id: number): CheckRun | null {
    return this.runs.find((run) => run.id === id) ?? null;
  }

  /**
   * Newest first, with the jobs of the commit's workflow runs. `latest` limits the list to the newest run of each name in
   * each suite, whether or not it is the same check.
   */
  ofCommit(sha: Sha, filter: 'latest' | 'all'): readonly CheckRun[] {
    const runs = [...this.runs, ...this.repository.workflowRuns.jobsOf(sha).map(jobCheckRun)]
      .filter(({ headSha }) => headSha === sha)
      .sort((one, other) => other.id - one.id);
    if (filter === 'all') return runs;
    const sameCheck = (one: CheckRun, other: CheckRun) => one.name === other.name && one.suiteId === other.suiteId;
    return runs.filter((run, index) => !runs.slice(0, index).some((newer) => sameCheck(newer, run)));
  }

  private apply(run: CheckRun, edits: CheckRunEdits): void {
    run.name = edits.name ?? run.name;
    run.externalId = edits.externalId ?? run.externalId;
    run.detailsUrl = edits.detailsUrl ?? run.detailsUrl;
    run.output = { ...run.output, ...edits.output };
    run.status = edits.conclusion ? 'completed' : (edits.status ?? run.status);
    run.conclusion = run.status === 'completed' ? (edits.conclusion ?? run.conclusion) : null;
    run.completedAt = run.status === 'completed' ? (run.completedAt ?? this.repository.state.now()) : null;
  }

  private suiteOf({ sha, app }: CheckRunSpec): number {
    const key = `${sha}:${app.id}`;
    const id = this.suites.get(key) ?? this.repository.state.nextId();
    this.suites.set(key, id);
    return id;
  }
}
