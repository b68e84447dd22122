import type { CheckFact, Sha } from '../../domain/facts/facts.js';
import type { GitHubSettings } from '../github-settings.js';
import type { Markdown } from '../markdown.js';
import type { Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

/** GitHub's required checks accept these two as success, but they mean that nothing was checked. */
const SKIPPED_CONCLUSIONS: ReadonlySet<string> = new Set(['neutral', 'skipped']);

export class Checks {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Lists the latest check runs of a commit and its commit statuses, which are checks without an app. */
  async listByCommit(ref: RepositoryRef, sha: Sha, signal?: AbortSignal): Promise<Observed<readonly CheckFact[]>> {
    const runs = await this.calls.list(
      ref,
      this.calls.rest.checks.listForRef,
      { ref: sha, filter: 'latest', per_page: 100 },
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
    return { value: [...requireAll(runs.value), ...requireAll(statuses.value)], observedAt: runs.observedAt };
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
  return {
    name: run.text('name'),
    app: run.objectOrNull('app')?.textOrNull('slug') ?? null,
    state: completed ? toCheckState(conclusion) : 'pending',
    conclusion,
    url: run.textOrNull('html_url'),
  };
}

function toCheckState(conclusion: string | null): CheckFact['state'] {
  if (conclusion === 'success') return 'success';
  return conclusion !== null && SKIPPED_CONCLUSIONS.has(conclusion) ? 'skipped' : 'failure';
}

function parseCommitStatus(status: JsonReader): CheckFact {
  const state = status.text('state');
  return {
    name: status.text('context'),
    app: null,
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
