import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { hashSetupCode } from '../../src/features/setup/setup.service.js';
import { RATE_LIMITS } from '../../src/http/rate-limit/rate-limits.js';
import { BuiltService } from '../contract/built-service.js';
import { followEvents, reportEvents } from '../faults/event-ledger.js';
import { environmentOf, type Host, startGitHub } from '../faults/start-github.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { givenLongWindows } from '../support/given-long-windows.js';
import { credentialsOf, UNCONFIGURED } from '../support/unconfigured.js';

const CODE = 'A1B2C-D3E4F-G5H6J-K7M8N';
const PATIENCE_MS = 30_000;

let database: TestDatabase;
let host: Host;
let web: readonly [BuiltService, BuiltService];
let workers: readonly BuiltService[];

beforeAll(async () => {
  BuiltService.build();
  const ports = [await freePort(), await freePort()] as const;
  database = await createTestDatabase();
  await givenLongWindows(database);
  host = await startGitHub(ports[0]);
  const shared = {
    ...environmentOf(host, database, ports[0]),
    ...UNCONFIGURED,
    RATE_LIMITS: 'on',
    SHUTDOWN_DELAY: '1s',
  };
  const start = (variables: Readonly<Record<string, string>>): Promise<BuiltService> =>
    BuiltService.start({ ...shared, ...variables });
  const [first, second, ...others] = await Promise.all([
    start({ ROLE: 'web', PORT: String(ports[0]) }),
    start({ ROLE: 'web', PORT: String(ports[1]) }),
    start({ ROLE: 'worker' }),
    start({ ROLE: 'worker' }),
  ]);
  web = [first, second];
  workers = others;
}, 180_000);
afterAll(async () => {
  await Promise.all([...web, ...workers].map((service) => service.kill()));
  await host.outbox.stop();
  await host.github.stop();
  await database.drop();
});

async function until(check: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) if (await check()) return;
  throw new Error('The condition did not become true in time.');
}

const isConfigured = async ({ url }: BuiltService): Promise<boolean> => {
  const response = await fetch(`${url}/api/config/status`);
  return ((await response.json()) as { readonly configured: boolean }).configured;
};

const organizations = (): Promise<number> =>
  withDedicatedClient(
    database.superuserUrl,
    async (client) => (await client.query('select from organization')).rowCount ?? 0,
  );

describe('two processes that serve and two that run jobs', () => {
  it('all use the app that was set up at one of them, and do the work of its deliveries', async () => {
    await withDedicatedClient(database.superuserUrl, (client) =>
      client.query('select add_setup_code($1, now())', [hashSetupCode(CODE)]),
    );
    const { status } = await fetch(`${web[0].url}/api/config/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...credentialsOf(host.app), setupCode: CODE }),
    });
    expect(status).toBe(201);
    await until(() => isConfigured(web[1]));
    host.github.installApp(host.app, host.organization);
    await until(async () => (await organizations()) === 1);
  });

  it('send an event to a reader at one of them after a delivery to another', async () => {
    const reader = await followEvents(host, web[1].url, database, 'reader');
    host.repository.milestones.create({ title: 'v1.0.0' });
    await until(async () => reader.ids.length > 0);
    await host.outbox.waitUntilIdle();
    expect(await reportEvents(reader, database)).toMatchObject({ missed: 0, doubled: 0 });
  });

  it('count the requests of a client together', async () => {
    const statuses: number[] = [];
    for (let request = 0; request < RATE_LIMITS.auth.limit + 10; request += 1) {
      const answer = await fetch(`${web[request % 2 === 0 ? 0 : 1].url}/api/auth/login`, { redirect: 'manual' });
      statuses.push(answer.status);
    }
    expect(statuses.filter((status) => status === 302)).toHaveLength(RATE_LIMITS.auth.limit);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  it('serve nothing but health and metrics if they only run jobs', async () => {
    for (const { url } of workers) {
      const answers = await Promise.all(
        ['/api/health', '/api/health/ready', '/', '/api/config/status', '/api/webhook'].map(async (path) => {
          const response = await fetch(`${url}${path}`, { method: path === '/api/webhook' ? 'POST' : 'GET' });
          return [response.status, await response.json()];
        }),
      );
      expect(answers).toEqual([
        [200, { status: 'ok' }],
        [200, { status: 'ready' }],
        ...Array.from({ length: 3 }, () => [404, { error: 'Not found.' }]),
      ]);
    }
  });

  it('are not ready before they stop, and still answer', async () => {
    const [, stopping] = web;
    const isReady = async (): Promise<boolean> => (await fetch(`${stopping.url}/api/health/ready`)).ok;
    expect(await isReady()).toBe(true);
    const stopped = stopping.stop();
    await until(async () => !(await isReady()));
    expect(await isConfigured(stopping)).toBe(true);
    expect(await stopped).toBe(0);
  });
});
