import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { type Probe, startProbeApp } from '../../test/support/probe-app.js';

let probe: Probe;

beforeAll(async () => {
  probe = await startProbeApp();
});
afterAll(() => probe.app.close());

/** Returns everything that was received after these lines until the server closed the connection. */
function conversation(lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(probe.port, '127.0.0.1', () => socket.write(lines.join('\r\n')));
    let answers = '';
    socket.on('data', (chunk) => (answers += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(answers));
  });
}

const statusesOf = (answers: string): readonly number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

/** Returns the single answer to a request without a body that closes its connection. */
async function answerTo(...head: readonly string[]): Promise<{ status: number; headers: Headers; body: unknown }> {
  const [top = '', body = ''] = (await conversation([...head, '', ''])).split('\r\n\r\n');
  const [first = '', ...fields] = top.split('\r\n');
  const headers = new Headers(fields.map((field) => field.split(': ', 2) as [string, string]));
  return { status: Number(first.split(' ')[1]), headers, body: JSON.parse(body) };
}

const CLOSE = 'connection: close';
const NO_HOST = { error: 'The request names no host.' };
const UNMET = { error: 'The service does not support the expectation of the request.' };

/** The answer to a request that cannot be served does not show whether a route exists or is restricted. */
const PATHS = ['/probe/page', '/nowhere'];

describe.each(PATHS)('a request for %s', (path) => {
  it('rejects a request without a host and closes its connection', async () => {
    const requestId = `without-host${path.replaceAll('/', '.')}`;
    const { status, headers, body } = await answerTo(`GET ${path} HTTP/1.1`, `x-request-id: ${requestId}`);
    expect([status, body]).toEqual([400, NO_HOST]);
    expect(Object.fromEntries(headers)).toMatchObject({
      connection: 'close',
      'content-type': 'application/json; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
    });
    expect(probe.lines().filter((line) => line['requestId'] === requestId)).toMatchObject([{ status: 400 }]);
  });

  it('rejects a request with an unknown expectation', async () => {
    const { status, headers, body } = await answerTo(`GET ${path} HTTP/1.1`, 'host: x', 'expect: 200-ok', CLOSE);
    expect([status, body]).toEqual([417, UNMET]);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });
});

it('accepts an HTTP/1.0 request without a host, and ignores its expectations', async () => {
  expect((await answerTo('GET /probe/page HTTP/1.0', 'expect: applause')).status).toBe(200);
});

it('skips the body of a rejected request and answers the next request of its connection', async () => {
  const refused = ['POST /probe/json HTTP/1.1', 'host: x', 'expect: applause', 'content-length: 7', '', '{"a":1'];
  const next = ['GET /probe/page HTTP/1.1', 'host: x', CLOSE, '', ''];
  expect(statusesOf(await conversation([`${refused.join('\r\n')}}${next.join('\r\n')}`]))).toEqual([417, 200]);
});

it('answers 100 first if a request expects 100-continue', async () => {
  const head = ['POST /probe/json HTTP/1.1', 'host: x', 'expect: 100-Continue', 'content-type: application/json'];
  expect(statusesOf(await conversation([...head, 'content-length: 7', CLOSE, '', '{"a":1}']))).toEqual([100, 200]);
});
