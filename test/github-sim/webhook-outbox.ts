/** Where an app wants its webhooks, and the secret that signs them. */
export interface WebhookEndpoint {
  readonly appId: number;
  readonly url: string;
  readonly secret: string;
}

/** One event as GitHub would tell it to one installation of one app; nothing is signed or sent yet. */
export interface Hook {
  /** The value of `X-GitHub-Event`. */
  readonly event: string;
  readonly payload: object;
  readonly installationId: number;
  readonly endpoint: WebhookEndpoint;
}

/** The port through which every change of the simulated GitHub's state is told; `emit` never throws and never waits. */
export interface WebhookOutbox {
  emit(hook: Hook): void;
}

/** What `/app/hook/deliveries` reads; an outbox that keeps a log of its deliveries has this as well. */
export interface DeliveryLog {
  /** Newest first, in the shape of `GET /app/hook/deliveries` (`hook-delivery-item`). */
  list(appId: number): readonly object[];
  /** In the shape of `GET /app/hook/deliveries/{id}` (`hook-delivery`), or null where the app has no such delivery. */
  find(appId: number, deliveryId: number): object | null;
  /** Sends the delivery once more under its own GUID; false where the app has no such delivery. */
  redeliver(appId: number, deliveryId: number): boolean;
}

/** Drops every hook: for tests that only read. */
export const noopOutbox: WebhookOutbox & DeliveryLog = {
  emit: () => {},
  list: () => [],
  find: () => null,
  redeliver: () => false,
};
