import { finished, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DomainError } from '../domain-error.js';

export interface BodyBounds {
  /** As it travels. */
  readonly wireBytes: number;
  /** As it is once inflated. */
  readonly inflatedBytes: number;
}

/** A body that holds more than this a byte of gzip is made to harm: reports of tests reach a few dozen. */
const MAX_INFLATION = 250;
/** Below this even the most repetitive body is harmless. */
const INFLATION_FREE_BYTES = 1_048_576;

const tooLarge = (limit: number): DomainError =>
  new DomainError('too_large', `The body is larger than ${limit} bytes.`);
const tooDense = (): DomainError =>
  new DomainError('too_large', `The body inflates to more than ${MAX_INFLATION} times its size.`);
const cutShort = (cause: unknown): DomainError =>
  new DomainError('invalid', 'The body ended before it was complete.', { cause });

/**
 * The body's bytes, never holding more than the bounds. Past them it fails at once and lets the rest of the body run
 * into the void, so that a client which writes it all before it reads still finds the answer.
 */
export function readBounded(body: Readable, encoding: 'identity' | 'gzip', bounds: BodyBounds): Promise<Buffer> {
  return encoding === 'gzip' ? inflate(body, bounds) : collect(body, bounds.wireBytes);
}

function collect(body: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      reject(tooLarge(limit));
    });
    finished(body, { writable: false }, (error) => (error ? reject(cutShort(error)) : resolve(Buffer.concat(chunks))));
  });
}

function inflate(body: Readable, { wireBytes, inflatedBytes }: BodyBounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gunzip = createGunzip();
    const chunks: Buffer[] = [];
    let taken = 0;
    let size = 0;
    const refuse = (error: DomainError): void => {
      body.unpipe(gunzip);
      gunzip.destroy();
      body.resume();
      chunks.length = 0;
      reject(error);
    };
    body.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      if (taken > wireBytes) refuse(tooLarge(wireBytes));
    });
    gunzip.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > inflatedBytes) refuse(tooLarge(inflatedBytes));
      else if (size > INFLATION_FREE_BYTES && size > taken * MAX_INFLATION) refuse(tooDense());
      else chunks.push(chunk);
    });
    gunzip.on('error', (cause) => refuse(new DomainError('invalid', `The body is not valid gzip: ${cause.message}.`)));
    gunzip.on('end', () => resolve(Buffer.concat(chunks)));
    finished(body, { writable: false }, (error) => {
      if (error) refuse(cutShort(error));
    });
    body.pipe(gunzip);
  });
}
