import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Database } from '../../src/database/database.js';
import { pageSecurityPolicy } from '../../src/features/web/pages/pages.service.js';
import { createApp } from '../../src/http/app.factory.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { AppModule } from '../../src/server/app.module.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
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

/** What a browser sends that has signed in here once, whether the session goes on or not. */
function cookieOf(served: NestFastifyApplication): { readonly cookie: string } {
  const fastify = served.getHttpAdapter().getInstance() as unknown as { signCookie(value: string): string };
  return { cookie: `connect.sid=${encodeURIComponent(fastify.signCookie('a'.repeat(43)))}` };
}

const headingOf = (page: string): string => /<h1>([^<]+)<\/h1>/.exec(page)?.[1] ?? 'none';

describe('the rate limits of the pages', () => {
  it('let all users behind one address load all files of a page that they can open', async () => {
    const limited = await serve({ ...CONFIGURED, RATE_LIMITS: 'on' });
    await givenLongWindows(testDatabase);
    const statusOf = async (url: string): Promise<number> => (await limited.inject(url)).statusCode;
    const opened: unknown[] = [];
    for (let visitor = 0; visitor < 60; visitor += 1) {
      const files = new Set<number>();
      for (let file = 0; file < 9; file += 1) files.add(await statusOf('/assets/shipgate.css'));
      opened.push({ page: await statusOf('/'), files });
    }
    expect(opened).toEqual(Array.from({ length: 60 }, () => ({ page: 200, files: new Set([200]) })));
    expect(await statusOf('/')).toBe(429);
  });
});

describe('the front page', () => {
  it('explains how to set up the service until it is set up', async () => {
    const unconfigured = await serve(UNCONFIGURED);
    for (const headers of [{}, cookieOf(unconfigured)]) {
      const { body, statusCode } = await unconfigured.inject({ url: '/', headers });
      expect([statusCode, headingOf(body)]).toEqual([200, 'Shipgate is running, and not set up yet']);
      expect(body).toContain('npm run setup');
    }
  });

  it('offers the sign-in to visitors without a session, without a script', async () => {
    for (const headers of [{}, { cookie: 'connect.sid=made-up' }]) {
      const { body } = await app.inject({ url: '/', headers });
      expect(body).toContain('<a class="button" href="/api/auth/login?returnTo=%2F">Sign in with GitHub</a>');
      expect(body).not.toContain('<script');
    }
    expect((await app.inject({ url: '/', headers: cookieOf(app) })).body).toContain('/assets/front-page.js');
  });

  it('shows the message for a known notice, and no text from the address', async () => {
    for (const headers of [{}, cookieOf(app)]) {
      const received = await app.inject({ url: '/?notice=installation_requested', headers });
      expect(received.body).toContain('<p class="notice" role="status">GitHub sent your request to the owners');
      for (const name of ['<b>', 'constructor', 'a&notice=installation_requested']) {
        expect((await app.inject({ url: `/?notice=${name}`, headers })).body).not.toContain('class="notice"');
      }
    }
  });

  it('is not cached, because another page follows after the sign-in', async () => {
    for (const url of ['/', '/invite']) {
      expect((await app.inject({ url })).headers['cache-control']).toBe('no-store');
    }
  });
});

describe('a page', () => {
  it('can load files of the service and account pictures, and cannot be framed', async () => {
    for (const url of ['/', '/invite']) {
      const { headers, body } = await app.inject({ url });
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; " +
          "img-src 'self' data: https://avatars.githubusercontent.com; connect-src 'self'; form-action 'self'; " +
          "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(body).not.toMatch(/<style|<script(?! type="module" src="\/assets\/[\w-]+\.js">)| style=| on\w+=/);
    }
  });

  it('shows pictures from the address where GitHub stores them', () => {
    expect(pageSecurityPolicy('https://github.acme.example')).toContain(
      "img-src 'self' data: https://github.acme.example https://avatars.github.acme.example;",
    );
  });
});

describe('an asset', () => {
  it('is a file that the pages load, with its content type', async () => {
    for (const [name, type] of [
      ['shipgate.css', 'text/css; charset=utf-8'],
      ['shipgate.svg', 'image/svg+xml; charset=utf-8'],
    ]) {
      const { statusCode, headers } = await app.inject({ url: `/assets/${name}` });
      expect([statusCode, headers['content-type']]).toEqual([200, type]);
      expect([headers['cache-control'], headers['x-content-type-options']]).toEqual(['public, no-cache', 'nosniff']);
    }
  });

  it('is sent once to a browser that caches it, until it changes', async () => {
    const url = '/assets/shipgate.css';
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

  it.each(['front-page.ts', 'constructor', '__proto__', '..%2Fpages.service.js', '%2Fetc%2Fpasswd', 'service.js.map'])(
    'returns no other file: %s',
    async (name) => {
      const { statusCode, json, headers } = await app.inject({ url: `/assets/${name}` });
      expect([statusCode, json()]).toEqual([404, { error: 'File not found.' }]);
      expect(headers['cache-control']).toBeUndefined();
    },
  );
});
