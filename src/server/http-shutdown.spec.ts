import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProbeApp } from '../../test/support/probe-app.js';

const ANSWERED = /^HTTP\/1\.1 200 OK\r\n/;

/** What is answered on the connection; rejects where it is closed instead. */
async function ask(connection: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    connection.once('data', (data: Buffer) => resolve(data.toString()));
    connection.once('close', () => reject(new Error('closed without an answer')));
    connection.write('GET /probe/page HTTP/1.1\r\nhost: probe\r\n\r\n', (error) => error && reject(error));
  });
}

describe('stopping http, in the first moments', () => {
  it('answers the first request of a connection that was taken before', async () => {
    const probe = await startProbeApp();
    const fresh = connect(probe.port, '127.0.0.1');
    await once(fresh, 'connect');
    // The service has taken it by the time at which it has answered another.
    await (await fetch(`${probe.url}/probe/page`)).json();
    const stopped = probe.shutdown.stop();
    await sleep(200);
    expect(await ask(fresh)).toMatch(ANSWERED);
    await stopped;
  });

  it('answers another request of a connection that has had an answer', async () => {
    const probe = await startProbeApp();
    const kept = connect(probe.port, '127.0.0.1');
    expect(await ask(kept)).toMatch(ANSWERED);
    const stopped = probe.shutdown.stop();
    await sleep(200);
    expect(await ask(kept)).toMatch(ANSWERED);
    await stopped;
  });
});
