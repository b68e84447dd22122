import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DomainError } from '../../http/errors/domain-error.js';
import { issuerUnavailable } from '../auth.errors.js';
import { readIssuerDocument } from './issuer-discovery.js';

const MOST_BYTES = 262_144;

let answer: RequestListener;
let url: string;
const server = createServer((request, response) => answer(request, response));

/** Returns a JSON text with this number of bytes. */
const textOf = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));

async function rejection(): Promise<DomainError> {
  const error = await readIssuerDocument(url).catch((thrown: unknown) => thrown);
  if (!(error instanceof DomainError)) throw new TypeError('The document was read.', { cause: error });
  return error;
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
});
beforeEach(() => {
  answer = (_, response) => response.end('{"keys":[]}');
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('readIssuerDocument', () => {
  it('requests JSON and reads it', async () => {
    let accepted: string | undefined;
    answer = (request, response) => {
      accepted = request.headers.accept;
      response.end('{"keys":["é"]}');
    };
    expect(await readIssuerDocument(url)).toEqual({ keys: ['é'] });
    expect(accepted).toBe('application/json');
  });

  it('joins a document that arrives in parts, also within a character', async () => {
    const bytes = Buffer.from('"é"');
    answer = (_, response) => {
      response.write(bytes.subarray(0, 2));
      setTimeout(() => response.end(bytes.subarray(2)), 10);
    };
    expect(await readIssuerDocument(url)).toBe('é');
  });

  it('reads 256 KB, and not a byte more', async () => {
    answer = (_, response) => response.end(textOf(MOST_BYTES));
    expect(await readIssuerDocument(url)).toHaveLength(MOST_BYTES - 2);
    answer = (_, response) => response.end(textOf(MOST_BYTES + 1));
    expect(await rejection()).toMatchObject({ cause: { message: `${url} is larger than 262144 bytes.` } });
  });

  it('waits five seconds for an answer, and no longer', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const requested = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50));
    answer = () => undefined;
    expect(await rejection()).toMatchObject({ code: 'unavailable', cause: { name: 'TimeoutError' } });
    expect(requested.mock.calls).toEqual([[5_000]]);
  });

  it('follows no redirect', async () => {
    answer = (request, response) => {
      if (request.url === '/keys') response.writeHead(302, { location: '/moved' });
      response.end('{"keys":[]}');
    };
    expect(await rejection()).toMatchObject({ code: 'unavailable' });
  });

  it.each([203, 404, 503])(
    'reads no body of a response with status %i, and closes its connection',
    async (status) => {
      // The limit of time would close it, too.
      jest.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
      let closed: Promise<unknown> | undefined;
      answer = ({ socket }, response) => {
        closed = once(socket, 'close');
        // The body does not end.
        response.writeHead(status).write('{"keys":');
      };
      expect(await rejection()).toMatchObject({ cause: { message: `${url} answered ${status}.` } });
      await closed;
    },
    // Garbage collection would close it some seconds later.
    5_000,
  );

  it('rejects a response without a body', async () => {
    answer = (_, response) => response.writeHead(204).end();
    expect(await rejection()).toMatchObject({ cause: { message: `${url} answered 204.` } });
    answer = (_, response) => response.writeHead(200).end();
    expect(await rejection()).toMatchObject({ cause: { name: 'SyntaxError' } });
  });

  it('rejects a body that is not JSON', async () => {
    answer = (_, response) => response.end('<html>');
    expect(await rejection()).toMatchObject({ cause: { name: 'SyntaxError' } });
  });
});

describe('issuerUnavailable', () => {
  it('is returned as a 503 with a retry time of five seconds, with the cause in the log', () => {
    const cause = new Error('refused');
    expect(issuerUnavailable(cause)).toMatchObject({
      code: 'unavailable',
      message: 'The issuer of identity tokens does not answer. Try again soon.',
      headers: { 'Retry-After': '5' },
      cause,
    });
  });
});
