import { createHmac, randomUUID } from 'node:crypto';
import { setImmediate as verified } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { AppCredentialsProvider } from '../../config/app-credentials.js';
import { Clock } from '../../config/clock.js';
import { Metrics } from '../../observability/metrics.js';
import type { DeliveriesRepository } from './deliveries.repository.js';
import { WebhookInboxService } from './webhook-inbox.service.js';

const SECRET = 'the secret of the app';
const bytes = Buffer.from(JSON.stringify({ ref: 'x'.repeat(1_000_000) }));
const signature = `sha256=${createHmac('sha256', SECRET).update(bytes).digest('hex')}`;

it.each([
  ['push', 'which is read'],
  ['star', 'without a handler'],
])(
  'leaves a %s, %s, unacknowledged while too many wait for the database, and acknowledges all that waited',
  async (event) => {
    const written: (() => void)[] = [];
    const deliveries = {
      receive: () => new Promise<void>((resolve) => written.push(resolve)),
    } as unknown as DeliveriesRepository;
    const credentials = { current: () => ({ webhookSecret: SECRET }) } as AppCredentialsProvider;
    const environment = { webhookSecretAlsoValid: null };
    const inbox = new WebhookInboxService(deliveries, new Clock(), credentials, environment, new Metrics());
    const deliver = (): Promise<boolean> =>
      inbox.accept({ body: { oversized: false, bytes }, guid: randomUUID(), event, signature });

    const waiting = Array.from({ length: 66 }, deliver);
    await verified();
    expect(written).toHaveLength(66);
    expect(await deliver()).toBe(false);
    expect(written).toHaveLength(66);
    for (const write of written) write();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => true));
    const next = deliver();
    await verified();
    written.at(-1)?.();
    expect(await next).toBe(true);
  },
);
