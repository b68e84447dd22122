import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpCode,
  Module,
  Post,
  StreamableFile,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { type Probe, startProbeApp } from '../../test/support/probe-app.js';
import { type RawBody, BodyKind } from './body/body-parser.js';
import type { UnreadJson } from './body/json-body.js';
import type { DeferredForm } from './body/multipart-form.js';
import { DomainError } from './errors/domain-error.js';
import { CONNECTION_TIMINGS, type ConnectionTimings } from './open-connections.js';

const MB = 1_048_576;
/** More than any kernel buffers for a client that does not read. */
const LARGE = Buffer.alloc(48 * MB, 'x');

@Controller()
class SlowController {
  @Post('json')
  @HttpCode(200)
  json(@Body() body: object): object {
    return { characters: JSON.stringify(body).length };
  }

  @Post('upload')
  @BodyKind('upload')
  @HttpCode(200)
  async upload(@Body() body: UnreadJson): Promise<object> {
    const blocks = await body.read(() => undefined);
    return { blocks: blocks.length };
  }

  @Post('form')
  @BodyKind('form')
  @HttpCode(200)
  async form(@Body() form: DeferredForm): Promise<object> {
    const parts = await form.read({ parts: 10, partBytes: MB }, () => undefined);
    return { parts: parts.length };
  }

  @Post('raw')
  @BodyKind('raw')
  @HttpCode(200)
  async raw(@Body() body: RawBody): Promise<object> {
    if (body.oversized) for await (const _ of body.passing);
    return { oversized: body.oversized };
  }

  @Get('page')
  page(): object {
    return {};
  }

  @Get('large')
  large(): StreamableFile {
    return new StreamableFile(LARGE);
  }

  @Get('endless')
  endless(): StreamableFile {
    return new StreamableFile(
      new Readable({
        read() {
          this.push(LARGE.subarray(0, 65_536));
        },
      }),
    );
  }

  @Get('busy')
  async busy(): Promise<object> {
    await sleep(3_000);
    return {};
  }
}

class HeaderGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (headers['x-stranger'] !== undefined) throw new DomainError('unauthenticated', 'Who?');
    return true;
  }
}

@Module({ controllers: [SlowController], providers: [{ provide: APP_GUARD, useClass: HeaderGuard }] })
class SlowModule {}

const start = (timings: Partial<ConnectionTimings>, variables: Readonly<Record<string, string>> = {}): Promise<Probe> =>
  startProbeApp(variables, SlowModule, { ...CONNECTION_TIMINGS, checkMs: 50, ...timings });

/** A client that writes raw bytes and records the answer. */
class RawClient {
  answer = '';
  readonly closed: Promise<void>;

  private constructor(
    readonly socket: Socket,
    reads: boolean,
  ) {
    if (reads) socket.on('data', (chunk: Buffer) => (this.answer += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  static async connect({ port }: Probe, { reads = true } = {}): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1' });
    const client = new RawClient(socket, reads);
    await once(socket, 'connect');
    return client;
  }

  /** Writes one piece after the other until the end or until the connection is closed. */
  async sendSlowly(parts: Iterable<string>, everyMs: number): Promise<void> {
    for (const part of parts) {
      if (this.socket.destroyed || this.socket.readableEnded) return;
      this.socket.write(part);
      await sleep(everyMs);
    }
  }

  get statuses(): readonly number[] {
    return [...this.answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }
}

const HEAD = (path: string, more: string): string => `POST ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n\r\n`;
const JSON_BODY = 'content-type: application/json\r\n';
const FORM_BODY = 'content-type: multipart/form-data; boundary=b\r\n';

const FORM = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n0123456789\r\n--b--\r\n';

function* forever(part: string): Generator<string> {
  for (;;) yield part;
}

describe('a body', () => {
  let probe: Probe;
  let strict: Probe;
  let patient: Probe;

  beforeAll(async () => {
    probe = await start({ bodyIdleMs: 5_000, requestMs: 1_000, uploadMs: 300_000 });
    strict = await start({ headersMs: 700, bodyIdleMs: 600, requestMs: 1_500, uploadMs: 2_500, requestIdleMs: 500 });
    patient = await start({ bodyIdleMs: 600, requestMs: 300_000, uploadMs: 300_000 });
  });
  afterAll(() => Promise.all([probe.app.close(), strict.app.close(), patient.app.close()]));

  it.each([
    ['upload', `${JSON_BODY}content-length: 20`, ['{"a":', ...'"123456789012"'.split(''), '}']],
    [
      'form',
      `${FORM_BODY}transfer-encoding: chunked`,
      [...Array.from({ length: 15 }, (_, at) => chunkOf(at)), '0\r\n\r\n'],
    ],
  ])('gives an upload that continues to arrive more time than other requests: %s', async (path, head, parts) => {
    const client = await RawClient.connect(probe);
    client.socket.write(HEAD(`/${path}`, `${head}\r\nconnection: close`));
    await client.sendSlowly(parts, 120);
    await client.closed;
    expect(client.statuses).toEqual([200]);
  });

  it.each([
    ['/json', `${JSON_BODY}content-length: 100`],
    ['/json', `${JSON_BODY}transfer-encoding: chunked`],
    ['/upload', `${JSON_BODY}content-length: 100`],
    ['/upload', `${JSON_BODY}transfer-encoding: chunked`],
    ['/form', `${FORM_BODY}content-length: 100`],
    ['/raw', 'content-length: 100'],
  ])('answers 408 to a body to %s that stops arriving, and closes the connection (%j)', async (path, head) => {
    const client = await RawClient.connect(patient);
    client.socket.write(HEAD(path, head));
    await client.closed;
    expect(client.statuses).toEqual([408]);
    expect(client.answer).toContain('{"error":"The body took too long to arrive."}');
  });

  it.each([
    ['/json', `${JSON_BODY}content-length: 1000000`, ' '],
    ['/json', `${JSON_BODY}transfer-encoding: chunked`, '1\r\n \r\n'],
    ['/upload', `${JSON_BODY}content-length: 1000000`, ' '],
    ['/upload', `${JSON_BODY}transfer-encoding: chunked`, '1\r\n \r\n'],
    ['/form', `${FORM_BODY}content-length: 1000000`, '-'],
    ['/raw', 'content-length: 1000000', ' '],
  ])('closes the connection of an endless body to %s that arrives steadily (%j)', async (path, head, part) => {
    const client = await RawClient.connect(strict);
    client.socket.write(HEAD(path, head));
    await client.sendSlowly(forever(part), 100);
    await client.closed;
    expect([413, 408]).toContain(client.statuses[0] ?? 408);
    expect(client.statuses).not.toContain(200);
  });

  it.each([
    ['/json', `${JSON_BODY}transfer-encoding: chunked`, `10000\r\n${' '.repeat(65_536)}\r\n`, [413]],
    ['/raw', 'transfer-encoding: chunked', `40000\r\n${' '.repeat(262_144)}\r\n`, []],
  ])(
    'drains a body to %s that is too large no longer than another body may take',
    async (path, head, part, statuses) => {
      const client = await RawClient.connect(probe);
      client.socket.write(HEAD(path, head));
      await client.sendSlowly(forever(part), 100);
      await client.closed;
      expect(client.statuses).toEqual(statuses);
    },
  );

  it('drains a body that is too large only while it continues to arrive', async () => {
    const client = await RawClient.connect(patient);
    client.socket.write(HEAD('/json', `${JSON_BODY}transfer-encoding: chunked`));
    client.socket.write(`50000\r\n${' '.repeat(327_680)}\r\n`);
    await client.closed;
    expect(client.statuses).toEqual([413]);
  });

  it('rejects raw bodies of a client that has sent too much at once, and accepts them again later', async () => {
    const endless = await start({ bodyIdleMs: 300_000, requestMs: 300_000 });
    const clients = await Promise.all(Array.from({ length: 40 }, () => RawClient.connect(endless)));
    for (const { socket } of clients) {
      socket.write(HEAD('/raw', 'content-length: 1048576'));
      socket.write(' '.repeat(1_000_000));
    }
    // Of 40 MB, the service buffers 32 MiB.
    while (clients.filter(({ socket }) => socket.destroyed).length < 7) await sleep(50);
    for (const client of clients) expect(client.statuses.filter((status) => status !== 503)).toEqual([]);
    for (const { socket } of clients) socket.destroy();
    const send = (): Promise<Response> => fetch(`${endless.url}/raw`, { method: 'POST', body: ' '.repeat(1_000_000) });
    while ((await send()).status !== 200) await sleep(50);
    await endless.app.close();
  });

  it('rejects an upload that still arrives at shutdown, with Retry-After', async () => {
    const stopping = await start({ stoppingMs: 300, uploadMs: 300_000 });
    const client = await RawClient.connect(stopping);
    client.socket.write(HEAD('/upload', `${JSON_BODY}content-length: 1000000`));
    const sent = client.sendSlowly(forever(' '), 100);
    await sleep(300);
    await Promise.all([stopping.app.close(), sent, client.closed]);
    expect(client.statuses).toEqual([503]);
    expect(client.answer).toMatch(/retry-after: 1\r\n/i);
    expect(client.answer).toContain(
      '{"error":"The service is stopping and has stored nothing of this request. Send it again."}',
    );
  });

  it('does not give the body of an unauthenticated client the time of an upload', async () => {
    const client = await RawClient.connect(probe);
    client.socket.write(HEAD('/upload', `x-stranger: 1\r\n${JSON_BODY}content-length: 1000000`));
    await client.sendSlowly(forever(' '), 100);
    await client.closed;
    expect(client.statuses).toEqual([401]);
  });

  it('closes the connection of an endless body that no route reads', async () => {
    const client = await RawClient.connect(strict);
    client.socket.write('GET /page HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n');
    await client.sendSlowly(forever(' '), 100);
    await client.closed;
    expect(client.socket.destroyed).toBe(true);
  });

  it('applies the same limits to a later request of a connection', async () => {
    const client = await RawClient.connect(strict);
    client.socket.write(`GET /page HTTP/1.1\r\nhost: x\r\n\r\n${HEAD('/json', `${JSON_BODY}content-length: 100`)}`);
    await client.closed;
    expect(client.statuses).toEqual([200, 408]);
  });

  it('closes connections with a slow head and silent connections', async () => {
    const dribbling = await RawClient.connect(strict);
    dribbling.socket.write('GET /page HTTP/1.1\r\nhost: x\r\nslow: ');
    const silent = await RawClient.connect(strict);
    const reused = await RawClient.connect(strict);
    reused.socket.write('GET /page HTTP/1.1\r\nhost: x\r\n\r\n');
    await dribbling.sendSlowly(forever('x'), 100);
    await Promise.all([dribbling.closed, silent.closed, reused.closed]);
    expect([dribbling.statuses, reused.statuses]).toEqual([[408], [200]]);
  });
});

describe('an answer', () => {
  let probe: Probe;

  beforeAll(async () => {
    // So that connections of `fetch` end before the next test.
    probe = await start({ answerIdleMs: 1_000, requestIdleMs: 500 });
  });
  afterAll(() => probe.app.close());

  const serverSide = async (): Promise<number> =>
    new Promise((resolve, reject) => {
      probe.app.getHttpServer().getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });

  it.each(['/large', '/endless'])('aborts an answer that is not read and closes its connection: %s', async (path) => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => RawClient.connect(probe, { reads: false })));
    for (const { socket } of clients) socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    while ((await serverSide()) < 8) await sleep(20);
    while ((await serverSide()) > 0) {
      // A client that sends more does not necessarily read.
      for (const { socket } of clients) socket.write('GET /page HTTP/1.1\r\nhost: x\r\n\r\n');
      await sleep(50);
    }
    for (const { socket } of clients) socket.destroy();
    expect((await fetch(`${probe.url}/page`)).status).toBe(200);
  });

  it('sends an answer completely if it is read slowly', async () => {
    const idleMs = 4_000;
    const patient = await start({ answerIdleMs: idleMs });
    try {
      const response = await fetch(`${patient.url}/large`);
      let [size, sinceBreak] = [0, 0];
      const began = performance.now();
      for await (const chunk of response.body!) {
        size += chunk.length;
        sinceBreak += chunk.length;
        // The kernel asks for more only after it has passed on some megabytes, so a break after each chunk would be too slow on a busy machine.
        if (sinceBreak < MB) continue;
        sinceBreak = 0;
        await sleep(150);
      }
      expect(size).toBe(LARGE.length);
      // In total it took longer than the limit for a client that reads nothing.
      expect(performance.now() - began).toBeGreaterThan(idleMs);
    } finally {
      await patient.app.close();
    }
  });
});

describe('a client with many connections', () => {
  const request = (client: RawClient, path: string): unknown =>
    client.socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);

  it('closes the oldest idle connection of a client, and accepts no other if all are busy', async () => {
    const probe = await start({}, { MAX_CONNECTIONS_PER_ADDRESS: '3' });
    const [first, second, third] = [
      await RawClient.connect(probe),
      await RawClient.connect(probe),
      await RawClient.connect(probe),
    ];
    request(first, '/busy');
    request(third, '/busy');
    await sleep(300);
    const fourth = await RawClient.connect(probe);
    await second.closed;
    request(fourth, '/busy');
    await sleep(300);
    const fifth = await RawClient.connect(probe);
    await fifth.closed;
    const busy = [first, third, fourth];
    while (busy.some(({ statuses }) => statuses.length === 0)) await sleep(50);
    expect(busy.map(({ statuses }) => statuses)).toEqual([[200], [200], [200]]);
    expect(fifth.statuses).toEqual([]);
    for (const { socket } of busy) socket.destroy();
    await probe.app.close();
  });

  it('does not limit the connections of a trusted proxy', async () => {
    const probe = await start({}, { MAX_CONNECTIONS_PER_ADDRESS: '1', TRUSTED_PROXIES: '127.0.0.0/8' });
    const clients = [await RawClient.connect(probe), await RawClient.connect(probe), await RawClient.connect(probe)];
    for (const client of clients) request(client, '/page');
    while (clients.some(({ statuses }) => statuses.length === 0)) await sleep(50);
    expect(clients.map(({ statuses }) => statuses)).toEqual([[200], [200], [200]]);
    for (const { socket } of clients) socket.destroy();
    await probe.app.close();
  });
});

/** Returns a fifteenth of a form, as a chunk. */
function chunkOf(nth: number): string {
  const length = Math.ceil(FORM.length / 15);
  const part = FORM.slice(nth * length, (nth + 1) * length);
  return part === '' ? '' : `${part.length.toString(16)}\r\n${part}\r\n`;
}
