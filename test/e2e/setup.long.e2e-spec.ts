import { createHmac, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppCredentialsProvider } from '../../src/config/app-credentials.js';
import { SetupService } from '../../src/features/setup/setup.service.js';
import { createApp } from '../../src/http/app.factory.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { AppModule } from '../../src/server/app.module.js';
import { readTestEnvironment } from '../support/read-test-environment.js';
import { givenLongWindows } from '../support/given-long-windows.js';
import { credentialsOf, UNCONFIGURED } from '../support/unconfigured.js';
import { TestEnvironment } from '../support/test-environment.js';

const NOBODYS_CODE = '00000-00000-00000-00000';

let env: TestEnvironment;
const others: NestFastifyApplication[] = [];

afterEach(async () => {
  for (const other of others.splice(0)) await other.close();
  await env.stop();
});

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function setUp(body: object): Promise<Answer> {
  const response = await fetch(`${env.baseUrl}/api/config/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

const status = async (): Promise<unknown> => (await fetch(`${env.baseUrl}/api/config/status`)).json();
const newCode = async (): Promise<string> => (await env.app.get(SetupService).createCode()) ?? 'no code';
const requested = (changes: object = {}): object => ({ ...credentialsOf(env.githubApp), ...changes });

/** Another process of the same service. */
async function anotherInstance(variables: Readonly<Record<string, string>> = {}): Promise<NestFastifyApplication> {
  const environment = readTestEnvironment({
    GITHUB_URL: env.github.url,
    GITHUB_API_URL: env.github.apiUrl,
    ...variables,
  });
  const log = createLineLogger('silent', { write: () => undefined });
  const app = await createApp(AppModule.of({ database: env.database }), environment, log);
  await app.init();
  others.push(app);
  return app;
}

describe('the first run', () => {
  it('logs that the service is not set up yet, and serves requests', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    expect(await status()).toEqual({
      configured: false,
      appSlug: null,
      installUrl: null,
      loginUrl: null,
      billing: true,
      audience: 'shipgate',
      githubUrl: env.github.url,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  it('accepts the credentials with a printed code, and uses them at once', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    const code = await newCode();
    expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/);
    const installUrl = `${env.github.url}/apps/shipgate/installations/new`;
    expect(await setUp(requested({ setupCode: code }))).toEqual({
      status: 201,
      body: { configured: true, appSlug: 'shipgate', installUrl },
    });
    expect(await status()).toMatchObject({
      configured: true,
      appSlug: 'shipgate',
      installUrl,
      loginUrl: `${env.baseUrl}/api/auth/login`,
    });
    // The gateway signs with the new key, and the inbox verifies with the new secret.
    env.organization.createRepository({ name: 'payments' });
    await expect(env.install()).resolves.toMatch(/^[0-9a-f-]{36}$/);
    expect(env.violations).toEqual([]);
  });

  it('finds installations from before the set-up', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    env.github.installApp(env.githubApp, env.organization);
    await env.waitUntilIdle();
    await expect(env.orgId()).rejects.toThrow('has not stored the organization');
    await setUp(requested({ setupCode: await newCode() }));
    await env.waitUntilIdle();
    await expect(env.orgId()).resolves.toMatch(/^[0-9a-f-]{36}$/);
  });

  it('accepts a code as users copy it', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    const code = (await newCode()).toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('-', ' ');
    expect((await setUp(requested({ setupCode: ` ${code}` }))).status).toBe(201);
  });

  it('accepts the code of any process, and all processes use the result', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    const other = await anotherInstance();
    const code = (await other.get(SetupService).createCode()) ?? '';
    await newCode();
    expect((await setUp(requested({ setupCode: code }))).status).toBe(201);
    for (let tries = 0; other.get(AppCredentialsProvider).current() === null && tries < 100; tries += 1)
      await sleep(100);
    expect(other.get(AppCredentialsProvider).current()?.appId).toBe(String(env.githubApp.id));
    const later = await anotherInstance();
    expect(later.get(AppCredentialsProvider).current()?.webhookSecret).toBe(env.githubApp.webhookSecret);
    await expect(later.get(SetupService).createCode()).resolves.toBeNull();
  });

  it('stores a delivery that arrives at another process before that process has read the credentials', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    const other = await anotherInstance();
    expect((await setUp(requested({ setupCode: await newCode() }))).status).toBe(201);
    const [guid, payload] = [randomUUID(), JSON.stringify({ action: 'created' })];
    const signature = createHmac('sha256', env.githubApp.webhookSecret).update(payload).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-github-delivery': guid,
      'x-github-event': 'star',
      'x-hub-signature-256': `sha256=${signature}`,
    };
    const { statusCode } = await other.inject({ method: 'POST', url: '/api/webhook', headers, payload });
    expect(statusCode).toBe(202);
    const stored = await env.asSuperuser(`select from webhook_delivery where guid = '${guid}'`);
    expect(stored).toHaveLength(1);
  });
});

describe('a set-up is rejected', () => {
  it('with a code that was not printed, before any call to GitHub', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    await newCode();
    expect(await setUp(requested({ setupCode: NOBODYS_CODE }))).toEqual({
      status: 403,
      body: { error: 'The set-up code is invalid. Use the code that the service printed.' },
    });
    expect(env.exchanges).toEqual([]);
    expect(await status()).toMatchObject({ configured: false });
  });

  it('after thirty wrong codes for a while, except with the right one', async () => {
    env = await TestEnvironment.start({ ...UNCONFIGURED, RATE_LIMITS: 'on' });
    await givenLongWindows(env.databaseUrls);
    const code = await newCode();
    const statuses: number[] = [];
    for (let guess = 0; guess < 31; guess += 1) {
      statuses.push((await setUp(requested({ setupCode: NOBODYS_CODE }))).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 403), 429]);
    expect((await setUp(requested({ setupCode: code }))).status).toBe(201);
  });

  it('for each invalid field, by name', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    const setupCode = await newCode();
    const empty = await setUp({});
    for (const field of ['setupCode', 'appId', 'clientId', 'clientSecret', 'webhookSecret', 'privateKey']) {
      expect([empty.status, empty.body['error']]).toEqual([400, expect.stringContaining(field)]);
    }
    const badKey = await setUp(requested({ setupCode, privateKey: 'no key at all' }));
    expect(badKey).toEqual({ status: 400, body: { error: 'privateKey must be an RSA private key in PEM.' } });
    expect((await setUp(requested({ setupCode, appId: '0x7' }))).status).toBe(400);
    expect((await setUp(requested({ setupCode, slug: 'mine' }))).status).toBe(400);
  });

  it('if GitHub knows no app with the credentials, or another one', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    const other = env.github.registerApp({ name: 'Other', owner: env.organization });
    const setupCode = await newCode();
    const withKeyOf = await setUp(requested({ setupCode, privateKey: other.privateKey }));
    expect([withKeyOf.status, withKeyOf.body['error']]).toEqual([422, expect.stringContaining('privateKey')]);
    const withIdOf = await setUp(requested({ setupCode, appId: String(other.id) }));
    expect([withIdOf.status, withIdOf.body['error']]).toEqual([422, expect.stringContaining('appId')]);
    const withSecretOf = await setUp(requested({ setupCode, clientSecret: other.clientSecret }));
    expect([withSecretOf.status, withSecretOf.body['error']]).toEqual([422, expect.stringContaining('clientSecret')]);
    expect(await status()).toMatchObject({ configured: false });
    // A failed attempt does not use up the code.
    expect((await setUp(requested({ setupCode }))).status).toBe(201);
  });

  it('while GitHub is unavailable', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    const setupCode = await newCode();
    env.github.faults.next({ kind: '5xx', match: /^GET \/app$/, times: 3 });
    const away = await setUp(requested({ setupCode }));
    expect(away.status).toBe(503);
    env.github.faults.clear();
    expect((await setUp(requested({ setupCode }))).status).toBe(201);
  });

  it('after it is complete: with the same code, another one, and none', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    const [setupCode, another] = [await newCode(), await newCode()];
    expect((await setUp(requested({ setupCode }))).status).toBe(201);
    for (const code of [setupCode, another, NOBODYS_CODE]) {
      expect(await setUp(requested({ setupCode: code }))).toEqual({
        status: 409,
        body: { error: 'The GitHub App is set up already.' },
      });
    }
    expect(await env.asSuperuser('select * from setup_code')).toEqual([]);
  });

  it('if environment variables contain the credentials', async () => {
    env = await TestEnvironment.start();
    await expect(newCode()).resolves.toBe('no code');
    expect((await setUp(requested({ setupCode: NOBODYS_CODE }))).status).toBe(409);
  });
});

describe('of fifty set-ups at once', () => {
  it('one succeeds', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    const setupCode = await newCode();
    const answers = await Promise.all(Array.from({ length: 50 }, () => setUp(requested({ setupCode }))));
    const statuses = answers.map((answer) => answer.status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 409)]);
    expect(await env.asSuperuser('select only_one from app_configuration')).toHaveLength(1);
  });
});

describe('the credentials', () => {
  it('are stored encrypted, and the codes as digests', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    const setupCode = await newCode();
    const before = JSON.stringify(await env.asSuperuser('select code_hash::text from setup_code'));
    expect(before).not.toContain(setupCode);
    await setUp(requested({ setupCode }));
    const [row] = await env.asSuperuser<{ encrypted_credentials: string }>('select * from app_configuration');
    expect(row?.encrypted_credentials).toMatch(/^v1\.test\./);
    const { clientSecret, webhookSecret } = env.githubApp;
    for (const secret of [setupCode, clientSecret, webhookSecret, 'PRIVATE KEY']) {
      expect(`${row?.encrypted_credentials}${env.lines.join('')}`).not.toContain(secret);
    }
  });

  it('stop the start if no key decrypts them, and the message names the missing key', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    await setUp(requested({ setupCode: await newCode() }));
    const ENCRYPTION_KEYS = `other:${Buffer.alloc(32, 9).toString('base64')}`;
    await expect(anotherInstance({ ENCRYPTION_KEYS })).rejects.toThrow(/ENCRYPTION_KEYS .* needs the key test/s);
  });

  it('in environment variables take precedence over those of a set-up', async () => {
    env = await TestEnvironment.start(UNCONFIGURED);
    await setUp(requested({ setupCode: await newCode() }));
    const other = env.github.registerApp({ name: 'Other', owner: env.organization });
    const instance = await anotherInstance({
      GITHUB_APP_ID: String(other.id),
      GITHUB_APP_SLUG: other.slug,
      GITHUB_APP_CLIENT_ID: other.clientId,
      GITHUB_APP_CLIENT_SECRET: other.clientSecret,
      GITHUB_APP_PRIVATE_KEY: other.privateKey,
      GITHUB_WEBHOOK_SECRET: other.webhookSecret,
    });
    expect(instance.get(AppCredentialsProvider).current()?.slug).toBe('other');
  });
});

it.each([{}, UNCONFIGURED])('routes of former versions are gone, set up or not', async (variables) => {
  env = await TestEnvironment.start(variables);
  const paths = [
    '/manifest-start',
    '/manifest-callback',
    '/api/config/manifest-start',
    '/api/config/manifest-callback',
  ];
  const routes = [
    ...paths.flatMap((path) => [`GET ${path}`, `HEAD ${path}`, `POST ${path}`]),
    'POST /setup',
    'PUT /setup',
  ];
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ');
    const body = method === 'POST' || method === 'PUT' ? { body: '{"webhookSecret":"mine"}' } : {};
    const response = await fetch(`${env.baseUrl}${path}`, { method, ...body });
    expect([route, response.status]).toEqual([route, 410]);
    if (method !== 'HEAD') expect(Object.keys((await response.json()) as object)).toEqual(['error']);
  }
});
