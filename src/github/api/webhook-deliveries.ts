import type { Clock } from '../../config/clock.js';
import type { GitHubClient } from '../transport/github-client.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { APP_SCOPE } from '../transport/token-scope.js';

/** One attempt of GitHub to deliver a webhook of the app. */
export interface GitHubDelivery {
  readonly id: number;
  /** Equal for all attempts to deliver one event. */
  readonly guid: string;
  readonly deliveredAt: string;
  readonly event: string;
  /** The status of our response; 0 if there was none. */
  readonly statusCode: number;
  /** GitHub's description of the result, for example `OK` or `failed to connect to host`. */
  readonly status: string;
}

const PER_PAGE = 100;

export class WebhookDeliveries {
  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  /** Lists the latest deliveries, newest first, 100 at most. */
  async recent(signal?: AbortSignal): Promise<Observed<readonly GitHubDelivery[]>> {
    return observe(this.clock, async () => {
      const { listWebhookDeliveries } = this.client.rest.apps;
      return parseDeliveries(
        await this.client.call(APP_SCOPE, listWebhookDeliveries, { per_page: PER_PAGE }, { signal }),
      );
    });
  }

  /** Yields deliveries page by page, newest first, at most `limit` pages. Requests a page only when the caller needs it. */
  async *pages(limit: number, signal?: AbortSignal): AsyncGenerator<readonly GitHubDelivery[]> {
    const { listWebhookDeliveries } = this.client.rest.apps;
    for await (const page of this.client.walk(
      APP_SCOPE,
      listWebhookDeliveries,
      { per_page: PER_PAGE },
      limit,
      signal,
    )) {
      yield parseDeliveries(page);
    }
  }

  /** Requests the delivery again, under the same GUID. Returns false if GitHub no longer has it. */
  async redeliver(id: number, signal?: AbortSignal): Promise<boolean> {
    try {
      const { redeliverWebhookDelivery } = this.client.rest.apps;
      // The inbox stores a repeated delivery once.
      await this.client.call(APP_SCOPE, redeliverWebhookDelivery, { delivery_id: id }, { idempotent: true, signal });
      return true;
    } catch (error) {
      if (GitHubError.is(error, 'not_found', 'invalid')) return false;
      throw error;
    }
  }
}

const parseDeliveries = (page: JsonReader): readonly GitHubDelivery[] =>
  page.items().map((item) => ({
    id: item.integer('id'),
    guid: item.text('guid'),
    deliveredAt: item.text('delivered_at'),
    event: item.text('event'),
    statusCode: item.integer('status_code'),
    status: item.text('status'),
  }));
