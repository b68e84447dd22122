import type { Sha } from '../../domain/facts/facts.js';
import type { GitHubSettings } from '../github-settings.js';
import type { Markdown } from '../markdown.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { Observed } from '../transport/observed.js';
import type { RepositoryRef } from '../transport/repository-ref.js';
import type { RepositoryCalls } from './repository-calls.js';

/** A check run that the app published. */
export interface PublishedCheck {
  readonly id: number;
  /** What the app called it; empty where it called it nothing. */
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

/** The check runs that the app itself publishes; `checks` reads everybody's. */
export class CheckRuns {
  constructor(
    private readonly calls: RepositoryCalls,
    private readonly settings: GitHubSettings,
  ) {}

  /** The app's latest run of this name at the commit, never another app's of the same name; null where there is none. */
  async findOwn(
    ref: RepositoryRef,
    sha: Sha,
    name: string,
    signal?: AbortSignal,
  ): Promise<Observed<PublishedCheck | null>> {
    const appId = Number(this.settings.appId);
    const { value: runs, observedAt } = await this.calls.list(
      ref,
      'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      { ref: sha, check_name: name, app_id: appId, filter: 'latest', per_page: 100 },
      (page) =>
        page
          .list('check_runs')
          .filter((run) => run.objectOrNull('app')?.integer('id') === appId && run.text('name') === name)
          .map(publishedOf),
      signal,
    );
    return { value: runs[0] ?? null, observedAt };
  }

  /** Made anew: whoever tries again looks for what an earlier try may have made. */
  async create(ref: RepositoryRef, sha: Sha, report: CheckReport, signal?: AbortSignal): Promise<PublishedCheck> {
    return this.calls.write(
      ref,
      'POST /repos/{owner}/{repo}/check-runs',
      { head_sha: sha, ...contentOf(report) },
      publishedOf,
      { idempotent: false, signal },
    );
  }

  async update(ref: RepositoryRef, id: number, report: CheckReport, signal?: AbortSignal): Promise<PublishedCheck> {
    return this.calls.write(
      ref,
      'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
      { check_run_id: id, ...contentOf(report) },
      publishedOf,
      { idempotent: true, signal },
    );
  }
}

const contentOf = ({ name, externalId, conclusion, title, summary }: CheckReport) => ({
  name,
  external_id: externalId,
  status: 'completed' as const,
  conclusion,
  output: { title, summary: summary.text },
});

const publishedOf = (run: JsonReader): PublishedCheck => ({
  id: run.integer('id'),
  externalId: run.textOrNull('external_id') ?? '',
});
