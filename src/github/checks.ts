import type { CheckFact, Sha } from '../domain/release/facts.js';
import { GitHubError } from './github-error.js';
import type { JsonReader } from './json-reader.js';
import type { Observed } from './observed.js';
import type { RepositoryCalls } from './repository-calls.js';
import type { RepositoryRef } from './repository-ref.js';

/** As GitHub counts them for required checks: https://docs.github.com/rest/checks/runs, "success, skipped, neutral". */
const PASSING_CONCLUSIONS = ['success', 'neutral', 'skipped'];

export class Checks {
  constructor(private readonly calls: RepositoryCalls) {}

  /** The latest check runs of a commit, and its commit statuses, which are checks without an app. */
  async ofCommit(ref: RepositoryRef, sha: Sha, signal?: AbortSignal): Promise<Observed<readonly CheckFact[]>> {
    const runs = await this.calls.list(
      ref,
      'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      { ref: sha, filter: 'latest', per_page: 100 },
      (page) => countedOf(page, 'check_runs', checkRunOf),
      signal,
    );
    const statuses = await this.calls.list(
      ref,
      'GET /repos/{owner}/{repo}/commits/{ref}/status',
      { ref: sha, per_page: 100 },
      (page) => countedOf(page, 'statuses', statusOf),
      signal,
    );
    return { value: [...all(runs.value), ...all(statuses.value)], observedAt: runs.observedAt };
  }
}

interface Counted {
  readonly check: CheckFact;
  /** How many the host says there are on all pages. */
  readonly total: number;
}

function countedOf(page: JsonReader, key: string, read: (item: JsonReader) => CheckFact): readonly Counted[] {
  const total = page.integer('total_count');
  return page.list(key).map((item) => ({ check: read(item), total }));
}

/** Refuses a list that lacks what the host counted: the missing check may be the red one. */
function all(counted: readonly Counted[]): readonly CheckFact[] {
  const total = Math.max(0, ...counted.map((entry) => entry.total));
  if (counted.length < total) {
    throw new GitHubError('malformed', `the host counts ${total} checks and listed ${counted.length}`);
  }
  return counted.map(({ check }) => check);
}

function checkRunOf(run: JsonReader): CheckFact {
  return {
    name: run.text('name'),
    app: run.objectOrNull('app')?.textOrNull('slug') ?? null,
    state: run.text('status') === 'completed' ? finishedStateOf(run.textOrNull('conclusion')) : 'pending',
    url: run.textOrNull('html_url'),
  };
}

const finishedStateOf = (conclusion: string | null): CheckFact['state'] =>
  conclusion !== null && PASSING_CONCLUSIONS.includes(conclusion) ? 'success' : 'failure';

function statusOf(status: JsonReader): CheckFact {
  const state = status.text('state');
  return {
    name: status.text('context'),
    app: null,
    state: state === 'success' || state === 'pending' ? state : 'failure',
    url: status.textOrNull('target_url'),
  };
}
