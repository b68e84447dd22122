import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { SharedDocument } from './shared-document.js';

const TEXT = '{"openapi":"3.1.0"}'.repeat(1_000);

describe('a shared document', () => {
  const document = new SharedDocument(TEXT);
  const server = fastify();
  const sent: (Buffer | null)[] = [];
  server.get('/', async (request, reply) => {
    const answer = await document.answer(request, reply);
    sent.push(answer);
    return reply.send(answer ?? undefined);
  });
  afterAll(() => server.close());
  const get = (headers: Record<string, string> = {}) => server.inject({ url: '/', headers });

  it.each([
    [undefined, undefined, (bytes: Buffer) => bytes],
    ['identity', undefined, (bytes: Buffer) => bytes],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['br; q=0.0', undefined, (bytes: Buffer) => bytes],
  ])('sends the document for the encoding %j as %j', async (accepted, encoding, decode) => {
    const { headers, rawPayload } = await get(accepted === undefined ? {} : { 'accept-encoding': accepted });
    expect([headers['content-encoding'], headers['vary']]).toEqual([encoding, 'Accept-Encoding']);
    expect(decode(rawPayload).toString()).toBe(TEXT);
  });

  it('uses one buffer per encoding for all requests', async () => {
    sent.length = 0;
    for (const accepted of ['gzip', 'identity', 'br']) {
      await Promise.all(Array.from({ length: 5 }, () => get({ 'accept-encoding': accepted })));
    }
    expect(new Set(sent).size).toBe(3);
  });

  it('does not send the document to a client that has it, and has its own tag per encoding', async () => {
    const tags = await Promise.all(
      ['identity', 'gzip', 'br'].map(async (accepted) => (await get({ 'accept-encoding': accepted })).headers.etag),
    );
    expect(new Set(tags).size).toBe(3);
    for (const known of [...tags.map(String), `"other", W/${String(tags[1])}`, '*']) {
      const { statusCode, body, headers } = await get({ 'if-none-match': known, 'accept-encoding': 'gzip' });
      expect([statusCode, body, headers.etag]).toEqual([304, '', tags[1]]);
    }
    expect((await get({ 'if-none-match': '"other"' })).statusCode).toBe(200);
  });
});
