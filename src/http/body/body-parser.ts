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
 * How a route takes its body: `json` (the default of a route that declares nothing) is parsed and checked once the caller
 * was let in; an `upload` (JSON) and a `form` are read when the route asks for them; `raw` is handed over as the bytes that
 * came, whatever they are.
 */
export type BodyType = 'json' | 'upload' | 'form' | 'raw';

declare module 'fastify' {
  interface FastifyContextConfig {
    body?: BodyType;
  }
}

/** Declares how a route takes its body. */
export const BodyKind = (body: BodyType): MethodDecorator => RouteConfig({ body });

/** What stands for a body that is still on its way: megabytes are taken in and parsed for nobody who is refused. */
class DeferredBody {
  constructor(readonly read: () => Promise<unknown>) {}
}

async function readDeferredBody(request: FastifyRequest): Promise<void> {
  if (request.body instanceof DeferredBody) request.body = await request.body.read();
}

/**
 * Takes in what is still on its way once the guards before this one have let a request in. An interceptor would do it as well, but
 * where there is one, every request is made an observable.
 */
export class DeferredBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return request.body instanceof DeferredBody ? readDeferredBody(request).then(() => true) : true;
  }
}

/**
 * What a `raw` route is given. A body beyond the limit is no error there, because the route answers all the same: nothing
 * of it is held, and its bytes pass by once, from the first on, for whoever must know whose they are.
 */
export type RawBody =
  | { readonly oversized: false; readonly bytes: Buffer }
  | { readonly oversized: true; readonly passing: AsyncIterable<Buffer> };

/** Bodies of requests that carry no evidence. */
const JSON_BYTES = 262_144;
/** No route takes more; each value costs the validation far more than its bytes do. */
const JSON_VALUES = 2_000;
/** GitHub's deliveries may be up to 25 MB; the service keeps none that is larger than this. */
const RAW_BYTES = 1_048_576;
/** What one client may have on its way to `raw` routes, of which nobody knows yet whether it is genuine. */
const RAW_ROOM_BYTES = 33_554_432;

type ParsedKind = Exclude<BodyType, 'raw'>;

/** Makes this the only reader of bodies: what a route does not declare to take, nothing reads. */
export function useBodyParser(fastify: FastifyInstance, { limits }: Environment, arriving: ArrivingBodies): void {
  const bounds: Record<ParsedKind, BodyBounds> = {
    json: { wireBytes: JSON_BYTES, inflatedBytes: JSON_BYTES },
    upload: { wireBytes: limits.jsonUploadBytes, inflatedBytes: limits.inflatedBytes },
    form: { wireBytes: limits.uploadBytes, inflatedBytes: limits.inflatedBytes },
  };
  const raw = new RawBodies();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', async (request: FastifyRequest): Promise<unknown> => {
    // Where there is no route nobody takes the body, and that there is none is all that there is to say.
    if (request.is404) return void request.raw.resume();
    const kind = request.routeOptions.config.body ?? 'json';
    // It will be refused, whoever it is of. Were it left, a sender who writes on would find the connection cut before the answer.
    if (kind !== 'raw' && isAnnouncedTooLarge(request.headers, bounds[kind])) request.raw.resume();
    if (kind === 'upload') return new UnreadJson(request, bounds.upload, arriving);
    if (kind === 'form') return new DeferredForm(request, bounds.form, arriving);
    if (kind === 'raw') return arriving.read(request.raw, () => raw.read(request));
    return lateJson(request, bounds.json, arriving);
  });
}

/** Read, or refused by its headers, once somebody has been let in with it: others learn nothing of their body. */
function lateJson(request: FastifyRequest, bounds: BodyBounds, arriving: ArrivingBodies): DeferredBody | undefined {
  try {
    const read = jsonReaderOf(request, bounds, arriving);
    return read ? new DeferredBody(read) : undefined;
  } catch (refusal) {
    return new DeferredBody(() => Promise.reject(refusal));
  }
}

/** The reading of the body; null where there is none. Refuses what its headers say already. */
function jsonReaderOf(
  { raw, headers }: FastifyRequest,
  bounds: BodyBounds,
  arriving: ArrivingBodies,
): (() => Promise<unknown>) | null {
  const encoding = bodyEncoding(headers);
  // A body of no bytes is no body, whatever type it claims: clients that always send a type exist.
  if (headers['content-length'] === '0') return null;
  refuseOtherThanJson(headers);
  refuseAnnouncedTooLarge(headers, bounds);
  return async () => {
    const bytes = await arriving.read(raw, () => readWithLimit(raw, encoding, bounds));
    return bytes.length === 0 ? undefined : parseJsonBody(bytes, { values: JSON_VALUES });
  };
}

/** Reads raw bodies, and holds of each client no more than it has room for. */
class RawBodies {
  readonly #held = new Map<string, number>();

  async read({ raw, ip }: FastifyRequest): Promise<RawBody> {
    const client = clientNetworkPrefix(ip);
    const arriving = arrivalOf(raw);
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for (let next = await arriving.next(); !next.done; next = await arriving.next()) {
        chunks.push(next.value);
        size += next.value.length;
        if (!this.#hold(client, next.value.length)) throw noRoom();
        if (size > RAW_BYTES) return { oversized: true, passing: joined(chunks, arriving) };
      }
      return { oversized: false, bytes: Buffer.concat(chunks) };
    } finally {
      this.#hold(client, -size);
    }
  }

  /** False where the client holds more than it may now. */
  #hold(client: string, bytes: number): boolean {
    const held = (this.#held.get(client) ?? 0) + bytes;
    if (held > 0) this.#held.set(client, held);
    else this.#held.delete(client);
    return held <= RAW_ROOM_BYTES;
  }
}

const noRoom = (): DomainError =>
  new DomainError('unavailable', 'Too much is arriving from this address at once.', {
    retryAfterSeconds: 5,
    headers: { Connection: 'close' },
  });

/** The body as it comes in; a sender that breaks off has sent no body. */
async function* arrivalOf(raw: FastifyRequest['raw']): AsyncGenerator<Buffer> {
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
