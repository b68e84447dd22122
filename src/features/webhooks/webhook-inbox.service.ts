import { isUtf8 } from 'node:buffer';
import { Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { AppCredentialsProvider } from '../../config/app-credentials.js';
import { Clock } from '../../config/clock.js';
import { WebhookSignatures } from '../../github/webhooks.js';
import type { RawBody } from '../../http/body/body-parser.js';
import { Metrics } from '../../observability/metrics.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { deliveryIds, type DeliveryIds } from './delivery-ids.js';
import { HANDLED_EVENTS, unreadPayload } from './payload-changes.js';
import { PayloadOutline } from './payload-outline.js';

/** Thousands of usual deliveries: what arrives in seconds of a flood while the database keeps none. */
const CAPACITY_BYTES = 67_108_864;
/** What a delivery holds beside its body: the request, its headers, its place among those that wait. */
const BESIDE_BODY_BYTES = 4_096;

/**
 * How much of deliveries waits to be kept at once. Without a bound a database that stands still would fill the process with
 * them until it ends, and the gate with it. What finds no room is not acknowledged, and so asked for again later.
 */
export class InboxMemoryLimit {
  #used = 0;

  /** Does work that holds a body of so many bytes until it has ended; throws where there is no room for it. */
  async run<T>(bodyBytes: number, work: () => Promise<T>): Promise<T> {
    const bytes = bodyBytes + BESIDE_BODY_BYTES;
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
 * `kept` will be processed, of `oversized` it is only kept whom it is about, `ignored` is only remembered, `not_kept` was not
 * acknowledged; the rest was dropped.
 */
type Fate = 'kept' | 'ignored' | 'not_kept' | 'unsigned' | 'oversized' | 'malformed';

const NO_SENDER: DeliveryIds = { installationId: null, repositoryId: null };
const GUID = /^[0-9a-fA-F-]{1,64}$/;
const EVENT = /^[a-z_]{1,64}$/;

/**
 * Takes deliveries in: what is signed is on disk before it is acknowledged, everything else is dropped. Also of what is
 * not read the GUID is kept, so that it never looks like a delivery that was missed.
 */
@Injectable()
export class WebhookInboxService {
  private readonly logger = new Logger(WebhookInboxService.name);
  private readonly received: Counter<'fate'>;
  private readonly memory = new InboxMemoryLimit();
  private readonly signatures = new WebhookSignatures();

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly clock: Clock,
    private readonly credentials: AppCredentialsProvider,
    metrics: Metrics,
  ) {
    this.received = metrics.counter({
      name: 'shipgate_webhook_deliveries_total',
      help: 'Deliveries of GitHub by what became of them.',
      labels: ['fate'],
    });
    metrics.gauge('shipgate_webhook_dead_letters', 'Deliveries that could not be processed.', () =>
      this.deliveries.countDead(),
    );
  }

  /** False where the delivery should have been kept and could not be. */
  async accept(delivery: Delivery): Promise<boolean> {
    const fate = await this.store(delivery);
    this.received.inc({ fate });
    return fate !== 'not_kept';
  }

  private async store({ body, guid, event, signature }: Delivery): Promise<Fate> {
    const secret = this.credentials.current()?.webhookSecret;
    const outline = new PayloadOutline();
    if (!body) return 'unsigned';
    const isGenuine = body.oversized
      ? await this.signatures.isSignedPassing(outline.of(body.passing), signature, secret)
      : await this.signatures.isSigned(body.bytes, signature, secret);
    if (!isGenuine) return 'unsigned';
    if (guid === undefined || !GUID.test(guid) || event === undefined || !EVENT.test(event)) return 'malformed';
    const isRead = HANDLED_EVENTS.has(event);
    const ids = isRead ? deliveryIds(body.oversized ? outline.bytes() : body.bytes) : NO_SENDER;
    const text = isRead ? toUtf8(body.oversized ? unreadPayload(ids) : body.bytes) : null;
    try {
      await this.memory.run(body.oversized ? 0 : body.bytes.length, () =>
        this.deliveries.receive({ guid, event, ...ids, body: text }, this.clock.now()),
      );
    } catch (error) {
      this.logger.error(`A webhook delivery could not be kept: ${String(error)}`);
      return 'not_kept';
    }
    if (body.oversized) return 'oversized';
    return isRead ? 'kept' : 'ignored';
  }
}

/** As the database keeps it: what is no UTF-8 is replaced. */
const toUtf8 = (bytes: Buffer): Buffer => (isUtf8(bytes) ? bytes : Buffer.from(bytes.toString()));
