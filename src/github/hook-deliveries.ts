import type { Clock } from '../clock/clock.js';
import type { GitHubClient } from './github-client.js';
import { observe, type Observed } from './observed.js';
import { APP_SCOPE } from './token-scope.js';

/** One attempt of the host to deliver a webhook of the app. */
export interface HookDelivery {
  readonly deliveredAt: string;
  readonly event: string;
  /** What our side answered; 0 where nothing did. */
  readonly statusCode: number;
  /** The host's word for it, as `OK` or `failed to connect to host`. */
  readonly status: string;
}

export class HookDeliveries {
  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  /** The newest first, a hundred at most. */
  async recent(signal?: AbortSignal): Promise<Observed<readonly HookDelivery[]>> {
    return observe(this.clock, async () => {
      const { body } = await this.client.call(APP_SCOPE, 'GET /app/hook/deliveries', { per_page: 100 }, { signal });
      return body.items().map((item) => ({
        deliveredAt: item.text('delivered_at'),
        event: item.text('event'),
        statusCode: item.integer('status_code'),
        status: item.text('status'),
      }));
    });
  }
}
