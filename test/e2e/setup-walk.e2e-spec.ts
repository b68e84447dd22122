import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertNotConfigured, registerApp, SetupServer } from '../../src/cli/setup/setup-server.js';
import { AppCredentialsProvider } from '../../src/config/app-credentials.js';
import type { Environment } from '../../src/config/environment.js';
import type { AppManifest } from '../../src/features/setup/app-manifest.js';
import { REQUIRED_APP_PERMISSIONS } from '../../src/features/setup/app-permissions.js';
import { HANDLED_EVENTS } from '../../src/features/webhooks/payload-changes.js';
import { readTestEnvironment } from '../support/read-test-environment.js';
import { UNCONFIGURED } from '../support/unconfigured.js';
import { TestEnvironment } from '../support/test-environment.js';

let env: TestEnvironment;
let environment: Environment;
let walk: SetupServer;

beforeEach(async () => {
  env = await TestEnvironment.start(UNCONFIGURED);
  environment = readTestEnvironment({
    GITHUB_URL: env.github.url,
    GITHUB_API_URL: env.github.apiUrl,
    BASE_URL: env.baseUrl,
  });
  walk = await begin();
});
afterEach(async () => {
  await walk.stop();
  await env.stop();
});

const begin = (
  changes: Partial<Pick<Environment, 'baseUrl' | 'githubUrl'>> = {},
  appName = 'Shipgate acme',
): Promise<SetupServer> =>
  SetupServer.start({
    environment: { ...environment, ...changes },
    organization: 'acme',
    appName,
    finish: (code) => registerApp(env.database, environment, env.clock, code),
  });

interface StartForm {
  readonly action: string;
  readonly manifest: string;
}

const unescape = (html: string): string =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The form of the first page, as a browser reads it. */
async function openStart(of = walk): Promise<StartForm> {
  const html = await (await fetch(of.url)).text();
  return {
    action: unescape(/ action="([^"]*)"/.exec(html)?.[1] ?? ''),
    manifest: unescape(/name="manifest" value="([^"]*)"/.exec(html)?.[1] ?? ''),
  };
}

/** Submits the form as the button does. Returns the redirect of GitHub. */
async function registerAt({ action, manifest }: StartForm): Promise<string> {
  const response = await fetch(action, { method: 'POST', body: new URLSearchParams({ manifest }), redirect: 'manual' });
  return response.headers.get('location') ?? `no redirect: ${response.status}`;
}

const stored = (): Promise<readonly object[]> => env.asSuperuser('select * from app_configuration');

describe('the set-up through the manifest flow', () => {
  it('registers the app with the required permissions, and the running service uses it', async () => {
    const back = await registerAt(await openStart());
    expect(back.startsWith(`${walk.url}/created?`)).toBe(true);
    const done = await fetch(back);
    const installUrl = `${env.github.url}/apps/shipgate-acme/installations/new`;
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining(installUrl)]);
    await expect(walk.end).resolves.toBe(installUrl);

    const app = env.github.state.apps.findBySlug('shipgate-acme');
    expect(app).toMatchObject({
      owner: env.organization,
      permissions: REQUIRED_APP_PERMISSIONS.permissions,
      events: REQUIRED_APP_PERMISSIONS.events,
      callbackUrls: [`${env.baseUrl}/api/auth/callback`],
      setupUrl: `${env.baseUrl}/api/config/install/callback`,
      webhookUrl: `${env.baseUrl}/api/webhook`,
    });
    const source = env.app.get(AppCredentialsProvider);
    for (let tries = 0; source.current() === null && tries < 100; tries += 1) await sleep(100);
    expect(source.current()).toEqual({
      appId: String(app?.id),
      slug: 'shipgate-acme',
      clientId: app?.clientId,
      clientSecret: app?.clientSecret,
      privateKey: app?.privateKey,
      webhookSecret: app?.webhookSecret,
    });
    expect(env.violations).toEqual([]);
    await expect(assertNotConfigured(env.database, environment)).rejects.toThrow('is set up already');
  });

  it('requests only events that the service processes', () => {
    expect(REQUIRED_APP_PERMISSIONS.events.filter((event) => !HANDLED_EVENTS.has(event))).toEqual([]);
  });

  it('requests no webhook if GitHub could not reach it', async () => {
    const local = await begin({ githubUrl: 'https://github.com' });
    const { action, manifest } = await openStart(local);
    await local.stop();
    expect(new URL(action).pathname).toBe('/organizations/acme/settings/apps/new');
    expect((JSON.parse(manifest) as AppManifest).hook_attributes).toBeUndefined();
  });
});

describe('the callback', () => {
  it('is accepted only with the state of this set-up', async () => {
    const back = new URL(await registerAt(await openStart()));
    for (const state of [null, '', 'another', `${back.searchParams.get('state')}x`]) {
      const forged = new URL(back);
      forged.searchParams.delete('state');
      if (state !== null) forged.searchParams.set('state', state);
      expect((await fetch(forged)).status).toBe(400);
    }
    expect(await stored()).toEqual([]);
    expect((await fetch(back)).status).toBe(200);
    expect(await stored()).toHaveLength(1);
  });

  it('is accepted once', async () => {
    const back = await registerAt(await openStart());
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await fetch(back)).status));
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
  });

  it('is rejected if another set-up was faster, and names the unused app', async () => {
    const other = await begin({}, 'Shipgate other');
    await fetch(await registerAt(await openStart(other)));
    await other.stop();
    const late = await fetch(await registerAt(await openStart()));
    expect([late.status, await late.text()]).toEqual([500, expect.stringContaining('Delete the new app')]);
    await expect(walk.end).rejects.toThrow('is set up already');
    expect(await stored()).toHaveLength(1);
  });

  it('is rejected with an unknown code, which no message repeats', async () => {
    const back = new URL(await registerAt(await openStart()));
    back.searchParams.set('code', 'a-code-of-nobody');
    const html = await (await fetch(back)).text();
    await expect(walk.end).rejects.toThrow('POST /app-manifests/{code}/conversions answered 404');
    expect(html).not.toContain('a-code-of-nobody');
    expect(await stored()).toEqual([]);
  });
});

describe('the pages', () => {
  it('are not shown without their secret address', async () => {
    const { origin } = new URL(walk.url);
    for (const path of ['/', '/created', '/0123456789abcdef', '/0123456789abcdef/created?code=a&state=b']) {
      expect((await fetch(`${origin}${path}`)).status).toBe(404);
    }
    expect((await fetch(walk.url, { method: 'POST' })).status).toBe(404);
  });

  it('return an error for an unknown target, and continue to run', async () => {
    const { hostname, port } = new URL(walk.url);
    for (const path of ['//', '///', '//[', '//name/', 'http://[', '*', 'http://127.0.0.1/']) {
      const status = await new Promise((resolve, reject) => {
        const requested = request({ hostname, port, path }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        requested.on('error', reject).end();
      });
      expect([path, status]).toEqual([path, 404]);
    }
    expect((await fetch(walk.url)).status).toBe(200);
  });

  it('are shown under no other host name of the machine', async () => {
    const status = await new Promise((resolve, reject) => {
      const requested = request(walk.url, { headers: { host: 'rebound.example' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      requested.on('error', reject).end();
    });
    expect(status).toBe(404);
  });

  it('can send their form to GitHub and load nothing', async () => {
    const { headers } = await fetch(walk.url);
    expect(headers.get('content-security-policy')).toContain(`default-src 'none'`);
    expect(headers.get('content-security-policy')).toContain(
      `form-action ${env.github.url} ${new URL(walk.url).origin};`,
    );
    expect(headers.get('cache-control')).toBe('no-store');
  });
});
