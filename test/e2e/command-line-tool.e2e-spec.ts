import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { CliController } from '../../src/features/web/cli/cli.controller.js';
import { CliFile } from '../../src/features/web/cli/cli-file.js';
import { HealthController } from '../../src/features/operations/health.controller.js';
import { MetricsController } from '../../src/features/operations/metrics.controller.js';
import { type Probe, startProbeApp } from '../support/probe-app.js';

/** Not valid UTF-8, so that a conversion to text would change it. */
const TOOL = Buffer.concat([Buffer.from('#!/usr/bin/env node\n// Größe\n'), randomBytes(4_096)]);
const DIGEST = createHash('sha256').update(TOOL).digest('hex');
const PATHS = [
  '/cli/shipgate.cjs',
  '/cli/shipgate.cjs.sha256',
  '/cli/shipgate.tgz',
  '/cli/shipgate.tgz.sha256',
  '/cli/shipgate.json',
] as const;

let folder: string;
let built: Probe;
let unbuilt: Probe;

function start(file: URL): Promise<Probe> {
  @Module({
    controllers: [CliController, HealthController, MetricsController],
    providers: [{ provide: CliFile, useValue: new CliFile(file) }],
  })
  class ToolModule {}
  return startProbeApp({}, ToolModule);
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'shipgate-tool-'));
  writeFileSync(path.join(folder, 'shipgate.cjs'), TOOL);
  built = await start(pathToFileURL(path.join(folder, 'shipgate.cjs')));
  unbuilt = await start(pathToFileURL(path.join(folder, 'missing.cjs')));
});
afterAll(async () => {
  await Promise.all([built.app.close(), unbuilt.app.close()]);
  rmSync(folder, { recursive: true });
});

const get = (url: string, init: RequestInit = {}): Promise<Response> => fetch(`${built.url}${url}`, init);

describe('the command-line tool', () => {
  it('is served as it was built', async () => {
    const response = await get('/cli/shipgate.cjs', { headers: { 'accept-encoding': 'identity' } });
    expect(Buffer.from(await response.arrayBuffer()).equals(TOOL)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/node',
      'content-length': String(TOOL.length),
      'content-disposition': 'attachment; filename="shipgate.cjs"',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is compressed for clients that accept it', async () => {
    const response = await get('/cli/shipgate.cjs', { headers: { 'accept-encoding': 'gzip' } });
    // `fetch` has decompressed it.
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(Buffer.from(await response.arrayBuffer()).equals(TOOL)).toBe(true);
    const raw = await built.app.inject({ url: '/cli/shipgate.cjs', headers: { 'accept-encoding': 'gzip' } });
    expect(gunzipSync(raw.rawPayload).equals(TOOL)).toBe(true);
  });

  it('has a digest in the format of sha256sum, and a description', async () => {
    const checksum = await get('/cli/shipgate.cjs.sha256');
    expect([checksum.headers.get('content-type'), await checksum.text()]).toEqual([
      'text/plain; charset=utf-8',
      `${DIGEST}  shipgate.cjs\n`,
    ]);
    const description = await get('/cli/shipgate.json');
    expect(description.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await description.json()).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      sha256: DIGEST,
      size: TOOL.length,
      node: '^20.19 || >=22.12',
    });
  });

  it('is also an npm package with the same tool, no dependencies and no scripts, and its digest', async () => {
    const response = await get('/cli/shipgate.tgz', { headers: { 'accept-encoding': 'gzip, br' } });
    expect([response.headers.get('content-type'), response.headers.get('content-encoding')]).toEqual([
      'application/gzip',
      null,
    ]);
    const packed = Buffer.from(await response.arrayBuffer());
    expect(await (await get('/cli/shipgate.tgz.sha256')).text()).toBe(
      `${createHash('sha256').update(packed).digest('hex')}  shipgate.tgz\n`,
    );
    writeFileSync(path.join(folder, 'shipgate.tgz'), packed);
    const unpacked = spawnSync('tar', ['-xzf', 'shipgate.tgz'], { cwd: folder, encoding: 'utf8' });
    expect([unpacked.status, unpacked.stderr]).toEqual([0, '']);
    expect(readFileSync(path.join(folder, 'package/shipgate.cjs')).equals(TOOL)).toBe(true);
    const manifest = JSON.parse(readFileSync(path.join(folder, 'package/package.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({ name: 'shipgate', bin: { shipgate: 'shipgate.cjs' } });
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['dependencies']));
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['scripts']));
  });

  it.each(PATHS)('is not sent again to a client that has it: %s', async (url) => {
    const first = await get(url);
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[0-9a-f]{64}/);
    const again = await get(url, { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    expect((await get(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it.each(PATHS)('answers HEAD with the headers alone: %s', async (url) => {
    const [head, whole] = [await get(url, { method: 'HEAD' }), await get(url)];
    const body = await whole.arrayBuffer();
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['content-type', 'etag', 'cache-control', 'content-encoding', 'content-length']) {
      expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
    }
    expect(body.byteLength).toBeGreaterThan(0);
  });

  it.each(PATHS)('is not found if the build does not contain it: %s', async (url) => {
    const response = await fetch(`${unbuilt.url}${url}`);
    expect([response.status, response.headers.get('content-disposition'), await response.json()]).toEqual([
      404,
      null,
      { error: 'This build of the service does not contain the command-line tool.' },
    ]);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});

const RELEASED = path.resolve('dist/cli/shipgate.cjs');
const isBuilt = existsSync(RELEASED);

(isBuilt ? describe : describe.skip)(
  isBuilt ? 'the built command-line tool' : 'the built command-line tool (skipped: it is missing; run npm run build)',
  () => {
    it('can be downloaded, verified and run', async () => {
      const probe = await start(pathToFileURL(RELEASED));
      try {
        const content = Buffer.from(await (await fetch(`${probe.url}/cli/shipgate.cjs`)).arrayBuffer());
        const checksum = await (await fetch(`${probe.url}/cli/shipgate.cjs.sha256`)).text();
        expect(checksum).toBe(`${createHash('sha256').update(content).digest('hex')}  shipgate.cjs\n`);
        const file = path.join(folder, 'downloaded.cjs');
        writeFileSync(file, content);
        const { status, stdout } = spawnSync(process.execPath, [file, 'version'], { encoding: 'utf8' });
        const { version } = (await (await fetch(`${probe.url}/cli/shipgate.json`)).json()) as {
          readonly version: string;
        };
        expect([status, stdout]).toEqual([0, `shipgate ${version} (Node ${process.versions.node})\n`]);
      } finally {
        await probe.app.close();
      }
    });
  },
);
