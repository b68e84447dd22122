import type { DeploymentFact } from '../../domain/facts/facts.js';
import type { CallOptions } from '../transport/github-client.js';
import type { Observed } from '../transport/github-clock.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

/** How many of an environment's deployments are looked at. */
const RECENT = 30;

/** What a workflow receives as `github.event.client_payload`: at most 10 keys, by GitHub's rule. */
type DispatchPayload = Readonly<Record<string, string>>;

export class Deployments {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Null where it was deleted or never was. */
  async find(ref: RepositoryRef, id: number, signal?: AbortSignal): Promise<Observed<DeploymentFact | null>> {
    const { value: deployment, observedAt } = await this.calls.find(
      ref,
      this.calls.rest.repos.getDeployment,
      { deployment_id: id },
      deploymentOf,
      signal,
    );
    return { value: deployment && (await this.withStatuses(ref, deployment, signal)), observedAt };
  }

  /** The 30 newest of an environment, newest first. */
  async listRecent(
    ref: RepositoryRef,
    environment: string,
    signal?: AbortSignal,
  ): Promise<Observed<readonly DeploymentFact[]>> {
    const { value: deployments, observedAt } = await this.calls.get(
      ref,
      this.calls.rest.repos.listDeployments,
      { environment, per_page: RECENT },
      (page) => page.items().map(deploymentOf),
      signal,
    );
    const facts: DeploymentFact[] = [];
    // One after the other, as GitHub asks of its callers.
    for (const deployment of deployments) facts.push(await this.withStatuses(ref, deployment, signal));
    return { value: facts, observedAt };
  }

  /**
   * Sends the `repository_dispatch` event of that type, once; sent twice, it starts what listens to it twice. `onSend` is
   * called right before the request goes out: a failure before that leaves nothing behind.
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
    { createdAt, ...deployment }: CreatedDeployment,
    signal?: AbortSignal,
  ): Promise<DeploymentFact> {
    const { value: statuses } = await this.calls.list(
      ref,
      this.calls.rest.repos.listDeploymentStatuses,
      { deployment_id: deployment.githubId, per_page: 100 },
      (page) => page.items().map(statusOf),
      signal,
    );
    const oldestFirst = [...statuses].sort((a, b) => a.id - b.id);
    return {
      ...deployment,
      beganAt: beginningOf(oldestFirst) ?? createdAt,
      state: factStateOf(oldestFirst.at(-1)?.state ?? 'pending'),
      waiting: oldestFirst.at(-1)?.state === 'waiting',
      succeededAt: oldestFirst.find(isSuccess)?.createdAt ?? null,
    };
  }
}

/** A deployment of which the statuses are not read yet. */
type CreatedDeployment = Omit<DeploymentFact, 'state' | 'waiting' | 'beganAt' | 'succeededAt'> & {
  readonly createdAt: string;
};

function deploymentOf(item: JsonReader): CreatedDeployment {
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
}

function statusOf(item: JsonReader): DeploymentStatus {
  return { id: item.integer('id'), state: item.text('state'), createdAt: item.text('created_at') };
}

const isSuccess = ({ state }: DeploymentStatus): boolean => state === 'success';

/**
 * When it went on after it had waited, as for the reviewers of its environment; null where it never waited. A deployment
 * that has succeeded has begun: that it is said to wait afterwards changes nothing of it.
 */
function beginningOf(oldestFirst: readonly DeploymentStatus[]): string | null {
  const success = oldestFirst.findIndex(isSuccess);
  const untilSuccess = success === -1 ? oldestFirst : oldestFirst.slice(0, success + 1);
  const waited = untilSuccess.findLastIndex(({ state }) => state === 'waiting');
  return waited === -1 ? null : (untilSuccess[waited + 1]?.createdAt ?? null);
}

/** What is neither over nor refused is under way: `queued`, `in_progress`, `waiting` and `pending`. */
function factStateOf(state: string): DeploymentFact['state'] {
  if (state === 'success' || state === 'inactive') return state;
  return state === 'failure' || state === 'error' ? 'failure' : 'pending';
}
