import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Environment } from '../../config/environment.js';
import { DomainError } from '../domain-error.js';
import { encodingOf, refuseOtherThanJson } from './body-headers.js';
import type { BodyKind } from './body-kind.js';
import { type BodyBounds, readBounded, tooLarge } from './bounded-bytes.js';
import { parseJsonBody } from './json-body.js';
import { LateBody } from './late-body.js';
import type { RawBody } from './raw-body.js';
import { UnreadForm } from './unread-form.js';

/** Bodies of requests that carry no evidence. */
const JSON_BYTES = 262_144;
/** GitHub's deliveries may be up to 25 MB; the service keeps none that is larger than this. */
const RAW_BYTES = 1_048_576;

type ParsedKind = Exclude<BodyKind, 'raw'>;

/** Makes this the only reader of bodies: what a route does not declare to take, nothing reads. */
export function useBodyParser(fastify: FastifyInstance, { limits }: Environment): void {
  const bounds: Record<ParsedKind, BodyBounds> = {
    json: { wireBytes: JSON_BYTES, inflatedBytes: JSON_BYTES },
    upload: { wireBytes: limits.jsonUploadBytes, inflatedBytes: limits.inflatedBytes },
    form: { wireBytes: limits.uploadBytes, inflatedBytes: limits.inflatedBytes },
  };
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', async (request: FastifyRequest): Promise<unknown> => {
    // Where there is no route nobody takes the body, and that there is none is all that there is to say.
    if (request.is404) return void request.raw.resume();
    const kind = request.routeOptions.config.body ?? 'json';
    if (kind === 'upload') return lateJson(request, bounds.upload);
    if (kind === 'form') return new UnreadForm(request, bounds.form);
    return kind === 'raw' ? readRaw(request) : readJson(request, bounds[kind]);
  });
}

/** Refused by its headers at once, while the sender listens, and read only once somebody has been let in with it. */
function lateJson(request: FastifyRequest, bounds: BodyBounds): LateBody | undefined {
  // Who presents nothing is refused by the access guard, whatever they send.
  if (request.headers.authorization === undefined) {
    request.raw.resume();
    return undefined;
  }
  const read = jsonReaderOf(request, bounds);
  return read ? new LateBody(read) : undefined;
}

const readJson = async (request: FastifyRequest, bounds: BodyBounds): Promise<unknown> =>
  jsonReaderOf(request, bounds)?.();

/** What reads the body; null where there is none. Refuses what its headers say already. */
function jsonReaderOf({ raw, headers }: FastifyRequest, bounds: BodyBounds): (() => Promise<unknown>) | null {
  const encoding = encodingOf(headers);
  // A body of no bytes is no body, whatever type it claims: clients that always send a type exist.
  if (headers['content-length'] === '0') return null;
  refuseOtherThanJson(headers);
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > bounds.wireBytes) {
    raw.resume();
    throw tooLarge(bounds.wireBytes);
  }
  return async () => {
    const bytes = await readBounded(raw, encoding, bounds);
    return bytes.length === 0 ? undefined : parseJsonBody(bytes);
  };
}

async function readRaw({ raw }: FastifyRequest): Promise<RawBody> {
  const arriving = arrivalOf(raw);
  const chunks: Buffer[] = [];
  let size = 0;
  for (let next = await arriving.next(); !next.done; next = await arriving.next()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > RAW_BYTES) return { oversized: true, passing: joined(chunks, arriving) };
  }
  return { oversized: false, bytes: Buffer.concat(chunks) };
}

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
