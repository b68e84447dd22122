import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

const BUSY = 4_711;
const CALM = 4_712;

let env: TestEnvironment;

beforeAll(async () => {
  env = await TestEnvironment.start({ ROLE: 'web' });
});
afterAll(() => env.stop());
afterEach(() => env.asSuperuser(`delete from ${JOB_TABLE}; delete from webhook_delivery`));

/** Posts deliveries about a repository of the installation, one after the other. Returns their GUIDs. */
async function deliver(installation: number, count: number): Promise<readonly string[]> {
  const guids = Array.from({ length: count }, () => randomUUID());
  for (const guid of guids) {
    const body = JSON.stringify({ ref: 'refs/heads/main', installation: { id: installation }, repository: { id: 1 } });
    const { status } = await fetch(`${env.baseUrl}/api/webhook`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': guid,
        'x-hub-signature-256': `sha256=${createHmac('sha256', env.githubApp.webhookSecret).update(body).digest('hex')}`,
      },
    });
    expect(status).toBe(202);
  }
  return guids;
}

/** The deliveries that wait, in the order in which workers take them. */
const waiting = async (): Promise<readonly string[]> =>
  (
    await env.asSuperuser<{ guid: string }>(
      `select substr(key, length('webhook:') + 1) as guid from graphile_worker.jobs order by priority, run_at, id`,
    )
  ).map(({ guid }) => guid);

const finish = (guids: readonly string[]): Promise<unknown> =>
  env.asSuperuser(
    guids
      .map(
        (guid) => `update webhook_delivery set status = 'done' where guid = '${guid}';
          delete from ${JOB_TABLE} where key = 'webhook:${guid}';`,
      )
      .join(''),
  );

it('processes many deliveries of one installation after later ones of others, and in their own order', async () => {
  const flood = await deliver(BUSY, 120);
  const others = await deliver(CALM, 3);
  expect(await waiting()).toEqual([...flood.slice(0, 50), ...others, ...flood.slice(50)]);
});

it('processes a new delivery after the waiting ones of its installation, and without waiting when none wait', async () => {
  const flood = await deliver(BUSY, 60);
  await finish(flood.slice(0, 55));
  const next = await deliver(BUSY, 2);
  const other = await deliver(CALM, 1);
  expect(await waiting()).toEqual([...other, ...flood.slice(55), ...next]);
  await finish([...flood.slice(55), ...next]);
  const later = await deliver(BUSY, 2);
  expect(await waiting()).toEqual([...other, ...later]);
});
