import { Inject, Injectable } from '@nestjs/common';
import { type LookupAddress, type LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import pTimeout from 'p-timeout';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { isLoopbackUrl } from '../config/value-parsers.js';
import { networkTest } from '../http/open-connections.js';
import { isLoopbackAddress, isPublicAddress } from './outgoing-address.js';

/** A request to an address that a user or another service chose. */
interface OutgoingRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The largest accepted body of the answer. */
  readonly maxBytes: number;
  /** For everything: the name, the connection and the whole answer. */
  readonly timeoutMs: number;
}

/** An answer with any status. A redirect is an answer too: it is not followed. */
interface OutgoingResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** `refused`: the address is not permitted. `unavailable`: there is no connection, or it broke. */
type OutgoingFailure = 'refused' | 'timeout' | 'too_large' | 'unavailable';

/** A request that has no answer. Its message names the name and port of the server at most, because paths and queries may be secret. */
export class OutgoingRequestError extends Error {
  constructor(
    readonly kind: OutgoingFailure,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Sends requests to addresses that users or other services chose, except those to GitHub's API. A name is resolved once, all of its
 * addresses must be permitted, and the connection is made to them. So neither the name nor a redirect leads into the network of the
 * service. It sends no credentials except those in `headers`.
 */
@Injectable()
export class OutgoingRequestsService {
  private readonly isAllowed: (address: string) => boolean;
  private readonly isDevelopment: boolean;

  constructor(@Inject(ENVIRONMENT) { outgoingAllowed, baseUrl }: Environment) {
    this.isAllowed = networkTest(outgoingAllowed);
    this.isDevelopment = isLoopbackUrl(baseUrl);
  }

  /** Fails as an `OutgoingRequestError` if there is no complete answer. */
  async request(request: OutgoingRequest): Promise<OutgoingResponse> {
    const url = parseUrl(request.url);
    const ending = new AbortController();
    try {
      return await pTimeout(this.exchange(url, request, ending.signal), {
        milliseconds: request.timeoutMs,
        message: new OutgoingRequestError('timeout', `${url.host} did not answer in time`),
      });
    } finally {
      ending.abort();
    }
  }

  /** Resolves a name to all of its addresses. */
  protected async resolve(hostname: string): Promise<readonly LookupAddress[]> {
    return lookup(hostname, { all: true });
  }

  private async exchange(url: URL, request: OutgoingRequest, signal: AbortSignal): Promise<OutgoingResponse> {
    try {
      const addresses = await this.permittedAddresses(url);
      signal.throwIfAborted();
      const response = await send(url, request, { addresses, signal });
      const { statusCode: status = 0, headers } = response;
      return { status, headers, body: await readBody(response, url, request.maxBytes) };
    } catch (error) {
      if (error instanceof OutgoingRequestError) throw error;
      // Not as the cause: an error of Node may hold the request or a part of the answer.
      const { code = 'no reason' } = error as NodeJS.ErrnoException;
      throw new OutgoingRequestError('unavailable', `${url.host} could not be reached: ${code}`);
    }
  }

  private async permittedAddresses({ protocol, hostname, host }: URL): Promise<readonly LookupAddress[]> {
    const addresses = await this.resolve(hostname.replace(/^\[|\]$/g, ''));
    if (addresses.length === 0) throw new OutgoingRequestError('unavailable', `${host} has no address`);
    for (const { address } of addresses) {
      if (!this.isPermitted(protocol, address))
        throw new OutgoingRequestError('refused', `${host} has an address that is not permitted`);
    }
    return addresses;
  }

  private isPermitted(protocol: string, address: string): boolean {
    // A mapped address of IPv4 is that address.
    const isAllowed = ipaddr.isValid(address) && this.isAllowed(ipaddr.process(address).toString());
    if (protocol === 'https:') return isAllowed || isPublicAddress(address);
    return this.isDevelopment && isAllowed && isLoopbackAddress(address);
  }
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new OutgoingRequestError('refused', 'the address is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OutgoingRequestError('refused', 'the address is not an https URL');
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutgoingRequestError('refused', `the address at ${url.host} holds a user name or password`);
  }
  return url;
}

interface Connection {
  readonly addresses: readonly LookupAddress[];
  readonly signal: AbortSignal;
}

/** Resolves with the head of the answer. */
async function send(
  url: URL,
  { method = 'GET', headers = {}, body }: OutgoingRequest,
  { addresses, signal }: Connection,
): Promise<IncomingMessage> {
  const options: RequestOptions = { method, headers, signal, agent: false, lookup: pinned(addresses) };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, resolve);
    // Not once, because the end of the signal may follow another error.
    request.on('error', reject);
    request.once('close', () => reject(new Error('closed')));
    request.end(body);
  });
}

/** Returns a lookup that knows these addresses only. Node calls it for a name, and connects to an address in the URL directly. */
const pinned =
  (addresses: readonly LookupAddress[]): NonNullable<RequestOptions['lookup']> =>
  (_hostname, { all, family }: LookupOptions, done) => {
    if (all === true) return done(null, [...addresses]);
    const wanted = addresses.find(({ address }) => (family === 6) === isIPv6(address)) ?? addresses[0];
    return done(null, wanted?.address ?? '', wanted?.family);
  };

async function readBody(response: IncomingMessage, { host }: URL, maxBytes: number): Promise<Buffer> {
  const tooLarge = new OutgoingRequestError('too_large', `the answer of ${host} is larger than ${maxBytes} bytes`);
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
