import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Controller, Get, Inject, Module, Req, type StreamableFile } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Probe, startProbeApp } from '../../test/support/probe-app.js';
import { DomainError } from '../http/errors/domain-error.js';
import { createLineLogger } from '../observability/logger.js';
import { ExportResponse, type ExportFile } from './export-response.js';

const SILENT = createLineLogger('silent', process.stdout);
const KILOBYTE = 'x'.repeat(1024);

/** The items that the route reads. Each test sets them. */
let items: () => AsyncIterable<string>;

const fileOf = (from: AsyncIterable<string>): ExportFile<string> => ({
  name: 'shipgate-quality-acme-2026-11-21.csv',
  contentType: 'text/csv; charset=utf-8',
  securityPolicy: null,
  items: from,
  async *write(lines) {
    yield 'begin;';
    for await (const line of lines) yield `${line};`;
    yield Buffer.from('end');
  },
});

@Controller('export')
class ExportController {
  constructor(@Inject(ExportResponse) private readonly answers: ExportResponse) {}

  @Get()
  export(@Req() request: FastifyRequest): Promise<StreamableFile> {
    return this.answers.send(request, fileOf(items()));
  }
}

@Module({ controllers: [ExportController], providers: [ExportResponse] })
class ExportModule {}

let probe: Probe;

beforeAll(async () => {
  probe = await startProbeApp({}, ExportModule);
});
afterAll(() => probe.shutdown.stop());

const get = (): Promise<Response> => fetch(`${probe.url}/export`);
const brokenOff = (): readonly Record<string, unknown>[] => probe.lines().filter(({ msg }) => msg === 'export failed');

async function* lines(...of: readonly string[]): AsyncGenerator<string> {
  yield* of;
}

/** An endless source of lines. `state` has the number of lines that were read and whether the read has ended. */
function endless(): {
  readonly lines: () => AsyncGenerator<string>;
  readonly state: { read: number; isOver: boolean };
} {
  const state = { read: 0, isOver: false };
  return {
    state,
    async *lines() {
      try {
        for (;;) {
          state.read += 1;
          yield KILOBYTE;
        }
      } finally {
        state.isOver = true;
      }
    },
  };
}

describe('an export', () => {
  it.each([
    [[], 'begin;end'],
    [['one'], 'begin;one;end'],
    [['one', 'zwei', 'três', '四'], 'begin;one;zwei;três;四;end'],
  ])('of %j is sent as a file with a name', async (of, content) => {
    items = () => lines(...of);
    const response = await get();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="shipgate-quality-acme-2026-11-21.csv"',
    );
    expect(await response.text()).toBe(content);
  });

  it('of many small parts is complete', async () => {
    items = () => lines(...Array.from({ length: 1_000 }, () => KILOBYTE));
    expect((await (await get()).text()).length).toBe('begin;'.length + 1_000 * (KILOBYTE.length + 1) + 'end'.length);
  });

  it('returns an error response if the first read fails', async () => {
    items = async function* () {
      yield* [];
      throw new DomainError('unavailable', 'The database cannot be reached now.');
    };
    const response = await get();
    expect([response.status, await response.json()]).toEqual([503, { error: 'The database cannot be reached now.' }]);
    expect(response.headers.get('content-disposition')).toBeNull();
  });

  it('closes the connection and logs the error if a later read fails', async () => {
    const before = brokenOff().length;
    items = async function* () {
      for (let at = 0; at < 200; at += 1) yield KILOBYTE;
      throw new Error('the disk is gone');
    };
    await expect(get().then((response) => response.text())).rejects.toThrow('terminated');
    expect(brokenOff().slice(before)).toMatchObject([{ err: { message: 'the disk is gone' } }]);
  });

  it('ends when the client disconnects, and waits for a slow client', async () => {
    const { lines, state } = endless();
    items = lines;
    const leaving = new AbortController();
    const response = await fetch(`${probe.url}/export`, { signal: leaving.signal });
    await response.body?.getReader().read();
    // The client does not read: no more is written than the socket buffers hold.
    for (let before = -1; before !== state.read;) {
      before = state.read;
      for (let turn = 0; turn < 100; turn += 1) await setImmediate();
    }
    expect(state).toMatchObject({ isOver: false });
    expect(state.read).toBeLessThan(30_000);
    leaving.abort();
    while (!state.isOver) await setImmediate();
    expect(state.isOver).toBe(true);
  });

  it('ends its read if the body is never read', async () => {
    const { lines, state } = endless();
    const answer = await new ExportResponse(SILENT).send({ id: 'x' } as FastifyRequest, fileOf(lines()));
    answer.getStream().destroy();
    while (!state.isOver) await setImmediate();
    expect(state).toEqual({ read: 1, isOver: true });
  });

  it('is aborted when the client takes too long', async () => {
    const { lines, state } = endless();
    const request = { id: 'x' } as FastifyRequest;
    const answer = await new ExportResponse(SILENT).send(request, fileOf(lines()), 1);
    const body = answer.getStream();
    const failed = once(body, 'error');
    // The first chunk is read, and no other.
    body.read();
    expect(await failed).toMatchObject([{ message: 'The download took too long.' }]);
    while (!state.isOver) await setImmediate();
    expect(state.isOver).toBe(true);
  });
});
