import { createHash } from 'node:crypto';

/**
 * What is stored of a secret: SHA-256 over all of it, prefix included. No salt and no slow hash, because 256 random bits
 * cannot be guessed, and the hash must be found by an index.
 */
export const secretHash = (secret: string): Buffer => createHash('sha256').update(secret).digest();
