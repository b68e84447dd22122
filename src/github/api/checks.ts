import type { CheckFact, Sha } from '../../domain/facts/facts.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { Observed } from '../transport/observed.js';
import type { RepositoryRef } from '../transport/repository-ref.js';
import type { RepositoryCalls } from './repository-calls.js';

/** GitHub's own required checks take these two for a success; they show that nothing was checked. */
const SKIPPED_CONCLUSIONS: ReadonlySet<string> = new Set(['neutral', 'skipped']);

export class Checks {
  constructor(private readonly calls: RepositoryCalls) {}

  /** The latest check runs of a commit, and its commit statuses, which are checks without an app. */
  async ofCommit(ref: RepositoryRef, sha: Sha, signal?: AbortSignal): Promise<Observed<readonly CheckFact[]>> {
    const runs = await this.calls.list(
      ref,
      'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      { ref: sha, filter: 'latest', per_page: 100 },
      (page) => [checkPageOf(page, 'check_runs', checkRunOf)],
      signal,
    );
    const statuses = await this.calls.list(
      ref,
      'GET /repos/{owner}/{repo}/commits/{ref}/status',
      { ref: sha, per_page: 100 },
      (page) => [checkPageOf(page, 'statuses', statusOf)],
      signal,
    );
    return { value: [...allOf(runs.value), ...allOf(statuses.value)], observedAt: runs.observedAt };
  }
}

interface CheckPage {
  readonly checks: readonly CheckFact[];
  /** How many the host says there are on all pages. */
  readonly total: number;
}

const checkPageOf = (page: JsonReader, key: string, read: (item: JsonReader) => CheckFact): CheckPage => ({
  checks: page.list(key).map(read),
  total: page.integer('total_count'),
});

/** Refuses a list that lacks what the host counted: the missing check may be the red one. */
function allOf(pages: readonly CheckPage[]): readonly CheckFact[] {
  const checks = pages.flatMap((page) => page.checks);
  const total = Math.max(0, ...pages.map((page) => page.total));
  if (checks.length < total) {
    throw new GitHubError('malformed', `the host counts ${total} checks and lists ${checks.length}`);
  }
  return checks;
}

function checkRunOf(run: JsonReader): CheckFact {
  const completed = run.text('status') === 'completed';
  const conclusion = completed ? run.textOrNull('conclusion') : null;
  return {
    name: run.text('name'),
    app: run.objectOrNull('app')?.textOrNull('slug') ?? null,
    state: completed ? finishedStateOf(conclusion) : 'pending',
    conclusion,
    url: run.textOrNull('html_url'),
  };
}

function finishedStateOf(conclusion: string | null): CheckFact['state'] {
  if (conclusion === 'success') return 'success';
  return conclusion !== null && SKIPPED_CONCLUSIONS.has(conclusion) ? 'skipped' : 'failure';
}

function statusOf(status: JsonReader): CheckFact {
  const state = status.text('state');
  return {
    name: status.text('context'),
    app: null,
    state: state === 'success' || state === 'pending' ? state : 'failure',
    conclusion: null,
    url: status.textOrNull('target_url'),
  };
}
