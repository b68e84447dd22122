import { createHash } from 'node:crypto';

/** Returns git's blob id of a text: the SHA-1 of its kind, its length in bytes and its content. */
export const gitBlobSha = (content: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex');

/** Returns the SHA-256 as 64 lower-case hexadecimal digits. Text is encoded as UTF-8. */
export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/**
 * Returns the stored form of a secret: the SHA-256 of all of it, including the prefix. It needs no salt and no slow
 * hash, because 256 random bits cannot be guessed, and the hash must be found by an index.
 */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();
