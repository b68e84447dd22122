import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestServer } from '../workflows/runner-services.js';
import { createMarkedKey } from './marked-key.js';
import { buildClient, type ClientOutcome, removeClient, shipgate } from './client-process.js';
import { writeFastClock } from './fast-clock.js';

const tls = (name: string): string => path.resolve('test/fixtures/tls', name);
const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';
const OPEN = { version: 'v1.4.0', current_stage: 'DEPLOYMENT', can_deploy: true, reasons: [] };
const KEY = createMarkedKey('sgk');

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listen = async (server: Server): Promise<void> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
};
const close = async (server: Server): Promise<void> => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
};

const gate = (env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<ClientOutcome> =>
  shipgate(['gate', '--release', 'v1.4.0', '--repo', 'acme/payments', '--sha', SHA, ...args], {
    env: { SHIPGATE_API_KEY: KEY, ...env },
  });

beforeAll(buildClient);
afterAll(removeClient);

describe('a service behind a proxy that wants a password', () => {
  let service: Server;
  let proxy: Server;
  let tunnels: { readonly target: string; readonly credential: string | undefined }[];
  let requests: IncomingMessage[];
  let sockets: Socket[];

  beforeAll(async () => {
    service = createHttpsServer(
      { key: readFileSync(tls('shipgate.example.key')), cert: readFileSync(tls('shipgate.example.crt')) },
      (request, response) => {
        requests.push(request);
        response.setHeader('content-type', 'application/json').end(JSON.stringify(OPEN));
      },
    );
    proxy = createHttpServer((_, response) => void response.writeHead(400).end());
    // Connects every name to the service, like a proxy that resolves the private names of its network.
    proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
      const credential = request.headers['proxy-authorization'];
      tunnels.push({ target: request.url ?? '', credential });
      socket.on('error', () => undefined);
      if (credential !== `Basic ${Buffer.from('ada:open sesame').toString('base64')}`) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      const behind = connect(portOf(service), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        behind.pipe(socket).pipe(behind);
      });
      sockets.push(socket, behind);
      behind.on('error', () => socket.destroy());
    });
    await Promise.all([listen(service), listen(proxy)]);
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all([close(service), close(proxy)]);
  });
  beforeEach(() => {
    [tunnels, requests, sockets] = [[], [], sockets ?? []];
  });

  const through = (given: Readonly<Record<string, string>> = {}, password = 'open%20sesame'): Promise<ClientOutcome> =>
    gate({
      SHIPGATE_URL: 'https://shipgate.example',
      HTTPS_PROXY: `http://ada:${password}@127.0.0.1:${portOf(proxy)}`,
      NODE_EXTRA_CA_CERTS: tls('authority.crt'),
      ...given,
    });

  it('is reached with the password and the authority of the job', async () => {
    expect(await through()).toMatchObject({ code: 0, stderr: '' });
    expect(tunnels.map(({ target }) => target)).toEqual(['shipgate.example:443']);
    expect(requests.map(({ headers }) => headers['proxy-authorization'])).toEqual([undefined]);
  });

  it('is reached by the variable in lower case', async () => {
    expect(
      await through({ HTTPS_PROXY: '', https_proxy: `http://ada:open%20sesame@127.0.0.1:${portOf(proxy)}` }),
    ).toMatchObject({
      code: 0,
    });
  });

  it('is unknown at the first try with a wrong password, which is not printed', async () => {
    const { code, stdout, stderr } = await through({}, 'wrong-password');
    expect([code, tunnels.length, requests.length]).toEqual([3, 1, 0]);
    expect(stderr).toContain('407');
    expect(stdout + stderr).not.toMatch(/wrong-password|canary|Next try/);
  });

  it('is unknown at the first try with a certificate of an unknown authority, and gets no credential', async () => {
    const { code, stderr } = await through({ NODE_EXTRA_CA_CERTS: '' });
    expect([code, tunnels.length, requests.length]).toEqual([3, 1, 0]);
    expect(stderr).toContain('NODE_EXTRA_CA_CERTS names a file with further authorities');
    expect(stderr).not.toContain('Next try');
  });

  it.each(['shipgate.example', '*'])('is reached directly, or not at all, with NO_PROXY=%s', async (exceptions) => {
    const { code } = await through({ NO_PROXY: exceptions, SHIPGATE_RETRY_FOR: '0s' });
    expect([code, tunnels]).toEqual([3, []]);
  });

  it('is not reached through a proxy that cannot be one', async () => {
    expect(await through({ HTTPS_PROXY: 'nonsense' })).toMatchObject({ code: 2 });
  });
});

it('a service on this machine is never reached through a proxy', async () => {
  const server = await TestServer.answering((_, response) => void response.end(JSON.stringify(OPEN)));
  try {
    const env = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9', SHIPGATE_URL: server.url };
    expect(await gate(env)).toMatchObject({ code: 0 });
  } finally {
    await server.stop();
  }
});

describe('an identity token', () => {
  let folder: string;
  let hook: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-clock-'));
    hook = writeFastClock(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  interface Seen {
    readonly outcome: ClientOutcome;
    readonly issued: number;
    readonly used: readonly string[];
  }

  /**
   * Runs the gate with a fast clock against a service whose answer depends on the number of the request. The process does
   * not read the token, so the token is any text of three parts.
   */
  const run = async (
    answer: (count: number) => { readonly status?: number; readonly delayMs?: number; readonly isOpen?: boolean },
    ...args: readonly string[]
  ): Promise<Seen> => {
    let issued = 0;
    const used: string[] = [];
    const issuer = await TestServer.answering((_, response) => {
      issued += 1;
      response.end(JSON.stringify({ value: `e30.${Buffer.from(`{"number":${issued}}`).toString('base64url')}.s` }));
    });
    const service = await TestServer.answering((request, response) => {
      used.push(request.headers.authorization ?? '');
      const { status = 200, delayMs = 0, isOpen = true } = answer(used.length);
      const reasons = isOpen ? [] : [{ code: 'facts_stale', actor: 'service', detail: 'Reading.' }];
      setTimeout(() => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(status === 200 ? { ...OPEN, can_deploy: isOpen, reasons } : { error: 'No.' }));
      }, delayMs);
    });
    try {
      const outcome = await gate(
        {
          SHIPGATE_API_KEY: '',
          SHIPGATE_URL: service.url,
          GITHUB_ACTIONS: 'true',
          ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/token?v=2`,
          ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret',
          NODE_OPTIONS: `--require=${hook}`,
        },
        ...args,
      );
      return { outcome, issued, used };
    } finally {
      await Promise.all([issuer.stop(), service.stop()]);
    }
  };

  it('is requested again during a wait when it is older than four minutes', async () => {
    const { outcome, issued, used } = await run((count) => ({ isOpen: count > 4 }), '--wait', '1h');
    expect([outcome.code, issued]).toEqual([0, new Set(used).size]);
    expect(issued).toBeGreaterThan(1);
  }, 60_000);

  it('is replaced once if it is refused and older than four minutes', async () => {
    const { outcome, issued, used } = await run((count) => (count === 1 ? { status: 401, delayMs: 5_000 } : {}));
    expect([outcome.code, issued, used.length]).toEqual([0, 2, 2]);
  }, 60_000);

  it('is not replaced if it is refused and fresh', async () => {
    const { outcome, issued, used } = await run(() => ({ status: 401 }));
    expect([outcome.code, issued, used.length]).toEqual([3, 1, 1]);
  });
});
