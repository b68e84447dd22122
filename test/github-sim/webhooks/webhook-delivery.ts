import type { HeaderRecord, PostResult } from './webhook-post.js';

/** One event for one app, which stays the same in each delivery. */
export interface WebhookMessage {
  readonly guid: string;
  readonly appId: number;
  readonly event: string;
  readonly action: string | null;
  readonly installationId: number;
  readonly repositoryId: number | null;
  /** The payload at the time of the event. Later changes of the state are not in it. */
  readonly body: string;
}

/** One attempt to deliver a message, and its result. */
export interface WebhookDelivery {
  readonly id: number;
  readonly message: WebhookMessage;
  readonly redelivery: boolean;
  readonly deliveredAt: Date;
  readonly durationSeconds: number;
  readonly url: string;
  readonly requestHeaders: HeaderRecord;
  readonly result: PostResult;
}

/** In the shape of `GET /app/hook/deliveries` (`hook-delivery-item`). */
export function deliveryItem({
  id,
  message,
  redelivery,
  deliveredAt,
  durationSeconds,
  result,
}: WebhookDelivery): object {
  return {
    id,
    guid: message.guid,
    delivered_at: `${deliveredAt.toISOString().slice(0, 19)}Z`,
    redelivery,
    duration: durationSeconds,
    status: result.status,
    status_code: result.statusCode,
    event: message.event,
    action: message.action,
    installation_id: message.installationId,
    repository_id: message.repositoryId,
    throttled_at: null,
  };
}

/** In the shape of `GET /app/hook/deliveries/{delivery_id}` (`hook-delivery`). */
export function deliveryDetails(delivery: WebhookDelivery): object {
  return {
    ...deliveryItem(delivery),
    url: delivery.url,
    request: { headers: delivery.requestHeaders, payload: JSON.parse(delivery.message.body) as object },
    response: { headers: delivery.result.headers, payload: delivery.result.body },
  };
}
