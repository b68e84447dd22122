import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Environment } from '../../config/environment.js';
import { DomainError } from '../errors/domain-error.js';
import { clientNetworkPrefix } from '../rate-limit/rate-limit.service.js';
import type { ArrivingBodies } from './arriving-bodies.js';
import {
  type BodyBounds,
  bodyEncoding,
  isAnnouncedTooLarge,
  readWithLimit,
  refuseAnnouncedTooLarge,
  refuseOtherThanJson,
} from './bounded-body.js';
import { parseJsonBody, UnreadJson } from './json-body.js';
import { DeferredForm } from './multipart-form.js';

/**
 * How a route reads its body. `json`, the default, is parsed and validated after the guards have authorized the caller.
 * An `upload` (JSON) and a `form` are read when the route requests it. `raw` is passed to the route as the received
 * bytes.
 */
export type BodyType = 'json' | 'upload' | 'form' | 'raw';

declare module 'fastify' {
  interface FastifyContextConfig {
    body?: BodyType;
  }
}

/** Declares how a route reads its body. */
export const BodyKind = (body: BodyType): MethodDecorator => RouteConfig({ body });

/** Represents a body that is not read yet, so that no megabytes are read and parsed for a rejected caller. */
class DeferredBody {
  constructor(readonly read: () => Promise<unknown>) {}
}

async function readDeferredBody(request: FastifyRequest): Promise<void> {
  if (request.body instanceof DeferredBody) request.body = await request.body.read();
}

/**
 * Reads a deferred body after the other guards have accepted the request. An interceptor could do the same, but with an
 * interceptor Nest turns every request into an observable.
 */
export class DeferredBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return request.body instanceof DeferredBody ? readDeferredBody(request).then(() => true) : true;
  }
}

/**
 * The body of a `raw` route. A body beyond the limit is not an error, because the route answers it too. It is not
 * stored: `passing` yields its bytes once, from the first on, for example to verify a signature.
 */
export type RawBody =
  | { readonly oversized: false; readonly bytes: Buffer }
  | { readonly oversized: true; readonly passing: AsyncIterable<Buffer> };

/** The maximum size of a body without evidence. */
const JSON_BYTES = 262_144;
/** The maximum number of values in a JSON body. Validation costs far more time per value than per byte. */
const JSON_VALUES = 2_000;
/** The maximum size of a stored delivery. GitHub's deliveries may have up to 25 MB. */
const RAW_BYTES = 1_048_576;
/** The maximum number of unverified bytes on `raw` routes per client network. */
const RAW_LIMIT_BYTES = 33_554_432;

type ParsedKind = Exclude<BodyType, 'raw'>;

/** Makes this the only body parser of the server. A body that no route declares is not read. */
export function useBodyParser(fastify: FastifyInstance, { limits }: Environment, arriving: ArrivingBodies): void {
  const bounds: Record<ParsedKind, BodyBounds> = {
    json: { wireBytes: JSON_BYTES, inflatedBytes: JSON_BYTES },
    upload: { wireBytes: limits.jsonUploadBytes, inflatedBytes: limits.inflatedBytes },
    form: { wireBytes: limits.uploadBytes, inflatedBytes: limits.inflatedBytes },
  };
  const raw = new RawBodies();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', async (request: FastifyRequest): Promise<unknown> => {
    // Without a route the body is discarded, and the answer is 404.
    if (request.is404) return void request.raw.resume();
    const kind = request.routeOptions.config.body ?? 'json';
    // The body will be rejected in any case. Its bytes are discarded, because a sender that is still writing would otherwise
    // lose the connection before it sees the answer.
    if (kind !== 'raw' && isAnnouncedTooLarge(request.headers, bounds[kind])) request.raw.resume();
    if (kind === 'upload') return new UnreadJson(request, bounds.upload, arriving);
    if (kind === 'form') return new DeferredForm(request, bounds.form, arriving);
    if (kind === 'raw') return arriving.read(request.raw, () => raw.read(request));
    return deferJson(request, bounds.json, arriving);
  });
}

/**
 * Defers the read, and also the rejection by its headers, until the caller is authorized. Other callers get no
 * information about their body.
 */
function deferJson(request: FastifyRequest, bounds: BodyBounds, arriving: ArrivingBodies): DeferredBody | undefined {
  try {
    const read = createJsonReader(request, bounds, arriving);
    return read ? new DeferredBody(read) : undefined;
  } catch (error) {
    return new DeferredBody(() => Promise.reject(error));
  }
}

/**
 * Returns a function that reads the body, or null if there is none. Throws if the headers show that the body is not
 * acceptable.
 */
function createJsonReader(
  { raw, headers }: FastifyRequest,
  bounds: BodyBounds,
  arriving: ArrivingBodies,
): (() => Promise<unknown>) | null {
  const encoding = bodyEncoding(headers);
  // A body without bytes is no body. Some clients always send a content type.
  if (headers['content-length'] === '0') return null;
  refuseOtherThanJson(headers);
  refuseAnnouncedTooLarge(headers, bounds);
  return async () => {
    const bytes = await arriving.read(raw, () => readWithLimit(raw, encoding, bounds));
    return bytes.length === 0 ? undefined : parseJsonBody(bytes, { values: JSON_VALUES });
  };
}

/** Reads raw bodies and limits the memory per client network. */
class RawBodies {
  readonly #bytesByClient = new Map<string, number>();

  async read({ raw, ip }: FastifyRequest): Promise<RawBody> {
    const client = clientNetworkPrefix(ip);
    const arriving = readChunks(raw);
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for (let next = await arriving.next(); !next.done; next = await arriving.next()) {
        chunks.push(next.value);
        size += next.value.length;
        if (!this.#addBytes(client, next.value.length)) throw tooManyBytes();
        if (size > RAW_BYTES) return { oversized: true, passing: joined(chunks, arriving) };
      }
      return { oversized: false, bytes: Buffer.concat(chunks) };
    } finally {
      this.#addBytes(client, -size);
    }
  }

  /** Adds bytes to the client's total. Returns false if the total exceeds the limit. */
  #addBytes(client: string, bytes: number): boolean {
    const total = (this.#bytesByClient.get(client) ?? 0) + bytes;
    if (total > 0) this.#bytesByClient.set(client, total);
    else this.#bytesByClient.delete(client);
    return total <= RAW_LIMIT_BYTES;
  }
}

const tooManyBytes = (): DomainError =>
  new DomainError('unavailable', 'Too much is arriving from this address at once.', {
    retryAfterSeconds: 5,
    headers: { Connection: 'close' },
  });

/** Yields the chunks of the body. Throws `invalid` if the sender aborts. */
async function* readChunks(raw: FastifyRequest['raw']): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (cause) {
    throw new DomainError('invalid', 'The body ended before it was complete.', { cause });
  }
}

async function* joined(begun: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* begun;
  yield* rest;
}
