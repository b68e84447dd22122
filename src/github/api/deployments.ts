import type { Clock } from '../../config/clock.js';
import type { DeploymentFact, EnvironmentDeploymentFact } from '../../domain/facts/facts.js';
import { findRunId } from '../../domain/history/run-url.js';
import { isSameEnvironment } from '../../domain/policy/policy.js';
import type { CallOptions } from '../transport/github-client.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

/** The number of deployments of an environment that are read. */
const RECENT = 30;
/** The number of deployments of one commit that are read. */
const OF_COMMIT = 30;
/** The number of deployments of a repository in which those of an environment with other capital letters are searched. */
const PAGE = 100;

/** The `github.event.client_payload` of a workflow run. GitHub accepts at most 10 keys. */
type DispatchPayload = Readonly<Record<string, string>>;

export class Deployments {
  constructor(
    private readonly calls: RepositoryCalls,
    private readonly clock: Clock,
  ) {}

  /** Returns a deployment with its status; null if it does not exist. */
  async find(ref: RepositoryRef, id: number, signal?: AbortSignal): Promise<Observed<DeploymentFact | null>> {
    const { value: deployment, observedAt } = await this.calls.find(
      ref,
      this.calls.rest.repos.getDeployment,
      { deployment_id: id },
      parseDeployment,
      signal,
    );
    return { value: deployment && (await this.withStatuses(ref, deployment, signal)), observedAt };
  }

  /** Lists the 30 latest deployments of an environment, newest first. */
  async listRecent(
    ref: RepositoryRef,
    environment: string,
    signal?: AbortSignal,
  ): Promise<Observed<readonly DeploymentFact[]>> {
    const { value: deployments, observedAt } = await this.calls.get(
      ref,
      this.calls.rest.repos.listDeployments,
      { environment, per_page: RECENT },
      (page) => page.items().map(parseDeployment),
      signal,
    );
    const facts: DeploymentFact[] = [];
    // One after the other: GitHub recommends no concurrent requests.
    for (const deployment of deployments) facts.push(await this.withStatuses(ref, deployment, signal));
    return { value: facts, observedAt };
  }

  /** Lists the latest deployments of a commit to an environment, newest first. The filter of GitHub may not ignore case, so it is not used. */
  async listOfCommit(
    ref: RepositoryRef,
    { environment, sha }: { readonly environment: string; readonly sha: string },
  ): Promise<readonly DeploymentFact[]> {
    const { value: deployments } = await this.calls.get(
      ref,
      this.calls.rest.repos.listDeployments,
      { sha, per_page: OF_COMMIT },
      (page) => page.items().map(parseDeployment),
    );
    const facts: DeploymentFact[] = [];
    for (const deployment of deployments.filter((one) => isSameEnvironment(one.environment, environment)))
      facts.push(await this.withStatuses(ref, deployment));
    return facts;
  }

  /**
   * Lists the deployments that succeeded at least once among the 30 newest ones of an environment, newest first. GitHub ignores the case
   * of the names of environments, but not in this list. So those with other capital letters are found only among the 100 newest
   * deployments of the repository.
   *
   * An older deployment may succeed after them. So `listKnown` returns those that may have succeeded since the oldest one of the list was
   * created; null if the list is empty. They are read as well. A success that GitHub no longer knows, because the deployment was
   * deleted, stays in the list and ends at once.
   */
  async listSuccessful(
    ref: RepositoryRef,
    environment: string,
    listKnown: (since: string | null) => Promise<readonly KnownDeployment[]>,
    signal?: AbortSignal,
  ): Promise<Observed<readonly EnvironmentDeploymentFact[]>> {
    return observe(this.clock, async () => {
      const found = new Map<number, CreatedDeployment>();
      for (const filter of [{ environment, per_page: RECENT }, { per_page: PAGE }]) {
        const { value: page } = await this.calls.get(
          ref,
          this.calls.rest.repos.listDeployments,
          filter,
          (body) => body.items().map(parseDeployment),
          signal,
        );
        for (const one of page) if (isSameEnvironment(one.environment, environment)) found.set(one.githubId, one);
      }
      const newest = byId([...found.values()]).slice(0, RECENT);
      const known = await listKnown(newest.at(-1)?.createdAt ?? null);
      const facts: EnvironmentDeploymentFact[] = [];
      // One after the other: GitHub recommends no concurrent requests.
      for (const { githubId, sha } of newest) {
        const periods = toPeriods(await this.listStatuses(ref, githubId, signal));
        if (periods.length > 0) facts.push({ githubId, sha, periods });
      }
      const listed = new Set(newest.map(({ githubId }) => githubId));
      for (const { githubId, sha, succeededAt } of known.filter((one) => !listed.has(one.githubId))) {
        const periods = toPeriods(await this.listStatuses(ref, githubId, signal).catch(noneIfDeleted));
        if (periods.length > 0) facts.push({ githubId, sha, periods });
        else if (succeededAt !== null) facts.push({ githubId, sha, periods: [{ from: succeededAt, to: succeededAt }] });
      }
      return byId(facts);
    });
  }

  /**
   * Sends one `repository_dispatch` event. Never retries, because a second event would start the workflows twice. `onSend`
   * is called right before the request is sent. A failure before that has no effect on GitHub.
   */
  async dispatch(
    ref: RepositoryRef,
    eventType: string,
    payload: DispatchPayload,
    { signal, onSend }: Pick<CallOptions, 'signal' | 'onSend'> = {},
  ): Promise<void> {
    await this.calls.write(
      ref,
      this.calls.rest.repos.createDispatchEvent,
      { event_type: eventType, client_payload: payload },
      () => null,
      { idempotent: false, signal, onSend },
    );
  }

  private async withStatuses(
    ref: RepositoryRef,
    deployment: CreatedDeployment,
    signal?: AbortSignal,
  ): Promise<DeploymentFact> {
    const oldestFirst = await this.listStatuses(ref, deployment.githubId, signal);
    return {
      ...deployment,
      beganAt: findStartAfterWait(oldestFirst) ?? deployment.createdAt,
      state: toDeploymentState(oldestFirst.at(-1)?.state ?? 'pending'),
      waiting: oldestFirst.at(-1)?.state === 'waiting',
      succeededAt: oldestFirst.find(isSuccess)?.createdAt ?? null,
      runId: oldestFirst.findLast(({ runId }) => runId !== null)?.runId ?? null,
    };
  }

  /** Lists the statuses of a deployment, oldest first. */
  private async listStatuses(
    ref: RepositoryRef,
    deploymentId: number,
    signal?: AbortSignal,
  ): Promise<readonly DeploymentStatus[]> {
    const { value: statuses } = await this.calls.list(
      ref,
      this.calls.rest.repos.listDeploymentStatuses,
      { deployment_id: deploymentId, per_page: 100 },
      (page) => page.items().map(parseStatus),
      signal,
    );
    return [...statuses].sort((a, b) => a.id - b.id);
  }
}

type OfCommit = Pick<DeploymentFact, 'githubId' | 'sha'>;

/** A deployment as it was read last. */
export type KnownDeployment = OfCommit & Pick<DeploymentFact, 'succeededAt'>;

/** A deployment without its statuses. */
type CreatedDeployment = Omit<DeploymentFact, 'state' | 'waiting' | 'beganAt' | 'succeededAt' | 'runId'>;

function parseDeployment(item: JsonReader): CreatedDeployment {
  return {
    githubId: item.integer('id'),
    sha: item.text('sha'),
    environment: item.text('environment'),
    creator: item.objectOrNull('creator')?.text('login') ?? null,
    createdAt: item.text('created_at'),
  };
}

interface DeploymentStatus {
  readonly id: number;
  readonly state: string;
  readonly createdAt: string;
  readonly runId: number | null;
}

function parseStatus(item: JsonReader): DeploymentStatus {
  const urls = [item.textOrNull('log_url'), item.textOrNull('target_url')];
  return {
    id: item.integer('id'),
    state: item.text('state'),
    createdAt: item.text('created_at'),
    runId: urls.map((url) => (url === null ? null : findRunId(url))).find((id) => id !== null) ?? null,
  };
}

/** Sorts deployments, newest first. */
const byId = <T extends OfCommit>(deployments: readonly T[]): readonly T[] =>
  deployments.toSorted((one, other) => other.githubId - one.githubId);

function noneIfDeleted(error: unknown): readonly DeploymentStatus[] {
  if (GitHubError.is(error, 'not_found')) return [];
  throw error;
}

const isSuccess = ({ state }: DeploymentStatus): boolean => state === 'success';

/**
 * Returns the periods in which the deployment was successful. Every status ends one. A further success begins the next one, because it may
 * make the deployment the latest one again.
 */
function toPeriods(oldestFirst: readonly DeploymentStatus[]): EnvironmentDeploymentFact['periods'] {
  const periods: { from: string; to: string | null }[] = [];
  for (const status of oldestFirst) {
    const last = periods.at(-1);
    if (last?.to === null) last.to = status.createdAt;
    if (isSuccess(status)) periods.push({ from: status.createdAt, to: null });
  }
  return periods;
}

/**
 * Returns when the deployment continued after its last wait, for example for the reviewers of its environment; null if it
 * never waited. A wait after the first success does not count.
 */
function findStartAfterWait(oldestFirst: readonly DeploymentStatus[]): string | null {
  const success = oldestFirst.findIndex(isSuccess);
  const untilSuccess = success === -1 ? oldestFirst : oldestFirst.slice(0, success + 1);
  const waited = untilSuccess.findLastIndex(({ state }) => state === 'waiting');
  return waited === -1 ? null : (untilSuccess[waited + 1]?.createdAt ?? null);
}

/** Maps `queued`, `in_progress`, `waiting` and `pending` to `pending`. */
function toDeploymentState(state: string): DeploymentFact['state'] {
  if (state === 'success' || state === 'inactive') return state;
  return state === 'failure' || state === 'error' ? 'failure' : 'pending';
}
