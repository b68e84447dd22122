import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { toOrgId } from '../../database/ids.js';
import { EventStream } from './event-stream.js';
import { StreamFrame } from './workspace-event.js';

const READER = { orgId: toOrgId('0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11'), userId: 7, session: 'ab' };
const frames = [new StreamFrame('data: one\n\n'), new StreamFrame('data: zwei Grüße\n\n')];

let server: Server;
/** The responses in the order of their requests. */
let responses: ServerResponse[];
let client: Socket;
let received: string;

beforeEach(async () => {
  responses = [];
  received = '';
  server = createServer((_request, response) => responses.push(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.setEncoding('utf8').on('data', (text: string) => (received += text));
});
afterEach(async () => {
  client.destroy();
  await new Promise((resolve) => server.close(resolve));
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(2);
}

/** Starts a stream on the response and sends the frames. */
function start(response: ServerResponse | undefined): EventStream {
  if (!response) throw new TypeError('There is no response.');
  response.writeHead(200).flushHeaders();
  const stream = new EventStream(READER, true, response);
  for (const frame of frames) stream.send(frame);
  return stream;
}

const bodyOf = (text: string): string =>
  text.slice(text.lastIndexOf('HTTP/1.1 200')).split('\r\n\r\n').slice(1).join('\r\n\r\n');
const CHUNKS = 'b\r\ndata: one\n\n\r\n14\r\ndata: zwei Grüße\n\n\r\n0\r\n\r\n';

describe('EventStream', () => {
  it('sends each frame as one chunk and keeps the connection for further requests', async () => {
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => responses.length === 1);
    start(responses[0]).end();
    await until(() => received.endsWith('0\r\n\r\n'));
    expect(bodyOf(received)).toBe(CHUNKS);
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => responses.length === 2);
  });

  it('sends frames without chunks to a client of HTTP/1.0', async () => {
    client.write('GET / HTTP/1.0\r\n\r\n');
    await until(() => responses.length === 1);
    start(responses[0]).end();
    await until(() => client.closed);
    expect(bodyOf(received)).toBe('data: one\n\ndata: zwei Grüße\n\n');
  });

  it('sends nothing before the earlier response of the connection', async () => {
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => responses.length === 2);
    const stream = start(responses[1]);
    responses[0]?.end('earlier');
    await until(() => received.includes('Grüße'));
    for (const frame of frames) stream.send(frame);
    stream.end();
    await until(() => received.endsWith('0\r\n\r\n'));
    expect(received.indexOf('earlier')).toBeLessThan(received.indexOf('data: one'));
    expect(bodyOf(received)).toBe(CHUNKS.replace('0\r\n\r\n', '') + CHUNKS);
  });

  it('sends nothing after its end', async () => {
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => responses.length === 1);
    const stream = start(responses[0]);
    stream.end();
    stream.send(frames[0] as StreamFrame);
    await until(() => received.endsWith('0\r\n\r\n'));
    expect(bodyOf(received)).toBe(CHUNKS);
    expect(stream.isOpen).toBe(false);
  });

  it('sends frames together that were held', async () => {
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => responses.length === 1);
    const [response] = responses as [ServerResponse];
    response.writeHead(200).flushHeaders();
    const stream = new EventStream(READER, true, response);
    stream.cork();
    for (const frame of frames) stream.send(frame);
    await sleep(50);
    expect(received).not.toContain('data');
    stream.uncork();
    stream.end();
    await until(() => received.endsWith('0\r\n\r\n'));
    expect(bodyOf(received)).toBe(CHUNKS);
  });

  it('waits until a slow reader has received everything, and closes a reader with more than a megabyte unsent', async () => {
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => responses.length === 1);
    const [response] = responses as [ServerResponse];
    const stream = start(response);
    client.pause();
    const large = new StreamFrame(`data: ${'x'.repeat(256 * 1024)}\n\n`);
    while (!(response.socket?.writableNeedDrain ?? true)) stream.send(large);
    let isDrained = false;
    const drained = stream.drained().then(() => (isDrained = true));
    await sleep(50);
    expect(isDrained).toBe(false);
    client.resume();
    await drained;
    expect(stream.isOpen).toBe(true);

    client.pause();
    for (let sent = 0; sent < 100 && stream.isOpen; sent += 1) stream.send(large);
    expect(stream.isOpen).toBe(false);
  });

  it('calls the listener once if the connection closes before the earlier response has ended', async () => {
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => responses.length === 2);
    let calls = 0;
    start(responses[1]).onClose(() => (calls += 1));
    client.destroy();
    await until(() => calls > 0);
    await sleep(50);
    expect(calls).toBe(1);
  });

  it('calls the listener when the connection closes, also if it has closed before', async () => {
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => responses.length === 1);
    const stream = start(responses[0]);
    let calls = 0;
    stream.onClose(() => (calls += 1));
    client.destroy();
    await until(() => calls === 1);
    stream.onClose(() => (calls += 1));
    expect(calls).toBe(2);
  });
});
