import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, Inject, Module, Param, Req, type StreamableFile } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Probe, startProbeApp } from '../../../test/support/probe-app.js';
import { JsonListStream, type UnpagedList } from './json-list.stream.js';

type Batches = UnpagedList['batches'];

/** The batches that the route reads. Each test sets its own. */
let batches: () => Batches;
let besides: object | undefined;

@Controller('list')
class ListController {
  constructor(@Inject(JsonListStream) private readonly lists: JsonListStream) {}

  @Get(':name')
  list(@Param('name') name: string, @Req() request: FastifyRequest): Promise<StreamableFile> {
    const list = { name: name === 'bare' ? null : name, batches: batches() };
    return this.lists.respond(request, besides ? { ...list, besides } : list);
  }
}

@Module({ controllers: [ListController], providers: [JsonListStream] })
class ListModule {}

let probe: Probe;

beforeAll(async () => {
  probe = await startProbeApp({}, ListModule);
});
afterAll(() => probe.shutdown.stop());
beforeEach(() => {
  besides = undefined;
});

const get = (path: string): Promise<Response> => fetch(`${probe.url}${path}`);
const errors = (): readonly Record<string, unknown>[] =>
  probe.lines().filter(({ level }) => level === 'error' || level === 50);

async function* of(...list: readonly (readonly object[])[]): AsyncGenerator<readonly object[]> {
  yield* list;
}

const TICK_MS = 5;
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await sleep(TICK_MS);
};

describe('an unpaged list', () => {
  it.each<[string, readonly (readonly object[])[], object | undefined, string]>([
    ['/list/items', [], undefined, '{"items":[]}'],
    ['/list/items', [[]], undefined, '{"items":[]}'],
    ['/list/items', [[{ a: 1 }]], undefined, '{"items":[{"a":1}]}'],
    [
      '/list/items',
      [[], [{ a: 1 }, { b: 'é🚀' }], [], [{ c: null }]],
      undefined,
      '{"items":[{"a":1},{"b":"é🚀"},{"c":null}]}',
    ],
    ['/list/items', [[{ a: 1 }]], { counts: { all: 1 } }, '{"counts":{"all":1},"items":[{"a":1}]}'],
    ['/list/items', [], { counts: {} }, '{"counts":{},"items":[]}'],
    ['/list/bare', [], undefined, '[]'],
    ['/list/bare', [[{ a: 1 }], [{ b: 2 }]], undefined, '[{"a":1},{"b":2}]'],
  ])('answers %s with the batches %j and the fields %j as %s', async (path, list, beside, body) => {
    batches = () => of(...list);
    besides = beside;
    const response = await get(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(await response.text()).toBe(body);
  });

  it('starts the response before the end of the list is known', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    batches = async function* () {
      yield [{ a: 1 }];
      await held;
      yield [{ b: 2 }];
    };
    const reader = (await get('/list/items')).body!.getReader();
    const first = await reader.read();
    expect(new TextDecoder().decode(first.value)).toBe('{"items":[{"a":1}');
    release();
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read())
      rest += new TextDecoder().decode(part.value);
    expect(rest).toBe(',{"b":2}]}');
  });

  it('fails like any request if the start of the list cannot be read', async () => {
    batches = () => {
      throw new Error('unexpected: password hunter2');
    };
    const response = await get('/list/items');
    expect(response.status).toBe(500);
    expect(Object.keys((await response.json()) as object)).toEqual(['error']);
  });

  it('aborts the response if the rest cannot be read, and logs the reason', async () => {
    const before = errors().length;
    batches = async function* () {
      yield [{ a: 1 }];
      // The start has been sent by now.
      await sleep(50);
      throw new Error('the disk is gone');
    };
    const response = await get('/list/items');
    const id = response.headers.get('x-request-id');
    await expect(response.text()).rejects.toThrow('terminated');
    expect(errors().slice(before)).toEqual([
      expect.objectContaining({
        requestId: id,
        msg: 'list broken off',
        err: expect.objectContaining({ message: 'the disk is gone' }),
      }),
    ]);
    batches = () => of([{ a: 1 }]);
    expect((await get('/list/items')).status).toBe(200);
  });

  it('reads the list only as fast as the client reads the response', async () => {
    let read = 0;
    const batch = [{ text: 'x'.repeat(100_000) }];
    batches = async function* () {
      for (; read < 1_000; read += 1) yield batch;
    };
    const message = await open('/list/items');
    await sleep(300);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(300);
    let characters = 0;
    for await (const chunk of message as AsyncIterable<Buffer>) characters += chunk.length;
    expect(characters).toBeGreaterThan(100_000_000);
    expect(read).toBe(1_000);
  });

  it('stops reading when the client disconnects, and logs no error', async () => {
    const before = errors().length;
    let ended = false;
    batches = async function* () {
      try {
        for (;;) yield [{ text: 'x'.repeat(10_000) }];
      } finally {
        ended = true;
      }
    };
    const message = await open('/list/items');
    await once(message, 'readable');
    message.destroy();
    await until(() => ended);
    expect(errors().length).toBe(before);
  });

  it('stops reading if the request needs no body', async () => {
    let ended = false;
    batches = async function* () {
      try {
        for (;;) yield [{ a: 1 }];
      } finally {
        ended = true;
      }
    };
    const response = await fetch(`${probe.url}/list/items`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    await until(() => ended);
    expect(ended).toBe(true);
  });
});

/** Opens a response without reading its body. */
async function open(path: string): Promise<IncomingMessage> {
  const request = httpRequest(`${probe.url}${path}`).end();
  const [message] = (await once(request, 'response')) as [IncomingMessage];
  return message;
}
