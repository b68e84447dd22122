import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { LookupAddress } from 'node:dns';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { readTestEnvironment } from '../../test/support/read-test-environment.js';
import { OutgoingRequestError, OutgoingRequestsService } from './outgoing-requests.service.js';

const SECRET = 'a-secret-path';
const PUBLIC = '93.184.216.34';

/** Resolves names as a test needs it. Everything else is real. */
class Requests extends OutgoingRequestsService {
  readonly resolved: string[] = [];

  constructor(
    variables: Readonly<Record<string, string>> = {},
    private readonly names: Readonly<Record<string, readonly string[]>> = {},
  ) {
    super(readTestEnvironment({ BASE_URL: 'http://localhost:3000', ...variables }));
  }

  protected override async resolve(hostname: string): Promise<readonly LookupAddress[]> {
    this.resolved.push(hostname);
    const addresses = this.names[hostname];
    return addresses?.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })) ?? super.resolve(hostname);
  }
}

const LOOPBACK = { OUTGOING_ALLOWED: '127.0.0.1' };
const LIMITS = { maxBytes: 1_000, timeoutMs: 5_000 };

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('OutgoingRequestsService', () => {
  const seen: string[] = [];
  const names: (string | false | null)[] = [];
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    '/redirect': (response) => response.writeHead(302, { location: '/whole' }).end(),
    '/large': (response) => response.end('x'.repeat(1_001)),
    '/large-stream': (response) => {
      response.write('x'.repeat(900));
      response.end('x'.repeat(900));
    },
    '/endless': (response) => {
      const send = (): void => void (response.destroyed || (response.write('x'.repeat(500)), setImmediate(send)));
      send();
    },
    '/slow': (response) => void response.write('x'),
    '/silent': () => {},
    '/torn': (response) => {
      response.writeHead(200, { 'content-length': 10 }).write('x');
      setImmediate(() => response.destroy());
    },
    '/whole': (response) => response.writeHead(200, { 'x-kind': 'whole' }).end('whole'),
  };
  let server: Server;
  let tls: Server;
  let port = 0;
  let tlsPort = 0;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push(`${request.method} ${request.url} ${request.headers.host} ${Buffer.concat(chunks).toString()}`);
        answers[request.url?.split('?', 1)[0] ?? '']?.(response);
      });
    });
    tls = createTlsServer({
      cert: readFileSync('test/fixtures/tls/shipgate.example.crt'),
      key: readFileSync('test/fixtures/tls/shipgate.example.key'),
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    });
    tls.on('secureConnection', (socket: TLSSocket) => names.push(socket.servername));
    tls.on('tlsClientError', () => {});
    [port, tlsPort] = [await listen(server), await listen(tls)];
  });
  afterAll(() => {
    for (const one of [server, tls]) {
      one.close();
      one.closeAllConnections();
    }
  });

  const failure = async (requests: Requests, url: string, limits = LIMITS): Promise<OutgoingRequestError> => {
    const error: unknown = await requests.request({ url, ...limits }).catch((thrown: unknown) => thrown);
    if (!(error instanceof OutgoingRequestError))
      throw new TypeError('It did not fail as an outgoing request.', { cause: error });
    expect(`${error.message} ${String(error.cause)} ${JSON.stringify(error)}`).not.toContain(SECRET);
    return error;
  };
  const local = (path: string): string => `http://127.0.0.1:${port}${path}`;

  it('returns an answer with its status, headers and body', async () => {
    expect(await new Requests(LOOPBACK).request({ url: local('/whole'), ...LIMITS })).toMatchObject({
      status: 200,
      headers: { 'x-kind': 'whole' },
      body: Buffer.from('whole'),
    });
  });

  it('sends a method, headers and a body', async () => {
    seen.length = 0;
    await new Requests(LOOPBACK).request({
      url: local('/whole'),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
      ...LIMITS,
    });
    expect(seen).toEqual([`POST /whole 127.0.0.1:${port} {"a":1}`]);
  });

  it('connects to the address that it has checked, and resolves a name once', async () => {
    seen.length = 0;
    const requests = new Requests(LOOPBACK, { 'bundles.example': ['127.0.0.1'] });
    expect((await requests.request({ url: `http://bundles.example:${port}/whole`, ...LIMITS })).status).toBe(200);
    expect(requests.resolved).toEqual(['bundles.example']);
    expect(seen).toEqual([`GET /whole bundles.example:${port} `]);
  });

  it('does not follow a redirect', async () => {
    seen.length = 0;
    expect((await new Requests(LOOPBACK).request({ url: local('/redirect'), ...LIMITS })).status).toBe(302);
    expect(seen.length).toBe(1);
  });

  it.each([
    ['a public and a private address', [PUBLIC, '10.0.0.1']],
    ['a public and a loopback address', [PUBLIC, '127.0.0.1']],
    ['the address of metadata', ['169.254.169.254']],
    ['a mapped loopback address', ['::ffff:127.0.0.1']],
    ['a public and a unique local address', [PUBLIC, 'fd00::1']],
  ])('refuses a name with %s', async (_, addresses) => {
    const requests = new Requests({}, { 'bundles.example': addresses });
    const { kind, message } = await failure(requests, `https://bundles.example/${SECRET}?${SECRET}`);
    expect([kind, message]).toEqual(['refused', 'bundles.example has an address that is not permitted']);
  });

  it.each([
    'https://127.0.0.1',
    'https://127.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://0177.0.0.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:a9fe:a9fe]',
    'https://0',
    'https://localhost',
    'https://169.254.169.254',
    'https://127.0.0.1.',
  ])('refuses %s', async (url) => {
    expect((await failure(new Requests(), `${url}:${tlsPort}/${SECRET}`)).kind).toBe('refused');
    expect((await failure(new Requests(), `${url.replace('https', 'http')}:${port}/${SECRET}`)).kind).toBe('refused');
  });

  it.each([
    ['another scheme', `ftp://bundles.example/${SECRET}`],
    ['a password', `https://user:${SECRET}@bundles.example/`],
    ['no URL', `//${SECRET}`],
    ['a file', `file:///${SECRET}`],
  ])('refuses %s', async (_, url) => {
    expect((await failure(new Requests({}, { 'bundles.example': [PUBLIC] }), url)).kind).toBe('refused');
  });

  it.each([
    ['to a public address', LOOPBACK, PUBLIC],
    ['to loopback that is not allowed', {}, '127.0.0.1'],
    ['to an allowed address that is not loopback', { OUTGOING_ALLOWED: '10.0.0.0/8' }, '10.0.0.1'],
    ['of a service that others can reach', { ...LOOPBACK, BASE_URL: 'https://gate.example' }, '127.0.0.1'],
  ])('refuses plain http %s', async (_, variables, address) => {
    const requests = new Requests(variables, { 'bundles.example': [address] });
    expect((await failure(requests, `http://bundles.example:${port}/${SECRET}`)).kind).toBe('refused');
  });

  it('checks the certificate for the name, also at an allowed address', async () => {
    names.length = 0;
    const requests = new Requests(
      { OUTGOING_ALLOWED: '127.0.0.0/8', BASE_URL: 'https://gate.example' },
      { 'bundles.example': ['127.0.0.1'] },
    );
    const { kind, message } = await failure(requests, `https://bundles.example:${tlsPort}/${SECRET}`);
    expect([kind, message]).toEqual([
      'unavailable',
      expect.stringMatching(/^bundles\.example:\d+ could not be reached: (?:SELF_SIGNED_CERT|UNABLE_TO)/),
    ]);
    expect(names[0]).toBe('bundles.example');
  });

  it.each([
    ['/large', 'too_large'],
    ['/large-stream', 'too_large'],
    ['/endless', 'too_large'],
    ['/torn', 'unavailable'],
  ])('fails for the answer %s', async (path, kind) => {
    expect((await failure(new Requests(LOOPBACK), local(`${path}?${SECRET}`))).kind).toBe(kind);
  });

  it.each(['/slow', '/silent'])('ends at the deadline for the answer %s', async (path) => {
    const limits = { ...LIMITS, timeoutMs: 50 };
    const { kind, message } = await failure(new Requests(LOOPBACK), local(`${path}?${SECRET}`), limits);
    expect([kind, message]).toEqual(['timeout', `127.0.0.1:${port} did not answer in time`]);
  });

  it('ends at the deadline for a name that does not resolve', async () => {
    class Hanging extends Requests {
      protected override async resolve(): Promise<readonly LookupAddress[]> {
        return new Promise(() => {});
      }
    }
    const { kind } = await failure(new Hanging(LOOPBACK), `https://bundles.example/${SECRET}`, {
      ...LIMITS,
      timeoutMs: 50,
    });
    expect(kind).toBe('timeout');
  });

  it('fails for a name without an address, and for a server that does not listen', async () => {
    expect((await failure(new Requests(), `https://unknown.invalid/${SECRET}`)).kind).toBe('unavailable');
    const gone = createServer();
    const free = await listen(gone);
    gone.close();
    await once(gone, 'close');
    const { kind, message } = await failure(new Requests(LOOPBACK), `http://127.0.0.1:${free}/${SECRET}`);
    expect([kind, message]).toEqual(['unavailable', `127.0.0.1:${free} could not be reached: ECONNREFUSED`]);
  });
});
