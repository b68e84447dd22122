import type { Clock } from '../../config/clock.js';
import type { GitHubClient } from '../transport/github-client.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { APP_SCOPE } from '../transport/token-scope.js';

/** One attempt of GitHub to deliver a webhook of the app. */
export interface GitHubDelivery {
  readonly id: number;
  /** The same for every attempt to deliver one event. */
  readonly guid: string;
  readonly deliveredAt: string;
  readonly event: string;
  /** What our side answered; 0 where nothing did. */
  readonly statusCode: number;
  /** GitHub's word for it, as `OK` or `failed to connect to host`. */
  readonly status: string;
}

const PER_PAGE = 100;

export class WebhookDeliveries {
  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  /** The newest first, a hundred at most. */
  async recent(signal?: AbortSignal): Promise<Observed<readonly GitHubDelivery[]>> {
    return observe(this.clock, async () => {
      const { listWebhookDeliveries } = this.client.rest.apps;
      return deliveriesOf(await this.client.call(APP_SCOPE, listWebhookDeliveries, { per_page: PER_PAGE }, { signal }));
    });
  }

  /** The same page after page, `limit` of them at most; the next one is asked for only when it is wanted. */
  async *pages(limit: number, signal?: AbortSignal): AsyncGenerator<readonly GitHubDelivery[]> {
    const { listWebhookDeliveries } = this.client.rest.apps;
    for await (const page of this.client.walk(
      APP_SCOPE,
      listWebhookDeliveries,
      { per_page: PER_PAGE },
      limit,
      signal,
    )) {
      yield deliveriesOf(page);
    }
  }

  /** Asks for the delivery once more, under its own GUID; false where GitHub has it no longer. */
  async redeliver(id: number, signal?: AbortSignal): Promise<boolean> {
    try {
      const { redeliverWebhookDelivery } = this.client.rest.apps;
      // One that comes twice is kept once.
      await this.client.call(APP_SCOPE, redeliverWebhookDelivery, { delivery_id: id }, { idempotent: true, signal });
      return true;
    } catch (error) {
      if (GitHubError.is(error, 'not_found', 'invalid')) return false;
      throw error;
    }
  }
}

const deliveriesOf = (page: JsonReader): readonly GitHubDelivery[] =>
  page.items().map((item) => ({
    id: item.integer('id'),
    guid: item.text('guid'),
    deliveredAt: item.text('delivered_at'),
    event: item.text('event'),
    statusCode: item.integer('status_code'),
    status: item.text('status'),
  }));
