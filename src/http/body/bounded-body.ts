import type { IncomingHttpHeaders } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DomainError } from '../errors/domain-error.js';

export type BodyEncoding = 'identity' | 'gzip';

export interface BodyBounds {
  /** The maximum size as received, in bytes. */
  readonly wireBytes: number;
  /** The maximum size after inflation, in bytes. */
  readonly inflatedBytes: number;
}

/** Receives the chunks of a body. An error that it throws rejects the body. */
type ChunkHandler = (chunk: Buffer) => void;

/** The maximum inflation ratio. Test reports reach a few dozen. A higher ratio is an attack. */
const MAX_INFLATION = 250;
/** The ratio is not checked below this size, where even the most repetitive body is harmless. */
const INFLATION_FREE_BYTES = 1_048_576;

const tooLarge = (limit: number): DomainError =>
  new DomainError('too_large', `The body is larger than ${limit} bytes.`);
/** Returns whether the announced length of the body exceeds the limit. */
export const isAnnouncedTooLarge = (headers: IncomingHttpHeaders, { wireBytes }: BodyBounds): boolean =>
  Number(headers['content-length'] ?? 0) > wireBytes;

/** Throws `too_large` if the announced length exceeds the limit. Does not read the body. */
export function refuseAnnouncedTooLarge(headers: IncomingHttpHeaders, bounds: BodyBounds): void {
  if (isAnnouncedTooLarge(headers, bounds)) throw tooLarge(bounds.wireBytes);
}

const tooDense = (): DomainError =>
  new DomainError('too_large', `The body inflates to more than ${MAX_INFLATION} times its size.`);
const cutShort = (cause: unknown): DomainError =>
  new DomainError('invalid', 'The body ended before it was complete.', { cause });

/** Reads the whole body. Never stores more bytes than the bounds allow. */
export async function readWithLimit(body: Readable, encoding: BodyEncoding, bounds: BodyBounds): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await pipeWithLimit(body, encoding, bounds, (chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks);
}

/**
 * Passes the chunks of the body to `take`. Beyond the bounds it rejects at once and discards the rest of the body, so
 * that a client that writes everything before it reads still gets the answer.
 */
export function pipeWithLimit(
  body: Readable,
  encoding: BodyEncoding,
  bounds: BodyBounds,
  handleChunk: ChunkHandler,
): Promise<void> {
  return encoding === 'gzip' ? inflate(body, bounds, handleChunk) : pass(body, bounds.wireBytes, handleChunk);
}

function pass(body: Readable, limit: number, handleChunk: ChunkHandler): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0;
    let rejected = false;
    body.on('data', (chunk: Buffer) => {
      if (rejected) return;
      size += chunk.length;
      try {
        if (size > limit) throw tooLarge(limit);
        handleChunk(chunk);
      } catch (error) {
        rejected = true;
        reject(error);
      }
    });
    finished(body, { writable: false }, (error) => (error ? reject(cutShort(error)) : resolve()));
  });
}

function inflate(body: Readable, { wireBytes, inflatedBytes }: BodyBounds, handleChunk: ChunkHandler): Promise<void> {
  return new Promise((resolve, reject) => {
    const gunzip = createGunzip();
    let received = 0;
    let size = 0;
    const rejectBody = (error: Error): void => {
      body.unpipe(gunzip);
      gunzip.destroy();
      body.resume();
      reject(error);
    };
    body.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > wireBytes) rejectBody(tooLarge(wireBytes));
    });
    gunzip.on('data', (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > inflatedBytes) throw tooLarge(inflatedBytes);
        if (size > INFLATION_FREE_BYTES && size > received * MAX_INFLATION) throw tooDense();
        handleChunk(chunk);
      } catch (error) {
        rejectBody(error as Error);
      }
    });
    gunzip.on('error', (cause) =>
      rejectBody(new DomainError('invalid', `The body is not valid gzip: ${cause.message}.`)),
    );
    gunzip.on('end', () => resolve());
    finished(body, { writable: false }, (error) => {
      if (error) rejectBody(cutShort(error));
    });
    body.pipe(gunzip);
  });
}

/** Returns the content encoding of the body (RFC 9110, § 8.4). */
export function bodyEncoding(headers: IncomingHttpHeaders): BodyEncoding {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return encoding;
  // RFC 9110, § 8.4.1.3: x-gzip is the same.
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip';
  throw new DomainError('unsupported_media_type', 'The body must be sent without Content-Encoding or with gzip.', {
    headers: { 'Accept-Encoding': 'gzip' },
  });
}

/** Throws unless the content type is JSON in UTF-8, the only encoding of JSON (RFC 8259, § 8.1). */
export function refuseOtherThanJson(headers: IncomingHttpHeaders): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim() !== 'application/json' || !isUtf8) {
    throw new DomainError('unsupported_media_type', 'The body must be of Content-Type: application/json.');
  }
}

/** Matches a boundary (RFC 2046, § 5.1.1), quoted or as a token. */
const BOUNDARY = /^(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+.!#$%&*^`|~-]{1,70}))$/;

/** Returns the boundary between the parts of a form (RFC 7578). */
export function multipartBoundary(headers: IncomingHttpHeaders): string {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim());
  if (type.toLowerCase() !== 'multipart/form-data') {
    throw new DomainError('unsupported_media_type', 'The body must be of Content-Type: multipart/form-data.');
  }
  const boundaries = parameters.filter((parameter) => /^boundary=/i.test(parameter));
  const [, quoted, bare] = BOUNDARY.exec(boundaries[0]?.slice('boundary='.length) ?? '') ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined || boundaries.length > 1) {
    throw new DomainError('invalid', 'Content-Type must name the boundary between the parts of the body.');
  }
  return boundary;
}
