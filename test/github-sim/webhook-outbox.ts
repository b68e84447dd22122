/** The webhook address of an app, and the secret that signs its webhooks. */
export interface WebhookEndpoint {
  readonly appId: number;
  readonly url: string;
  readonly secret: string;
}

/** One event for one installation of one app, neither signed nor sent yet. */
export interface Hook {
  /** The value of `X-GitHub-Event`. */
  readonly event: string;
  readonly payload: object;
  readonly installationId: number;
  readonly endpoint: WebhookEndpoint;
}

/** Receives every event of the simulated GitHub. `emit` never throws and never waits. */
export interface WebhookOutbox {
  emit(hook: Hook): void;
}

/** The source of `/app/hook/deliveries`. An outbox that records its deliveries implements it. */
export interface DeliveryLog {
  /** Newest first, in the shape of `GET /app/hook/deliveries` (`hook-delivery-item`). */
  list(appId: number): readonly object[];
  /** In the shape of `GET /app/hook/deliveries/{id}` (`hook-delivery`), or null if the app has no such delivery. */
  find(appId: number, deliveryId: number): object | null;
  /** Sends the delivery again under its own GUID. Returns false if the app has no such delivery. */
  redeliver(appId: number, deliveryId: number): boolean;
}

/** Drops every hook, for tests that only read. */
export const noopOutbox: WebhookOutbox & DeliveryLog = {
  emit: () => {},
  list: () => [],
  find: () => null,
  redeliver: () => false,
};
