import { groupBy } from '../../domain/group-by.js';
import type { CheckFact, Sha } from '../../domain/facts/facts.js';
import type { GitHubSettings } from '../github-settings.js';
import type { Markdown } from '../markdown.js';
import type { Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';
import type { WorkflowRuns } from './workflow-runs.js';

/** GitHub's required checks accept these two as success, but they mean that nothing was checked. */
const SKIPPED_CONCLUSIONS: ReadonlySet<string> = new Set(['neutral', 'skipped']);

/** GitHub lists the runs of at most this number of suites of a commit, the newest. */
const MAX_SUITES = 1_000;
/** The maximum number of workflow runs whose jobs are read for one commit. The attempts of the others are not known. */
const MAX_RUNS = 50;
/** The app of GitHub's own CI. */
const ACTIONS = 'github-actions';
/** The page of a job of a workflow run. The check run of a job has its address. */
const JOB_PAGE = /\/actions\/runs\/(\d{1,15})\/job\/\d+/;

export class Checks {
  constructor(
    private readonly calls: RepositoryCalls,
    private readonly workflowRuns: WorkflowRuns,
  ) {}

  /**
   * Lists all check runs of a commit and its commit statuses, which are checks without an app. The list of the latest
   * runs would hide a failed one: GitHub takes runs of one name in one suite for one check, also two jobs of one name.
   */
  async listByCommit(ref: RepositoryRef, sha: Sha, signal?: AbortSignal): Promise<Observed<readonly CheckFact[]>> {
    const runs = await this.calls.list(
      ref,
      this.calls.rest.checks.listForRef,
      { ref: sha, filter: 'all', per_page: 100 },
      (page) => [parseCheckPage(page, 'check_runs', parseCheckRun)],
      signal,
    );
    const statuses = await this.calls.list(
      ref,
      this.calls.rest.repos.getCombinedStatusForRef,
      { ref: sha, per_page: 100 },
      (page) => [parseCheckPage(page, 'statuses', parseCommitStatus)],
      signal,
    );
    const checkRuns = requireAll(runs.value);
    if (new Set(checkRuns.map(({ suite }) => suite)).size >= MAX_SUITES) {
      throw new GitHubError('malformed', `GitHub may not list all check suites of a commit with ${MAX_SUITES}`);
    }
    const attempts = await this.readAttempts(ref, checkRuns, signal);
    const tried = checkRuns.map((run) => ({ ...run, attempt: attempts.get(run.id) ?? null }));
    return { value: [...tried, ...requireAll(statuses.value)], observedAt: runs.observedAt };
  }

  /**
   * Reads the attempts of jobs that share name and suite with another run, by the id of the job. Others are not needed, so
   * most commits cost no request.
   */
  private async readAttempts(
    ref: RepositoryRef,
    runs: readonly CheckFact[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<number, number>> {
    const ofOneName = groupBy(runs, ({ name, app, suite }) => JSON.stringify([name, app, suite])).values();
    const shared = [...ofOneName].filter((same) => same.length > 1).flat();
    const workflowRuns = [...new Set(shared.flatMap(({ workflowRun }) => workflowRun ?? []))].slice(0, MAX_RUNS);
    const read = await Promise.all(workflowRuns.map((id) => this.workflowRuns.jobs(ref, id, signal)));
    const jobs = read.flatMap(({ value }) => (value.complete ? value.jobs : []));
    return new Map(jobs.map(({ id, attempt }) => [id, attempt]));
  }
}

interface CheckPage {
  readonly checks: readonly CheckFact[];
  /** The number of checks on all pages, as GitHub states it. */
  readonly total: number;
}

const parseCheckPage = (page: JsonReader, key: string, read: (item: JsonReader) => CheckFact): CheckPage => ({
  checks: page.list(key).map(read),
  total: page.integer('total_count'),
});

/** Rejects a list that is shorter than GitHub's count, because the missing check may be a failed one. */
function requireAll(pages: readonly CheckPage[]): readonly CheckFact[] {
  const checks = pages.flatMap((page) => page.checks);
  const total = Math.max(0, ...pages.map((page) => page.total));
  if (checks.length < total) {
    throw new GitHubError('malformed', `GitHub counts ${total} checks and lists ${checks.length}`);
  }
  return checks;
}

function parseCheckRun(run: JsonReader): CheckFact {
  const completed = run.text('status') === 'completed';
  const conclusion = completed ? run.textOrNull('conclusion') : null;
  const app = run.objectOrNull('app')?.textOrNull('slug') ?? null;
  return {
    id: run.integer('id'),
    name: run.text('name'),
    app,
    suite: run.objectOrNull('check_suite')?.integer('id') ?? null,
    workflowRun: app === ACTIONS ? parseWorkflowRun(run) : null,
    attempt: null,
    startedAt: run.textOrNull('started_at'),
    completedAt: completed ? run.textOrNull('completed_at') : null,
    state: completed ? toCheckState(conclusion) : 'pending',
    conclusion,
    url: run.textOrNull('html_url'),
  };
}

/** Returns the workflow run of a job. A check run that a step creates by the API has the same app, and is no job. */
function parseWorkflowRun(run: JsonReader): number | null {
  const page = JOB_PAGE.exec(run.textOrNull('details_url') ?? '') ?? JOB_PAGE.exec(run.textOrNull('html_url') ?? '');
  return page ? Number(page[1]) : null;
}

function toCheckState(conclusion: string | null): CheckFact['state'] {
  if (conclusion === 'success') return 'success';
  return conclusion !== null && SKIPPED_CONCLUSIONS.has(conclusion) ? 'skipped' : 'failure';
}

function parseCommitStatus(status: JsonReader): CheckFact {
  const state = status.text('state');
  return {
    id: status.integer('id'),
    name: status.text('context'),
    app: null,
    suite: null,
    workflowRun: null,
    attempt: null,
    startedAt: null,
    completedAt: null,
    state: state === 'success' || state === 'pending' ? state : 'failure',
    conclusion: null,
    url: status.textOrNull('target_url'),
  };
}

/** A check run that the app published. */
export interface PublishedCheck {
  readonly id: number;
  /** The app's own id of the run; empty if it has none. */
  readonly externalId: string;
}

/** A finished check run. */
export interface CheckReport {
  readonly name: string;
  readonly externalId: string;
  readonly conclusion: 'success' | 'failure';
  readonly title: string;
  readonly summary: Markdown;
}

/** Finds and publishes the check runs of the app itself. */
export class CheckRuns {
  constructor(
    private readonly calls: RepositoryCalls,
    private readonly settings: GitHubSettings,
  ) {}

  /** Returns the app's latest run of this name at the commit; null if there is none. Ignores runs of other apps. */
  async findByName(
    ref: RepositoryRef,
    sha: Sha,
    name: string,
    signal?: AbortSignal,
  ): Promise<Observed<PublishedCheck | null>> {
    const appId = Number(this.settings.appId);
    const { value: runs, observedAt } = await this.calls.list(
      ref,
      this.calls.rest.checks.listForRef,
      { ref: sha, check_name: name, app_id: appId, filter: 'latest', per_page: 100 },
      (page) =>
        page
          .list('check_runs')
          .filter((run) => run.objectOrNull('app')?.integer('id') === appId && run.text('name') === name)
          .map(parsePublishedCheck),
      signal,
    );
    return { value: runs[0] ?? null, observedAt };
  }

  /** Creates a run. Before a retry, the caller must look up the run that an earlier call may have created. */
  async create(ref: RepositoryRef, sha: Sha, report: CheckReport, signal?: AbortSignal): Promise<PublishedCheck> {
    return this.calls.write(
      ref,
      this.calls.rest.checks.create,
      { head_sha: sha, ...toCheckContent(report) },
      parsePublishedCheck,
      {
        idempotent: false,
        signal,
      },
    );
  }

  async update(ref: RepositoryRef, id: number, report: CheckReport, signal?: AbortSignal): Promise<PublishedCheck> {
    return this.calls.write(
      ref,
      this.calls.rest.checks.update,
      { check_run_id: id, ...toCheckContent(report) },
      parsePublishedCheck,
      { idempotent: true, signal },
    );
  }
}

const toCheckContent = ({ name, externalId, conclusion, title, summary }: CheckReport) => ({
  name,
  external_id: externalId,
  status: 'completed' as const,
  conclusion,
  output: { title, summary: summary.text },
});

const parsePublishedCheck = (run: JsonReader): PublishedCheck => ({
  id: run.integer('id'),
  externalId: run.textOrNull('external_id') ?? '',
});
