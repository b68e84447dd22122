import type { Sha } from '../git/git-object.js';
import { checkRunView } from '../views/check-run-view.js';
import type { App } from './app.js';
import { ApiRejection } from './api-rejection.js';
import type { Repository } from './repository.js';
import type { User } from './user.js';

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
  status: 'queued' | 'in_progress' | 'completed';
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
    this.announce(run, 'created', by);
    if (run.status === 'completed') this.announce(run, 'completed', by);
    return run;
  }

  update(run: CheckRun, edits: CheckRunEdits, by: User = run.app.bot): void {
    const wasCompleted = run.status === 'completed';
    this.apply(run, edits);
    if (!wasCompleted && run.status === 'completed') this.announce(run, 'completed', by);
  }

  find(id: number): CheckRun | null {
    return this.runs.find((run) => run.id === id) ?? null;
  }

  /** Newest first. `latest` limits the list to the newest run of each name and app. */
  ofCommit(sha: Sha, filter: 'latest' | 'all'): readonly CheckRun[] {
    const runs = this.runs.filter(({ headSha }) => headSha === sha).toReversed();
    if (filter === 'all') return runs;
    const sameCheck = (one: CheckRun, other: CheckRun) => one.name === other.name && one.app === other.app;
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

  private announce(run: CheckRun, action: 'created' | 'completed', by: User): void {
    const received = { ...checkRunView(run), details_url: run.detailsUrl ?? checkRunView(run).html_url };
    this.repository.emit('check_run', { action, check_run: received }, by);
  }
}
