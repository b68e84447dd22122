import { createHash } from 'node:crypto';

/** The name that git gives to a file with this text: the SHA-1 of its kind, its length in bytes and its content. */
export const gitBlobSha = (content: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex');
