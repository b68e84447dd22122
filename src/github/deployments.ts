import type { DeploymentFact } from '../domain/release/facts.js';
import type { JsonReader } from './json-reader.js';
import type { Observed } from './observed.js';
import type { RepositoryCalls } from './repository-calls.js';
import type { RepositoryRef } from './repository-ref.js';

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
      'GET /repos/{owner}/{repo}/deployments/{deployment_id}',
      { deployment_id: id },
      deploymentOf,
      signal,
    );
    return { value: deployment && (await this.withStatuses(ref, deployment, signal)), observedAt };
  }

  /** The 30 newest of an environment, newest first. */
  async recent(
    ref: RepositoryRef,
    environment: string,
    signal?: AbortSignal,
  ): Promise<Observed<readonly DeploymentFact[]>> {
    const { value: deployments, observedAt } = await this.calls.get(
      ref,
      'GET /repos/{owner}/{repo}/deployments',
      { environment, per_page: RECENT },
      (page) => page.items().map(deploymentOf),
      signal,
    );
    const facts: DeploymentFact[] = [];
    // One after the other, as GitHub asks of its callers.
    for (const deployment of deployments) facts.push(await this.withStatuses(ref, deployment, signal));
    return { value: facts, observedAt };
  }

  /** Sends the `repository_dispatch` event of that type; sent twice, it starts what listens to it twice. */
  async dispatch(ref: RepositoryRef, eventType: string, payload: DispatchPayload, signal?: AbortSignal): Promise<void> {
    await this.calls.write(
      ref,
      'POST /repos/{owner}/{repo}/dispatches',
      { event_type: eventType, client_payload: payload },
      () => null,
      { idempotent: false, signal },
    );
  }

  private async withStatuses(
    ref: RepositoryRef,
    deployment: Omit<DeploymentFact, 'state' | 'succeededAt'>,
    signal?: AbortSignal,
  ): Promise<DeploymentFact> {
    const { value: statuses } = await this.calls.list(
      ref,
      'GET /repos/{owner}/{repo}/deployments/{deployment_id}/statuses',
      { deployment_id: deployment.githubId, per_page: 100 },
      (page) => page.items().map(statusOf),
      signal,
    );
    const newestFirst = [...statuses].sort((a, b) => b.id - a.id);
    return {
      ...deployment,
      state: newestFirst[0]?.state ?? 'pending',
      succeededAt: newestFirst.findLast(({ state }) => state === 'success')?.createdAt ?? null,
    };
  }
}

function deploymentOf(item: JsonReader): Omit<DeploymentFact, 'state' | 'succeededAt'> {
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
  readonly state: DeploymentFact['state'];
  readonly createdAt: string;
}

function statusOf(item: JsonReader): DeploymentStatus {
  return { id: item.integer('id'), state: stateOf(item.text('state')), createdAt: item.text('created_at') };
}

/** What is neither over nor refused is under way: `queued`, `in_progress`, `waiting` and `pending`. */
function stateOf(state: string): DeploymentFact['state'] {
  if (state === 'success' || state === 'inactive') return state;
  return state === 'failure' || state === 'error' ? 'failure' : 'pending';
}
