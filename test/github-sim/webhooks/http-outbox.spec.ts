import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Clock } from '../../../src/config/clock.js';
import { GITHUB_API } from '../../support/github-contract.js';
import type { Exchange } from '../exchange-observer.js';
import type { Hook, WebhookEndpoint } from '../webhook-outbox.js';
import { HttpOutbox } from './http-outbox.js';

class SetClock extends Clock {
  at = new Date('2026-03-01T10:00:00.400Z');
  override now(): Date {
    return this.at;
  }
}

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Item {
  readonly id: number;
  readonly guid: string;
  readonly status: string;
  readonly status_code: number;
  readonly redelivery: boolean;
}

const APP = 7;
const SECRET = 'it is a secret to everybody';
const OK = (response: ServerResponse): void => void response.writeHead(202, { 'x-from': 'app' }).end('taken');

let server: Server;
let endpoint: WebhookEndpoint;
let received: Received[];
let answer: (response: ServerResponse) => void;
let clock: SetClock;
let outbox: HttpOutbox;

beforeEach(async () => {
  received = [];
  answer = OK;
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = { appId: APP, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`, secret: SECRET };
  clock = new SetClock();
  outbox = new HttpOutbox({ clock, timeoutMs: 300 });
});

afterEach(async () => {
  await outbox.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const hook = (title: string, event = 'milestone'): Hook => ({
  event,
  payload: { action: 'created', milestone: { title }, repository: { id: 42 } },
  installationId: 3,
  endpoint,
});
const titles = (): string[] =>
  received.map(({ body }) => (JSON.parse(body) as { milestone: { title: string } }).milestone.title);
const log = (): Item[] => outbox.list(APP) as Item[];
const hmac = (algorithm: string, body: string): string => createHmac(algorithm, SECRET).update(body).digest('hex');
const isSigned = ({ headers, body }: Received): boolean =>
  headers['x-hub-signature-256'] === `sha256=${hmac('sha256', body)}`;

describe('a delivery', () => {
  it('carries GitHub’s headers and is signed over the bytes that arrive', async () => {
    outbox.emit(hook('v1.2.3 – “Ünïcode”'));
    await outbox.waitUntilIdle();
    const [delivery] = received as [Received];
    expect(delivery.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^GitHub-Hookshot\//),
      'x-github-event': 'milestone',
      'x-github-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-github-hook-id': '7',
      'x-github-hook-installation-target-id': '7',
      'x-github-hook-installation-target-type': 'integration',
      'x-hub-signature': `sha1=${hmac('sha1', delivery.body)}`,
    });
    expect(isSigned(delivery)).toBe(true);
  });

  it('contains the state in which the event happened', async () => {
    const payload = { action: 'created', milestone: { title: 'v1.0.0' } };
    outbox.emit({ ...hook(''), payload });
    payload.milestone.title = 'v2.0.0';
    await outbox.waitUntilIdle();
    expect(titles()).toEqual(['v1.0.0']);
  });

  it('waits for the previous one', async () => {
    let open = 0;
    let most = 0;
    answer = (response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        OK(response);
      }, 10);
    };
    for (const title of ['a', 'b', 'c']) outbox.emit(hook(title));
    await outbox.waitUntilIdle();
    expect(titles()).toEqual(['a', 'b', 'c']);
    expect(most).toBe(1);
  });

  it('is passed to the observer before it is sent', async () => {
    const seen: string[] = [];
    const observed = new HttpOutbox({ onHook: ({ event }) => seen.push(event) });
    observed.emit(hook('a'));
    expect(seen).toEqual(['milestone']);
    expect(received).toEqual([]);
    await observed.waitUntilIdle();
  });
});

describe('the log of deliveries', () => {
  const read = (path: string, responseBody: unknown): Exchange => ({
    method: 'GET',
    path,
    query: {},
    requestHeaders: { 'user-agent': 'shipgate' },
    requestBody: undefined,
    status: 200,
    responseBody: JSON.parse(JSON.stringify(responseBody)),
  });

  it('shows each attempt as GitHub describes it, newest first', async () => {
    outbox.emit(hook('a'));
    outbox.emit(hook('b', 'issues'));
    await outbox.waitUntilIdle();
    expect(log()).toMatchObject([
      { id: 2, event: 'issues' },
      { id: 1, event: 'milestone' },
    ]);
    expect(log()[1]).toMatchObject({
      guid: received[0]?.headers['x-github-delivery'],
      delivered_at: '2026-03-01T10:00:00Z',
      redelivery: false,
      status: 'OK',
      status_code: 202,
      action: 'created',
      installation_id: 3,
      repository_id: 42,
    });
    expect(GITHUB_API.check(read('/app/hook/deliveries', log()))).toEqual([]);
  });

  it('shows the request and the response', async () => {
    outbox.emit(hook('a'));
    await outbox.waitUntilIdle();
    const delivery = outbox.find(APP, 1);
    expect(delivery).toMatchObject({
      url: endpoint.url,
      request: { headers: { 'X-GitHub-Event': 'milestone' }, payload: { milestone: { title: 'a' } } },
      response: { headers: { 'x-from': 'app' }, payload: 'taken' },
    });
    expect(GITHUB_API.check(read('/app/hook/deliveries/1', delivery))).toEqual([]);
  });

  it('belongs to one app', async () => {
    outbox.emit(hook('a'));
    await outbox.waitUntilIdle();
    expect(outbox.list(8)).toEqual([]);
    expect(outbox.find(8, 1)).toBeNull();
    expect(outbox.redeliver(8, 1)).toBe(false);
  });

  it.each([
    ['refuses', (response: ServerResponse) => response.writeHead(500).end(), 'Invalid HTTP Response: 500', 500],
    [
      'redirects',
      (response: ServerResponse) => response.writeHead(302, { location: '/webhooks' }).end(),
      'Invalid HTTP Response: 302',
      302,
    ],
    ['hangs up', (response: ServerResponse) => response.destroy(), 'failed to connect', 502],
    [
      'hangs up halfway',
      (response: ServerResponse) =>
        response.writeHead(202, { 'content-length': 9 }).write('ta', () => response.destroy()),
      'failed to connect',
      502,
    ],
    ['does not answer in time', () => {}, 'timed out', 504],
  ])('reports that the app %s', async (_, behaviour, status, statusCode) => {
    answer = behaviour;
    outbox.emit(hook('a'));
    await outbox.waitUntilIdle();
    expect(log()).toMatchObject([{ status, status_code: statusCode }]);
    expect(received).toHaveLength(1);
  });

  it('reports that the app cannot be reached, and continues with the next delivery', async () => {
    outbox.emit({ ...hook('a'), endpoint: { ...endpoint, url: 'no address' } });
    await outbox.waitUntilIdle();
    outbox.emit(hook('b'));
    await outbox.waitUntilIdle();
    expect(log()).toMatchObject([{ status: 'OK' }, { status: 'failed to connect', status_code: 502 }]);
  });

  it('sends a delivery again under its GUID', async () => {
    answer = (response) => response.writeHead(503).end();
    outbox.emit(hook('a'));
    await outbox.waitUntilIdle();
    answer = OK;
    expect(outbox.redeliver(APP, 1)).toBe(true);
    await outbox.waitUntilIdle();
    const [again, first] = log();
    expect(again).toMatchObject({ id: 2, guid: first?.guid, redelivery: true, status_code: 202 });
    expect(received[1]?.body).toBe(received[0]?.body);
  });

  it('deletes a delivery after three days', async () => {
    outbox.emit(hook('a'));
    await outbox.waitUntilIdle();
    clock.at = new Date('2026-03-04T10:00:00.400Z');
    expect(log()).toHaveLength(1);
    clock.at = new Date('2026-03-04T10:00:00.401Z');
    expect(log()).toEqual([]);
    expect(outbox.find(APP, 1)).toBeNull();
    expect(outbox.redeliver(APP, 1)).toBe(false);
  });
});

describe('faults', () => {
  const emitAll = async (...all: string[]): Promise<void> => {
    for (const title of all) outbox.emit(hook(title));
    await outbox.waitUntilIdle();
  };

  it('drop: never arrives and can be requested again', async () => {
    outbox.faults.next({ kind: 'drop' });
    await emitAll('a', 'b');
    expect(titles()).toEqual(['b']);
    expect(log()).toMatchObject([{ status: 'OK' }, { status: 'failed to connect', status_code: 502 }]);
    outbox.redeliver(APP, 1);
    await outbox.waitUntilIdle();
    expect(titles()).toEqual(['b', 'a']);
  });

  it('lose: is never recorded', async () => {
    outbox.faults.next({ kind: 'lose' });
    await emitAll('a');
    expect([received, log()]).toEqual([[], []]);
  });

  it('duplicate: arrives twice under one GUID', async () => {
    outbox.faults.next({ kind: 'duplicate' });
    await emitAll('a', 'b');
    expect(titles()).toEqual(['a', 'a', 'b']);
    expect(new Set(log().map(({ guid }) => guid)).size).toBe(2);
  });

  it('reorder: arrives after the next one', async () => {
    outbox.faults.next({ kind: 'reorder' });
    await emitAll('a', 'b', 'c');
    expect(titles()).toEqual(['b', 'a', 'c']);
  });

  it('reorder: arrives at last if no other follows', async () => {
    outbox.faults.next({ kind: 'reorder' });
    await emitAll('a');
    expect(titles()).toEqual(['a']);
  });

  it('delay: is overtaken, and is awaited', async () => {
    outbox.faults.next({ kind: 'delay', ms: 50 });
    await emitAll('a', 'b', 'c');
    expect(titles()).toEqual(['b', 'c', 'a']);
  });

  it('tamper: has a signature that does not match the body', async () => {
    outbox.faults.next({ kind: 'tamper', change: (body) => body.replace('v1.0.0', 'v9.9.9') });
    outbox.faults.next({ kind: 'tamper' });
    await emitAll('v1.0.0', 'v2.0.0', 'v3.0.0');
    expect(titles()).toEqual(['v9.9.9', 'v2.0.0', 'v3.0.0']);
    expect(received.map(isSigned)).toEqual([false, false, true]);
  });

  it('unsigned: has no signature', async () => {
    outbox.faults.next({ kind: 'unsigned' });
    await emitAll('a');
    expect(Object.keys(received[0]?.headers ?? {}).filter((name) => name.startsWith('x-hub'))).toEqual([]);
  });

  it('apply only to the named event or action, and as often as planned', async () => {
    outbox.faults.next({ kind: 'lose', event: 'milestone.closed' });
    outbox.faults.next({ kind: 'lose', event: 'issues' });
    outbox.faults.next({ kind: 'lose', event: 'milestone.created', times: 2 });
    await emitAll('a', 'b', 'c');
    expect(titles()).toEqual(['c']);
    outbox.faults.clear();
    outbox.emit(hook('d', 'issues'));
    await outbox.waitUntilIdle();
    expect(titles()).toEqual(['c', 'd']);
  });
});

it('stops at once, also during a delivery', async () => {
  const arrived = new Promise<void>((resolve) => {
    answer = () => resolve();
  });
  const patient = new HttpOutbox({ timeoutMs: 60_000 });
  patient.faults.next({ kind: 'delay', ms: 60_000 });
  for (const title of ['late', 'unanswered', 'queued']) patient.emit(hook(title));
  await arrived;
  await patient.stop();
  patient.emit(hook('after the end'));
  await patient.waitUntilIdle();
  expect(titles()).toEqual(['unanswered']);
});
