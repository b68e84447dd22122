import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.js';
import { isInstalled } from './installed.js';

const CADDYFILE = 'docker/Caddyfile';

(isInstalled('caddy', 'the test of the proxy') ? describe : describe.skip)('the proxy of the compose file', () => {
  let folder: string;
  let proxy: ChildProcess;
  let url: string;
  let upstreamPort: number;
  let upstream: Server | null = null;

  const environment = (variables: Readonly<Record<string, string>>) => ({
    PATH: process.env['PATH'] ?? '',
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    ...variables,
  });

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-proxy-'));
    upstreamPort = await freePort();
    url = `http://127.0.0.1:${await freePort()}`;
    const env = environment({ DOMAIN: url, UPSTREAM: `127.0.0.1 ${upstreamPort}` });
    proxy = spawn('caddy', ['run', '--config', CADDYFILE, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
    for (;;) {
      const isUp = await fetch(url, { signal: AbortSignal.timeout(100) }).then(
        () => true,
        (error: Error) => error.name === 'TimeoutError',
      );
      if (isUp) return;
      await sleep(50);
    }
  });
  afterAll(async () => {
    proxy.kill('SIGTERM');
    if (proxy.exitCode === null) await once(proxy, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    upstream?.closeAllConnections();
    upstream?.close();
    if (upstream) await once(upstream, 'close');
    upstream = null;
  });

  async function serve(listener: RequestListener): Promise<void> {
    upstream = createServer(listener).listen(upstreamPort, '127.0.0.1');
    await once(upstream, 'listening');
  }

  it('gets its certificate itself for the domain', () => {
    const env = environment({ DOMAIN: 'releases.example.com' });
    const { status, stdout } = spawnSync('caddy', ['adapt', '--config', CADDYFILE, '--adapter', 'caddyfile'], {
      env,
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    const [server] = Object.values(
      (JSON.parse(stdout) as { apps: { http: { servers: Record<string, object> } } }).apps.http.servers,
    );
    expect(server).toMatchObject({
      listen: [':443'],
      routes: [{ match: [{ host: ['releases.example.com'] }] }],
    });
    expect(stdout).not.toContain('automatic_https');
  });

  it('passes the address of the client, and not the one that a client claims', async () => {
    await serve(({ headers }, response) => response.end(JSON.stringify(headers)));
    const answer = await fetch(url, { headers: { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' } });
    expect(await answer.json()).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
  });

  it('passes an event at once, before the stream ends', async () => {
    await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: first\n\n');
    });
    const { body } = await fetch(url);
    const reader = body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(Buffer.from(value as Uint8Array).toString()).toBe('data: first\n\n');
    await reader?.cancel();
  });

  it('lets a request wait while the only process is replaced', async () => {
    const answer = fetch(url);
    await sleep(1_000);
    await serve((_, response) => response.end('open'));
    expect(await (await answer).text()).toBe('open');
  });
});
