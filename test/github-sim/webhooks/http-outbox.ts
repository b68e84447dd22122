import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from '../../../src/config/clock.js';
import type { DeliveryLog, Hook, WebhookEndpoint, WebhookOutbox } from '../webhook-outbox.js';
import { deliveryDetails, deliveryItem, type WebhookDelivery, type WebhookMessage } from './webhook-delivery.js';
import { WebhookFaults, type WebhookFault } from './webhook-faults.js';
import { postWebhook, UNREACHABLE, webhookHeaders, type HeaderRecord, type PostResult } from './webhook-post.js';

/** GitHub cancels a delivery without a response after ten seconds ("Best practices for using webhooks"). */
const TIMEOUT_MS = 10_000;
/** How long GitHub lists a delivery and can send it again ("Redelivering webhooks"). */
const RETENTION_MS = 3 * 24 * 60 * 60 * 1000;

export interface DeliveringOutboxOptions {
  readonly clock?: Clock;
  readonly timeoutMs?: number;
  /** Receives each hook before it is sent, for example to validate its payload. */
  readonly onHook?: (hook: Hook) => void;
}

/** Signs hooks and posts them to their apps over HTTP, one after the other for each app, and records the deliveries. */
export class HttpOutbox implements WebhookOutbox, DeliveryLog {
  readonly faults = new WebhookFaults();
  private readonly clock: Clock;
  private readonly deliveries: WebhookDelivery[] = [];
  private readonly endpoints = new Map<number, WebhookEndpoint>();
  /** The last delivery of each app. The next one waits for it. */
  private readonly queues = new Map<number, Promise<void>>();
  private readonly held = new Map<number, (() => Promise<void>)[]>();
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private lastId = 0;

  constructor(private readonly options: DeliveringOutboxOptions = {}) {
    this.clock = options.clock ?? new Clock();
  }

  emit(hook: Hook): void {
    this.options.onHook?.(hook);
    this.endpoints.set(hook.endpoint.appId, hook.endpoint);
    this.send(messageOf(hook), false);
  }

  list(appId: number): readonly object[] {
    return this.stored(appId)
      .toSorted((a, b) => b.id - a.id)
      .map(deliveryItem);
  }

  find(appId: number, deliveryId: number): object | null {
    const delivery = this.stored(appId).find(({ id }) => id === deliveryId);
    return delivery ? deliveryDetails(delivery) : null;
  }

  redeliver(appId: number, deliveryId: number): boolean {
    const delivery = this.stored(appId).find(({ id }) => id === deliveryId);
    if (delivery) this.send(delivery.message, true);
    return delivery !== undefined;
  }

  /** Resolves when no delivery is in progress. Deliveries that wait to be reordered are sent first. */
  async waitUntilIdle(): Promise<void> {
    do {
      for (const appId of this.held.keys()) this.track(this.enqueue(appId, () => this.release(appId)));
      await Promise.all(this.running);
    } while (this.running.size > 0 || this.held.size > 0);
  }

  /** Aborts the deliveries in progress, and sends nothing more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.held.clear();
    await Promise.all(this.running);
  }

  private stored(appId: number): readonly WebhookDelivery[] {
    const oldest = this.clock.now().getTime() - RETENTION_MS;
    return this.deliveries.filter(
      ({ message, deliveredAt }) => message.appId === appId && deliveredAt.getTime() >= oldest,
    );
  }

  private send(message: WebhookMessage, redelivery: boolean): void {
    if (this.stopping.signal.aborted) return;
    const fault = this.faults.take(message);
    const attempt = (): Promise<void> => this.attempt(message, redelivery, fault);
    switch (fault?.kind) {
      case 'lose':
        return;
      case 'reorder':
        this.held.set(message.appId, [...(this.held.get(message.appId) ?? []), attempt]);
        return;
      case 'delay':
        this.track(this.after(fault.ms ?? 0, attempt));
        return;
      case 'duplicate':
        this.track(this.enqueue(message.appId, attempt));
        break;
      case 'drop':
      case 'tamper':
      case 'unsigned':
      case undefined:
        break; // These take effect while the delivery is sent.
    }
    this.track(
      this.enqueue(message.appId, async () => {
        await attempt();
        await this.release(message.appId);
      }),
    );
  }

  private async release(appId: number): Promise<void> {
    const attempts = this.held.get(appId) ?? [];
    this.held.delete(appId);
    for (const attempt of attempts) await attempt();
  }

  private enqueue(appId: number, work: () => Promise<void>): Promise<void> {
    const done = (this.queues.get(appId) ?? Promise.resolve()).then(work);
    this.queues.set(appId, done);
    return done;
  }

  private async after(ms: number, work: () => Promise<void>): Promise<void> {
    const isDue = await sleep(ms, true, { signal: this.stopping.signal }).catch(() => false);
    if (isDue) await work();
  }

  private track(work: Promise<void>): void {
    const tracked = work.finally(() => this.running.delete(tracked));
    this.running.add(tracked);
  }

  private async attempt(message: WebhookMessage, redelivery: boolean, fault: WebhookFault | null): Promise<void> {
    const endpoint = this.endpoints.get(message.appId);
    if (!endpoint || this.stopping.signal.aborted) return;
    this.lastId += 1;
    const id = this.lastId;
    const deliveredAt = this.clock.now();
    const begun = performance.now();
    const { headers, body } = requestOf(message, endpoint, fault);
    const result: PostResult =
      fault?.kind === 'drop'
        ? UNREACHABLE
        : await postWebhook(
            endpoint.url,
            { headers, body },
            { timeoutMs: this.options.timeoutMs ?? TIMEOUT_MS, signal: this.stopping.signal },
          );
    const durationSeconds = Math.round(performance.now() - begun) / 1000;
    this.deliveries.push({
      id,
      message,
      redelivery,
      deliveredAt,
      durationSeconds,
      url: endpoint.url,
      requestHeaders: headers,
      result,
    });
  }
}

function messageOf({ event, payload, installationId, endpoint }: Hook): WebhookMessage {
  const { action, repository } = payload as { action?: unknown; repository?: { id?: unknown } };
  return {
    guid: randomUUID(),
    appId: endpoint.appId,
    event,
    action: typeof action === 'string' ? action : null,
    installationId,
    repositoryId: typeof repository?.id === 'number' ? repository.id : null,
    body: JSON.stringify(payload),
  };
}

function requestOf(
  message: WebhookMessage,
  endpoint: WebhookEndpoint,
  fault: WebhookFault | null,
): { readonly headers: HeaderRecord; readonly body: string } {
  const headers = webhookHeaders(message, endpoint);
  if (fault?.kind === 'unsigned') {
    const { 'X-Hub-Signature': _sha1, 'X-Hub-Signature-256': _sha256, ...unsigned } = headers;
    return { headers: unsigned, body: message.body };
  }
  const change = fault?.kind === 'tamper' ? (fault.change ?? ((body: string) => `${body} `)) : (body: string) => body;
  return { headers, body: change(message.body) };
}
