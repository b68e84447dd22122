import { createHmac, randomUUID } from 'node:crypto';
import { setImmediate as verified } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { AppCredentialsProvider } from '../../config/app-credentials.js';
import { Clock } from '../../config/clock.js';
import { Metrics } from '../../observability/metrics.js';
import type { DeliveriesService } from './deliveries.service.js';
import { WebhookInboxService } from './webhook-inbox.service.js';

const SECRET = 'the secret of the app';
const bytes = Buffer.from(JSON.stringify({ ref: 'x'.repeat(1_000_000) }));
const signature = `sha256=${createHmac('sha256', SECRET).update(bytes).digest('hex')}`;

/** Creates an inbox whose deliveries are stored by `receive`. */
function createInbox(receive: () => Promise<void>, metrics = new Metrics()): WebhookInboxService {
  const deliveries = { receive } as unknown as DeliveriesService;
  const credentials = { current: () => ({ webhookSecret: SECRET }) } as AppCredentialsProvider;
  return new WebhookInboxService(deliveries, new Clock(), credentials, { webhookSecretAlsoValid: null }, metrics);
}

it('counts each outcome from zero, so that the first delivery of a kind is an increase', async () => {
  const metrics = new Metrics();
  const inbox = createInbox(() => Promise.reject(new Error('away')), metrics);
  const counts = async (): Promise<Readonly<Record<string, number>>> => {
    const printed = (await metrics.print()).matchAll(/^shipgate_webhook_deliveries_total\{result="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries([...printed].map(([, result = '', count]) => [result, Number(count)]));
  };
  const none = { stored: 0, ignored: 0, not_stored: 0, unsigned: 0, oversized: 0, malformed: 0 };
  expect(await counts()).toEqual(none);
  expect(await inbox.accept({ body: { oversized: false, bytes }, guid: randomUUID(), event: 'push', signature })).toBe(
    false,
  );
  expect(await counts()).toEqual({ ...none, not_stored: 1 });
});

it.each([
  ['push', 'which is read'],
  ['star', 'without a handler'],
])(
  'leaves a %s, %s, unacknowledged while too many wait for the database, and acknowledges all that waited',
  async (event) => {
    const written: (() => void)[] = [];
    const inbox = createInbox(() => new Promise<void>((resolve) => written.push(resolve)));
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
