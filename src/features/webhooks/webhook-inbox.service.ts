import { isUtf8 } from 'node:buffer';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { type AppCredentials, AppCredentialsProvider } from '../../config/app-credentials.js';
import { SingleFlight } from '../../concurrency/single-flight.js';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { WebhookSignatures } from '../../github/webhooks.js';
import type { RawBody } from '../../http/body/body-parser.js';
import { Metrics } from '../../observability/metrics.js';
import { traced } from '../../observability/tracing.js';
import { DeliveriesService } from './deliveries.service.js';
import { deliveryIds, type DeliveryIds, PayloadOutline } from './payload-bytes.js';
import { HANDLED_EVENTS, unreadPayload } from './payload-changes.js';

/** Thousands of ordinary deliveries, which is some seconds of a flood while the database does not answer. */
const CAPACITY_BYTES = 67_108_864;
/** The memory of a delivery besides its body: the request, its headers and its place in the batch. */
const OVERHEAD_BYTES = 4_096;

/**
 * Limits the memory for deliveries that wait for the database. Without a limit, a database that does not answer could stop
 * the process and the gate. A delivery above the limit is not acknowledged, so its redelivery is requested later.
 */
export class InboxMemoryLimit {
  #used = 0;

  /** Runs work that holds a body of this size. Throws if the limit is exceeded. */
  async run<T>(bodyBytes: number, work: () => Promise<T>): Promise<T> {
    const bytes = bodyBytes + OVERHEAD_BYTES;
    if (this.#used + bytes > CAPACITY_BYTES) throw new Error('Too many deliveries wait for the database.');
    this.#used += bytes;
    try {
      return await work();
    } finally {
      this.#used -= bytes;
    }
  }
}

export interface Delivery {
  readonly body: RawBody | undefined;
  readonly guid: string | undefined;
  readonly event: string | undefined;
  readonly signature: string | undefined;
}

/**
 * The outcome of a delivery, as the metric names it. `stored`: stored for processing. `oversized`: stored with only its ids.
 * `ignored`: only its GUID was stored. `not_stored`: not stored and not acknowledged. The others were dropped.
 */
const DELIVERY_RESULTS = ['stored', 'ignored', 'not_stored', 'unsigned', 'oversized', 'malformed'] as const;
type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

const NO_IDS: DeliveryIds = { installationId: null, repositoryId: null };
const GUID = /^[0-9a-fA-F-]{1,64}$/;
const EVENT = /^[a-z_]{1,64}$/;

/**
 * Accepts deliveries. Stores signed ones before they are acknowledged and drops all others. Stores the GUID also of ignored
 * ones, so that they do not count as missed.
 */
@Injectable()
export class WebhookInboxService {
  private readonly logger = new Logger(WebhookInboxService.name);
  private readonly received: Counter<'result'>;
  private readonly memory = new InboxMemoryLimit();
  private readonly loading = new SingleFlight<AppCredentials | null>();
  private readonly signatures = new WebhookSignatures();

  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly clock: Clock,
    private readonly credentials: AppCredentialsProvider,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'webhookSecretAlsoValid'>,
    metrics: Metrics,
  ) {
    this.received = metrics.counter({
      name: 'shipgate_webhook_deliveries_total',
      help: 'Deliveries of GitHub by outcome.',
      labels: ['result'],
    });
    // Without a first value, Prometheus sees no increase when the first delivery of a kind arrives.
    for (const result of DELIVERY_RESULTS) this.received.inc({ result }, 0);
    metrics.gauge('shipgate_webhook_dead_letters', 'Deliveries that could not be processed.', () =>
      this.deliveries.countDead(),
    );
  }

  /** Returns false if the delivery could not be stored. */
  async accept(delivery: Delivery): Promise<boolean> {
    return traced({ name: 'receive delivery', kind: 'server' }, async (describe) => {
      const result = await this.store(delivery);
      this.received.inc({ result });
      // Any client can choose the headers of a delivery without a valid signature.
      const isGenuine = result !== 'unsigned' && result !== 'malformed';
      describe({ result, ...(isGenuine && { event: delivery.event ?? '', guid: delivery.guid ?? '' }) });
      return result !== 'not_stored';
    });
  }

  private async store({ body, guid, event, signature }: Delivery): Promise<DeliveryResult> {
    if (!body) return 'unsigned';
    let app: AppCredentials | null;
    try {
      app = this.credentials.current() ?? (await this.loadApp(body, signature));
    } catch (error) {
      this.logger.error(`Reading the webhook secret failed: ${String(error)}`);
      return 'not_stored';
    }
    const secrets = [app?.webhookSecret, this.environment.webhookSecretAlsoValid].filter(
      (secret) => secret !== undefined && secret !== null,
    );
    const outline = new PayloadOutline();
    const isGenuine = body.oversized
      ? await this.signatures.verifyStreamSignature(outline.collect(body.passing), signature, secrets)
      : await this.signatures.verifySignature(body.bytes, signature, secrets);
    if (!isGenuine) return 'unsigned';
    if (guid === undefined || !GUID.test(guid) || event === undefined || !EVENT.test(event)) return 'malformed';
    const isRead = HANDLED_EVENTS.has(event);
    const ids = isRead ? deliveryIds(body.oversized ? outline.bytes() : body.bytes) : NO_IDS;
    const text = isRead ? toUtf8(body.oversized ? unreadPayload(ids) : body.bytes) : null;
    try {
      await this.memory.run(body.oversized ? 0 : body.bytes.length, () =>
        this.deliveries.receive({ guid, event, ...ids, body: text }, this.clock.now()),
      );
    } catch (error) {
      this.logger.error(`Storing a webhook delivery failed: ${String(error)}`);
      return 'not_stored';
    }
    if (body.oversized) return 'oversized';
    return isRead ? 'stored' : 'ignored';
  }

  /**
   * Reads the stored credentials, because another process may just have completed the set-up. Any client can cause this, so deliveries
   * that wait at the same time share one query, and their bodies count.
   */
  private async loadApp(body: RawBody, signature: string | undefined): Promise<AppCredentials | null> {
    if (signature === undefined) return null;
    return this.memory.run(body.oversized ? 0 : body.bytes.length, () =>
      this.loading.run('', () => this.credentials.load()),
    );
  }
}

/** Replaces invalid UTF-8, which the database does not accept. */
const toUtf8 = (bytes: Buffer): Buffer => (isUtf8(bytes) ? bytes : Buffer.from(bytes.toString()));
