import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { type Probe, startProbeApp } from '../../../test/support/probe-app.js';

let probe: Probe;

beforeAll(async () => {
  probe = await startProbeApp();
});
afterAll(() => probe.app.close());

/** Writes `lines`. Returns everything that was received until the server closed the connection. */
function exchange(lines: string): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const socket = connect(probe.port, '127.0.0.1', () => socket.write(lines));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), body: body === '' ? null : JSON.parse(body) });
    });
  });
}

const MALFORMED = { error: 'The request is not well-formed HTTP.' };

describe('an invalid HTTP request', () => {
  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400, MALFORMED],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost: x\r\nbroken\r\n\r\n', 400, MALFORMED],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400, MALFORMED],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
      MALFORMED,
    ],
    [
      'headers of 20 KB',
      `GET / HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      { error: 'The headers of the request are too large.' },
    ],
  ])('answers a request with %s with an error response', async (_name, lines, status, body) => {
    expect(await exchange(lines)).toEqual({ status, body });
  });

  it('rejects endless headers after ten seconds', async () => {
    const started = performance.now();
    expect(await exchange('GET /probe/page HTTP/1.1\r\nhost: x\r\nslow: ')).toEqual({
      status: 408,
      body: { error: 'The request took too long to arrive.' },
    });
    expect(performance.now() - started).toBeGreaterThan(9_000);
    expect(performance.now() - started).toBeLessThan(60_000);
  });

  it('does not log an aborted body as a failure of the service', async () => {
    const socket = connect(probe.port, '127.0.0.1');
    socket.write('POST /probe/json HTTP/1.1\r\nhost: x\r\n');
    socket.write('content-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":');
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(probe.lines().filter(({ msg }) => msg === 'request failed')).toEqual([]);
    expect((await fetch(`${probe.url}/probe/page`)).status).toBe(200);
  });
});
