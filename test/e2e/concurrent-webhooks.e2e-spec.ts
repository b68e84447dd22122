import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start();
  await env.install();
});
afterAll(() => env.stop());

/** Returns the status, or null if the connection was closed without a response. */
async function deliver(guid: string, body: string | Uint8Array<ArrayBuffer>): Promise<number | null> {
  const signature = createHmac('sha256', env.githubApp.webhookSecret).update(body).digest('hex');
  try {
    const response = await fetch(`${env.baseUrl}/api/webhook`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': guid,
        'x-hub-signature-256': `sha256=${signature}`,
      },
    });
    return response.status;
  } catch {
    return null;
  }
}

const listStored = async (): Promise<ReadonlyMap<string, string>> =>
  new Map(
    (await env.asSuperuser<{ guid: string; status: string }>('select guid, status from webhook_delivery')).map(
      ({ guid, status }) => [guid, status],
    ),
  );

it('stores and processes deliveries that arrive at once, those that arrived twice too, independently of each other', async () => {
  const guids = Array.from({ length: 40 }, () => randomUUID());
  const repository = { id: 12, name: 'nobody-knows' };
  const bodies = guids.map((_, number) => JSON.stringify({ number, ref: 'refs/heads/main', repository }));
  // A text with a zero byte cannot be stored.
  const [unstorable, large] = [randomUUID(), randomUUID()];
  const answers = await Promise.all([
    ...guids.flatMap((guid, number) => [deliver(guid, bodies[number] ?? ''), deliver(guid, bodies[number] ?? '')]),
    deliver(unstorable, '{"ref": "\0"}'),
    deliver(large, JSON.stringify({ ref: 'x'.repeat(500_000), repository })),
  ]);
  await env.waitUntilIdle();
  expect(answers).toEqual([...guids.flatMap(() => [202, 202]), null, 202]);
  const deliveries = await listStored();
  expect([...guids, large].map((guid) => deliveries.get(guid))).toEqual([...guids, large].map(() => 'ignored'));
  expect(deliveries.has(unstorable)).toBe(false);
});

it('stores one of the deliveries that arrive at once under one GUID, whatever the others contain', async () => {
  const guid = randomUUID();
  const others = Array.from({ length: 8 }, () => randomUUID());
  const body = (id: number): string => JSON.stringify({ ref: 'refs/heads/main', repository: { id } });
  const answers = await Promise.all([
    ...others.map((other, number) => deliver(other, body(number + 1))),
    ...others.map((_, number) => deliver(guid, body(number + 100))),
  ]);
  await env.waitUntilIdle();
  expect(new Set(answers)).toEqual(new Set([202]));
  const deliveries = await listStored();
  expect([guid, ...others].map((one) => deliveries.get(one))).toEqual([guid, ...others].map(() => 'ignored'));
  const jobs = await env.asSuperuser('select last_error from graphile_worker.jobs where last_error is not null');
  expect(jobs).toEqual([]);
});

it('stores a delivery that is not UTF-8 as far as it can be read', async () => {
  const guid = randomUUID();
  const body = Buffer.concat([Buffer.from('{"ref": "refs/heads/'), Buffer.from([0xff]), Buffer.from('"}')]);
  expect(await deliver(guid, body)).toBe(202);
  await env.waitUntilIdle();
  const rows = await env.asSuperuser<{ body: string }>(`select body from webhook_delivery where guid = '${guid}'`);
  expect(rows).toEqual([{ body: '{"ref": "refs/heads/\uFFFD"}' }]);
});
