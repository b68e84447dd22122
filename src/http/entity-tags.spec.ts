import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { Controller, Get, Module, Query, StreamableFile } from '@nestjs/common';
import { type Probe, startProbeApp } from '../../test/support/probe-app.js';
import { Revalidated } from './entity-tags.js';
import { DomainError } from './errors/domain-error.js';

@Controller('tagged')
class TaggedController {
  @Get('page')
  @Revalidated()
  page(@Query('of') of: string): object {
    return { items: [of] };
  }

  @Get('stream')
  @Revalidated()
  stream(): StreamableFile {
    return new StreamableFile(Readable.from(['{}']), { type: 'application/json' });
  }

  @Get('failed')
  @Revalidated()
  failed(): object {
    throw new DomainError('conflict', 'Not now.');
  }

  @Get('other')
  other(): object {
    return { items: [] };
  }
}

@Module({ controllers: [TaggedController] })
class TaggedModule {}

let probe: Probe;

beforeAll(async () => {
  probe = await startProbeApp({}, TaggedModule);
});
afterAll(() => probe.shutdown.stop());

const get = (path: string, ifNoneMatch?: string): Promise<Response> =>
  fetch(`${probe.url}/tagged/${path}`, {
    headers: { cookie: 'connect.sid=x', ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }) },
  });

const statusAndText = async (path: string, ifNoneMatch?: string): Promise<readonly [number, string]> => {
  const response = await get(path, ifNoneMatch);
  return [response.status, await response.text()];
};

describe('a page of a revalidated list', () => {
  const tagOf = async (path: string): Promise<string> => (await get(path)).headers.get('etag') ?? '';

  it('has a weak tag, and is stored by no cache', async () => {
    const { status, headers } = await get('page?of=a');
    expect([status, headers.get('etag'), headers.get('cache-control')]).toEqual([
      200,
      expect.stringMatching(/^W\/"[0-9a-f]{64}"$/),
      'no-store',
    ]);
  });

  it('is not sent again to a client that names its tag', async () => {
    const whole = await get('page?of=a');
    const tag = whole.headers.get('etag') ?? '';
    expect((await whole.text()).length).toBeGreaterThan(0);
    const response = await get('page?of=a', tag);
    expect([response.status, await response.text()]).toEqual([304, '']);
    const { headers } = response;
    expect([headers.get('etag'), headers.get('cache-control')]).toEqual([tag, 'no-store']);
    expect([headers.get('content-length'), headers.get('content-type')]).toEqual([null, null]);
  });

  it.each<[string, (tag: string) => string]>([
    ['as a strong tag', (tag) => tag.slice(2)],
    ['among others', (tag) => `"a", ${tag}, W/"b"`],
    ['as any tag', () => '*'],
  ])('is recognized %s', async (_, write) => {
    expect(await statusAndText('page?of=a', write(await tagOf('page?of=a')))).toEqual([304, '']);
  });

  it.each<[string, (tag: string) => string]>([
    ['another tag', () => `W/"${'0'.repeat(64)}"`],
    ['a part of the tag', (tag) => tag.slice(2, 40)],
    ['the tag without quotes', (tag) => tag.slice(3, -1)],
    ['nothing', () => ''],
  ])('is sent to a client that names %s', async (_, write) => {
    expect(await statusAndText('page?of=a', write(await tagOf('page?of=a')))).toEqual([200, '{"items":["a"]}']);
  });

  it('is sent to a client that has another page', async () => {
    expect(await statusAndText('page?of=b', await tagOf('page?of=a'))).toEqual([200, '{"items":["b"]}']);
  });
});

describe('a response without a tag', () => {
  it.each([
    ['a complete list', 'stream', 200],
    ['an error', 'failed', 409],
    ['a response of another route', 'other', 200],
  ])('is %s, which is never stored', async (_, path, status) => {
    const response = await get(path, '*');
    expect([response.status, response.headers.get('etag'), response.headers.get('cache-control')]).toEqual([
      status,
      null,
      'no-store',
    ]);
  });
});
