import type { IncomingHttpHeaders } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DomainError } from '../errors/domain-error.js';

export type BodyEncoding = 'identity' | 'gzip';

export interface BodyBounds {
  /** As it travels. */
  readonly wireBytes: number;
  /** As it is once inflated. */
  readonly inflatedBytes: number;
}

/** What is done with the bytes of a body, as they come; what it throws refuses the body. */
type Take = (chunk: Buffer) => void;

/** A body that holds more than this a byte of gzip is made to harm: reports of tests reach a few dozen. */
const MAX_INFLATION = 250;
/** Below this even the most repetitive body is harmless. */
const INFLATION_FREE_BYTES = 1_048_576;

const tooLarge = (limit: number): DomainError =>
  new DomainError('too_large', `The body is larger than ${limit} bytes.`);
/** Whether the sender says of the body itself that it is larger than it may be. */
export const isAnnouncedTooLarge = (headers: IncomingHttpHeaders, { wireBytes }: BodyBounds): boolean =>
  Number(headers['content-length'] ?? 0) > wireBytes;

/** Refuses such a body; its bytes pass by unread. */
export function refuseAnnouncedTooLarge(headers: IncomingHttpHeaders, bounds: BodyBounds): void {
  if (isAnnouncedTooLarge(headers, bounds)) throw tooLarge(bounds.wireBytes);
}

const tooDense = (): DomainError =>
  new DomainError('too_large', `The body inflates to more than ${MAX_INFLATION} times its size.`);
const cutShort = (cause: unknown): DomainError =>
  new DomainError('invalid', 'The body ended before it was complete.', { cause });

/** The body's bytes at once, never holding more than the bounds. */
export async function readWithLimit(body: Readable, encoding: BodyEncoding, bounds: BodyBounds): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await pipeWithLimit(body, encoding, bounds, (chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks);
}

/**
 * Hands on the body's bytes as they come. Past the bounds it fails at once and lets the rest of the body run into the
 * void, so that a client which writes it all before it reads still finds the answer.
 */
export function pipeWithLimit(body: Readable, encoding: BodyEncoding, bounds: BodyBounds, take: Take): Promise<void> {
  return encoding === 'gzip' ? inflate(body, bounds, take) : pass(body, bounds.wireBytes, take);
}

function pass(body: Readable, limit: number, take: Take): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0;
    let refused = false;
    body.on('data', (chunk: Buffer) => {
      if (refused) return;
      size += chunk.length;
      try {
        if (size > limit) throw tooLarge(limit);
        take(chunk);
      } catch (error) {
        refused = true;
        reject(error);
      }
    });
    finished(body, { writable: false }, (error) => (error ? reject(cutShort(error)) : resolve()));
  });
}

function inflate(body: Readable, { wireBytes, inflatedBytes }: BodyBounds, take: Take): Promise<void> {
  return new Promise((resolve, reject) => {
    const gunzip = createGunzip();
    let taken = 0;
    let size = 0;
    const refuse = (error: Error): void => {
      body.unpipe(gunzip);
      gunzip.destroy();
      body.resume();
      reject(error);
    };
    body.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      if (taken > wireBytes) refuse(tooLarge(wireBytes));
    });
    gunzip.on('data', (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > inflatedBytes) throw tooLarge(inflatedBytes);
        if (size > INFLATION_FREE_BYTES && size > taken * MAX_INFLATION) throw tooDense();
        take(chunk);
      } catch (error) {
        refuse(error as Error);
      }
    });
    gunzip.on('error', (cause) => refuse(new DomainError('invalid', `The body is not valid gzip: ${cause.message}.`)));
    gunzip.on('end', () => resolve());
    finished(body, { writable: false }, (error) => {
      if (error) refuse(cutShort(error));
    });
    body.pipe(gunzip);
  });
}

/** How a body was encoded for its way (RFC 9110, § 8.4). */
export function bodyEncoding(headers: IncomingHttpHeaders): BodyEncoding {
  const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return encoding;
  // RFC 9110, § 8.4.1.3: x-gzip is the same.
  if (encoding === 'gzip' || encoding === 'x-gzip') return 'gzip';
  throw new DomainError('unsupported_media_type', 'The body must be sent as it is or with Content-Encoding: gzip.', {
    headers: { 'Accept-Encoding': 'gzip' },
  });
}

/** JSON in UTF-8, which is the only encoding that it has (RFC 8259, § 8.1). */
export function refuseOtherThanJson(headers: IncomingHttpHeaders): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim() !== 'application/json' || !isUtf8) {
    throw new DomainError('unsupported_media_type', 'The body must be of Content-Type: application/json.');
  }
}

/** RFC 2046, § 5.1.1, in quotes or as a token. */
const BOUNDARY = /^(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+.!#$%&*^`|~-]{1,70}))$/;

/** What stands between the parts of a form (RFC 7578). */
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
