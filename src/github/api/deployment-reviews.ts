import type { Markdown } from '../markdown.js';
import type { CallOptions } from '../transport/github-client.js';
import type { Observed } from '../transport/github-clock.js';
import type { JsonReader } from '../transport/json-reader.js';
import type { RepositoryRef } from '../transport/token-scope.js';
import type { RepositoryCalls } from './repository-calls.js';

const MINUTE_MS = 60_000;

/** An environment that jobs of a run wait for. */
export interface PendingEnvironment {
  readonly environment: string;
  /** Whether users or teams must still approve. */
  readonly awaitsReviewers: boolean;
  /** When its wait timer ends, by GitHub's clock; null if it has none. */
  readonly timerEndsAt: Date | null;
}

/** The review by a user or an app of the jobs of a run that waited for environments. */
interface DeploymentReview {
  readonly environments: readonly string[];
  /** `pending` for a report without an answer. */
  readonly state: string;
  readonly login: string;
  readonly comment: string;
}

interface Answer {
  readonly environment: string;
  readonly state: 'approved' | 'rejected';
  readonly comment: Markdown;
}

/**
 * The jobs of a workflow run that wait for the rules of their environments.
 * https://docs.github.com/actions/managing-workflow-runs-and-deployments/managing-deployments/creating-custom-deployment-protection-rules
 */
export class DeploymentReviews {
  constructor(private readonly calls: RepositoryCalls) {}

  /** Lists the environments that the run waits for. Fails as `not_found` if there is no such run. */
  async listPending(
    ref: RepositoryRef,
    runId: number,
    signal?: AbortSignal,
  ): Promise<Observed<readonly PendingEnvironment[]>> {
    const { getPendingDeploymentsForRun } = this.calls.rest.actions;
    return this.calls.get(ref, getPendingDeploymentsForRun, { run_id: runId }, toPending, signal);
  }

  /** Lists the reviews of all attempts of the run. */
  async list(ref: RepositoryRef, runId: number, signal?: AbortSignal): Promise<Observed<readonly DeploymentReview[]>> {
    const { getReviewsForRun } = this.calls.rest.actions;
    return this.calls.get(ref, getReviewsForRun, { run_id: runId }, toReviews, signal);
  }

  /**
   * Sends the answer of this app for all jobs of the run that wait for the environment. Never retries, because GitHub accepts only
   * one answer. After a lost response, `list` returns the answer. `onSend` is called right before the request is sent.
   */
  async decide(
    ref: RepositoryRef,
    runId: number,
    { environment, state, comment }: Answer,
    { signal, onSend }: Pick<CallOptions, 'signal' | 'onSend'> = {},
  ): Promise<void> {
    await this.calls.write(
      ref,
      this.calls.rest.actions.reviewCustomGatesForRun,
      { run_id: runId, environment_name: environment, state, comment: comment.text },
      () => null,
      { idempotent: false, signal, onSend },
    );
  }

  /** Reports why there is no answer yet. GitHub accepts ten reports of 1,024 characters each. */
  async report(
    ref: RepositoryRef,
    runId: number,
    { environment, comment }: Omit<Answer, 'state'>,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.calls.write(
      ref,
      this.calls.rest.actions.reviewCustomGatesForRun,
      { run_id: runId, environment_name: environment, comment: comment.text },
      () => null,
      { idempotent: false, signal },
    );
  }
}

const toPending = (body: JsonReader): readonly PendingEnvironment[] =>
  body.items().map((item) => {
    const startedAt = item.textOrNull('wait_timer_started_at');
    const minutes = item.integer('wait_timer');
    return {
      environment: item.object('environment').text('name'),
      awaitsReviewers: item.list('reviewers').length > 0,
      timerEndsAt: startedAt === null ? null : new Date(Date.parse(startedAt) + minutes * MINUTE_MS),
    };
  });

const toReviews = (body: JsonReader): readonly DeploymentReview[] =>
  body.items().map((item) => ({
    environments: item.list('environments').map((environment) => environment.text('name')),
    state: item.text('state'),
    login: item.object('user').text('login'),
    comment: item.text('comment'),
  }));
