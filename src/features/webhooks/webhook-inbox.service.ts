import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import type { RawBody } from '../../http/body/raw-body.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { HANDLED_EVENTS } from './webhook-hints.js';
import { isSigned } from './webhook-signature.js';

export interface Delivery {
  readonly body: RawBody | undefined;
  readonly guid: string | undefined;
  readonly event: string | undefined;
  readonly signature: string | undefined;
}

const GUID = /^[0-9a-fA-F-]{1,64}$/;
const EVENT = /^[a-z_]{1,64}$/;

/** Takes deliveries in: what is signed is on disk before it is acknowledged, everything else is dropped. */
@Injectable()
export class WebhookInbox {
  private readonly logger = new Logger(WebhookInbox.name);

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** False where the delivery should have been kept and could not be. */
  async receive({ body, guid, event, signature }: Delivery): Promise<boolean> {
    const secret = this.environment.app?.webhookSecret;
    if (secret === undefined || !body || body.oversized || !isSigned(body.bytes, signature, secret)) return true;
    if (guid === undefined || !GUID.test(guid) || event === undefined || !EVENT.test(event)) return true;
    const text = body.bytes.toString('utf8');
    const heard = HANDLED_EVENTS.has(event);
    const ids = heard ? idsOf(text) : { installationId: null, repositoryId: null };
    try {
      await this.deliveries.receive({ guid, event, ...ids, body: heard ? text : null }, this.clock.now());
      return true;
    } catch (error) {
      this.logger.error(`A webhook delivery could not be kept: ${String(error)}`);
      return false;
    }
  }
}

interface DeliveryIds {
  readonly installationId: number | null;
  readonly repositoryId: number | null;
}

/** Whom the delivery concerns, as far as it can be told without trusting its shape. */
function idsOf(text: string): DeliveryIds {
  try {
    const payload = JSON.parse(text) as {
      installation?: { id?: unknown } | null;
      repository?: { id?: unknown } | null;
    } | null;
    return { installationId: idOf(payload?.installation?.id), repositoryId: idOf(payload?.repository?.id) };
  } catch {
    return { installationId: null, repositoryId: null };
  }
}

const idOf = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null);
