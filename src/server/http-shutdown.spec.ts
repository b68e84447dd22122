import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProbeApp } from '../../test/support/probe-app.js';

const ANSWERED = /^HTTP\/1\.1 200 OK\r\n/;

/** Returns the answer of the connection. Rejects if the connection closes instead. */
async function request(connection: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    connection.once('data', (data: Buffer) => resolve(data.toString()));
    connection.once('close', () => reject(new Error('closed without an answer')));
    connection.write('GET /probe/page HTTP/1.1\r\nhost: probe\r\n\r\n', (error) => error && reject(error));
  });
}

describe('the delay of the http shutdown', () => {
  it('is not ready and answers requests on connections that then close, and closes the listener afterwards', async () => {
    const probe = await startProbeApp({ SHUTDOWN_DELAY: '1s' });
    expect((await fetch(`${probe.url}/api/health/ready`)).status).toBe(200);
    let isListening = true;
    probe.app.getHttpServer().once('close', () => {
      isListening = false;
    });
    const stopped = probe.shutdown.stop();
    const ready = await fetch(`${probe.url}/api/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([503, { error: 'Not ready: stopping.' }]);
    for (const path of ['/probe/page', '/api/health']) {
      const answer = await fetch(`${probe.url}${path}`);
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    }
    expect(isListening).toBe(true);
    await stopped;
    await expect(fetch(`${probe.url}/probe/page`)).rejects.toThrow('fetch failed');
  });
});

describe('the start of the http shutdown', () => {
  it('answers the first request of a connection that was accepted before', async () => {
    const probe = await startProbeApp();
    const fresh = connect(probe.port, '127.0.0.1');
    await once(fresh, 'connect');
    // The service has accepted the connection when it has answered another one.
    await (await fetch(`${probe.url}/probe/page`)).json();
    const stopped = probe.shutdown.stop();
    await sleep(200);
    expect(await request(fresh)).toMatch(ANSWERED);
    await stopped;
  });

  it('answers another request of a connection that has had an answer', async () => {
    const probe = await startProbeApp();
    const used = connect(probe.port, '127.0.0.1');
    expect(await request(used)).toMatch(ANSWERED);
    const stopped = probe.shutdown.stop();
    await sleep(200);
    expect(await request(used)).toMatch(ANSWERED);
    await stopped;
  });
});
