import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Database } from '../../src/database/database.js';
import { pageSecurityPolicy } from '../../src/features/web/dashboard/dashboard-pages.controller.js';
import { createApp } from '../../src/http/app.factory.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { AppModule } from '../../src/server/app.module.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { findDashboardAsset } from '../support/dashboard-asset.js';
import { readTestEnvironment } from '../support/read-test-environment.js';
import { givenLongWindows } from '../support/given-long-windows.js';
import { PRIVATE_KEY } from '../support/fake-github-gateway.js';
import { UNCONFIGURED } from '../support/unconfigured.js';

const CONFIGURED = {
  GITHUB_APP_ID: '1',
  GITHUB_APP_SLUG: 'shipgate',
  GITHUB_APP_CLIENT_ID: 'Iv1.shipgate',
  GITHUB_APP_CLIENT_SECRET: 'a client secret',
  GITHUB_APP_PRIVATE_KEY: PRIVATE_KEY,
  GITHUB_WEBHOOK_SECRET: 'a webhook secret',
};

let testDatabase: TestDatabase;
let database: Database;
const apps: NestFastifyApplication[] = [];
let app: NestFastifyApplication;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await Database.open({ url: testDatabase.appUrl });
  app = await serve(CONFIGURED);
});
afterAll(async () => {
  for (const served of apps) await served.close();
  await database.close();
  await testDatabase.drop();
});

async function serve(variables: Readonly<Record<string, string>>): Promise<NestFastifyApplication> {
  const environment = readTestEnvironment({ RATE_LIMITS: 'off', ...variables });
  const served = await createApp(AppModule.of({ database }), environment, createLineLogger('silent', process.stdout));
  await served.init();
  await served.getHttpAdapter().getInstance().ready();
  apps.push(served);
  return served;
}

/** The cookie of a browser that has signed in once, whether or not the session still exists. */
function cookieOf(served: NestFastifyApplication): { readonly cookie: string } {
  const fastify = served.getHttpAdapter().getInstance() as unknown as { signCookie(value: string): string };
  return { cookie: `connect.sid=${encodeURIComponent(fastify.signCookie('a'.repeat(43)))}` };
}

const ADDRESSES = [
  '/',
  '/?notice=<b>',
  '/invite',
  '/platform/upgrade-requests',
  '/setup',
  '/sign-in',
  '/w/acme/releases',
  '/workspaces',
];

describe('the rate limits of the dashboard', () => {
  it('let all users behind one address load all files of a page that they can open', async () => {
    const limited = await serve({ ...CONFIGURED, RATE_LIMITS: 'on' });
    await givenLongWindows(testDatabase);
    const statusOf = async (url: string): Promise<number> => (await limited.inject(url)).statusCode;
    const file = `/assets/${findDashboardAsset()}`;
    const opened: unknown[] = [];
    for (let visitor = 0; visitor < 60; visitor += 1) {
      const files = new Set<number>();
      for (let request = 0; request < 9; request += 1) files.add(await statusOf(file));
      opened.push({ page: await statusOf('/'), files });
    }
    expect(opened).toEqual(Array.from({ length: 60 }, () => ({ page: 200, files: new Set([200]) })));
    expect(await statusOf('/')).toBe(429);
  });
});

describe('the start page', () => {
  it('is the same for every URL of the dashboard, with and without a session, before and after the set-up', async () => {
    const bodies = new Set<string>();
    for (const served of [app, await serve(UNCONFIGURED)]) {
      for (const headers of [{}, { cookie: 'connect.sid=made-up' }, cookieOf(served)]) {
        for (const url of ADDRESSES) {
          const { statusCode, body } = await served.inject({ url, headers });
          expect([url, statusCode]).toEqual([url, 200]);
          bodies.add(body);
        }
      }
    }
    expect(bodies.size).toBe(1);
  });

  it('is revalidated each time', async () => {
    for (const url of ADDRESSES) {
      const { headers } = await app.inject({ url });
      expect([url, headers['cache-control']]).toEqual([url, 'no-cache']);
      const again = await app.inject({ url, headers: { 'if-none-match': String(headers.etag) } });
      expect([again.statusCode, again.body]).toEqual([304, '']);
    }
  });

  it('can load files of the service and account pictures, and cannot be framed', async () => {
    for (const url of ADDRESSES) {
      const { headers, body } = await app.inject({ url });
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; " +
          "img-src 'self' data: https://avatars.githubusercontent.com; connect-src 'self'; form-action 'self'; " +
          "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(body).not.toMatch(
        /<style|<script(?! type="module" crossorigin src="\/assets\/[\w-]+\.js">)| style=| on\w+=/,
      );
    }
  });

  it('shows pictures from the address where GitHub stores them', () => {
    expect(pageSecurityPolicy('https://github.acme.example')).toContain(
      "img-src 'self' data: https://github.acme.example https://avatars.github.acme.example;",
    );
  });

  it('is not the answer to other URLs and methods', async () => {
    for (const url of ['/nowhere', '/setup/more', '/invite/x', '/w', '/api', '/api/nowhere']) {
      expect([url, (await app.inject({ url })).statusCode]).toEqual([url, 404]);
    }
    expect((await app.inject({ method: 'POST', url: '/setup' })).statusCode).toBe(410);
    expect((await app.inject({ method: 'POST', url: '/invite' })).statusCode).toBe(404);
  });
});

describe('an asset', () => {
  it('is cached for good, because its name contains a hash of its content', async () => {
    for (const headers of [{}, cookieOf(app)]) {
      const received = await app.inject({ url: `/assets/${findDashboardAsset()}`, headers });
      expect([received.statusCode, received.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
      expect(received.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it('is sent once to a browser that caches it', async () => {
    const url = `/assets/${findDashboardAsset()}`;
    const { headers, body } = await app.inject({ url });
    const tag = String(headers.etag);
    expect(tag).toMatch(/^"[0-9a-f]{64}"$/);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const again = await app.inject({ url, headers: { 'if-none-match': known } });
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', tag]);
      expect(again.headers['content-length']).toBeUndefined();
    }
    const changed = await app.inject({ url, headers: { 'if-none-match': '"other"' } });
    expect([changed.statusCode, changed.body]).toEqual([200, body]);
  });

  it.each(['main.tsx', 'constructor', '__proto__', '..%2Findex.html', '%2Fetc%2Fpasswd', 'service.js.map'])(
    'returns no other file: %s',
    async (name) => {
      const { statusCode, json, headers } = await app.inject({ url: `/assets/${name}` });
      expect([statusCode, json()]).toEqual([404, { error: 'File not found.' }]);
      expect(headers['cache-control']).toBeUndefined();
    },
  );
});
