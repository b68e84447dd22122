import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Environment } from '../../config/environment.js';
import { DomainError } from '../domain-error.js';
import type { ArrivingBodies } from './arriving-bodies.js';
import { encodingOf, refuseOtherThanJson } from './body-headers.js';
import type { BodyKind } from './body-kind.js';
import { type BodyBounds, readBounded, tooLarge } from './bounded-bytes.js';
import { parseJsonBody } from './json-body.js';
import { LateBody } from './late-body.js';
import type { RawBody } from './raw-body.js';
import { UnreadForm } from './unread-form.js';
import { UnreadJson } from './unread-json.js';

/** Bodies of requests that carry no evidence. */
const JSON_BYTES = 262_144;
/** No route takes more; each value costs the validation far more than its bytes do. */
const JSON_VALUES = 2_000;
/** GitHub's deliveries may be up to 25 MB; the service keeps none that is larger than this. */
const RAW_BYTES = 1_048_576;

type ParsedKind = Exclude<BodyKind, 'raw'>;

/** Makes this the only reader of bodies: what a route does not declare to take, nothing reads. */
export function useBodyParser(fastify: FastifyInstance, { limits }: Environment, arriving: ArrivingBodies): void {
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
    // It will be refused, whoever it is of. Were it left, a sender who writes on would find the connection cut before the answer.
    if (kind !== 'raw' && Number(request.headers['content-length'] ?? 0) > bounds[kind].wireBytes) request.raw.resume();
    if (kind === 'upload') return new UnreadJson(request, bounds.upload, arriving);
    if (kind === 'form') return new UnreadForm(request, bounds.form, arriving);
    if (kind === 'raw') return arriving.read(request.raw, () => readRaw(request));
    return lateJson(request, bounds.json, arriving);
  });
}

/** Read, or refused by its headers, once somebody has been let in with it: others learn nothing of their body. */
function lateJson(request: FastifyRequest, bounds: BodyBounds, arriving: ArrivingBodies): LateBody | undefined {
  try {
    const read = jsonReaderOf(request, bounds, arriving);
    return read ? new LateBody(read) : undefined;
  } catch (refusal) {
    return new LateBody(() => Promise.reject(refusal));
  }
}

/** The reading of the body; null where there is none. Refuses what its headers say already. */
function jsonReaderOf(
  { raw, headers }: FastifyRequest,
  bounds: BodyBounds,
  arriving: ArrivingBodies,
): (() => Promise<unknown>) | null {
  const encoding = encodingOf(headers);
  // A body of no bytes is no body, whatever type it claims: clients that always send a type exist.
  if (headers['content-length'] === '0') return null;
  refuseOtherThanJson(headers);
  if (Number(headers['content-length'] ?? 0) > bounds.wireBytes) throw tooLarge(bounds.wireBytes);
  return async () => {
    const bytes = await arriving.read(raw, () => readBounded(raw, encoding, bounds));
    return bytes.length === 0 ? undefined : parseJsonBody(bytes, { values: JSON_VALUES });
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
