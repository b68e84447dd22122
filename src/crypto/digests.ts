import { createHash } from 'node:crypto';

/** The name that git gives to a file with this text: the SHA-1 of its kind, its length in bytes and its content. */
export const gitBlobSha = (content: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex');

/** SHA-256 as 64 lower-case hexadecimal digits; text is taken as UTF-8. */
export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/**
 * What is stored of a secret: SHA-256 over all of it, prefix included. No salt and no slow hash, because 256 random bits
 * cannot be guessed, and the hash must be found by an index.
 */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();
