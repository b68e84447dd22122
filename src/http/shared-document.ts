import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { HttpStatus } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../crypto/digests.js';

type Encoding = 'br' | 'gzip' | 'identity';

/** The compressors. Each document is compressed only once and is sent often, and the work runs on another thread. */
const COMPRESS: Readonly<Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/**
 * A document that is the same for all callers. It is built once and all callers get the same buffer, compressed if they
 * accept it, so that many slow readers need its memory only once.
 */
export class SharedDocument {
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();
  readonly #digest: string;

  /** A document that is compressed already, such as an archive, is sent as it is. */
  constructor(
    content: string | Buffer,
    private readonly isCompressed = false,
  ) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.#digest = sha256(bytes);
    this.#encoded.set('identity', Promise.resolve(bytes));
  }

  /** Returns the answer to this request and sets its headers. Null if the client has the current version already. */
  async answer({ headers }: FastifyRequest, reply: FastifyReply): Promise<Buffer | null> {
    const encoding = this.isCompressed ? 'identity' : selectEncoding(headers['accept-encoding'] ?? '');
    reply.headers({ ETag: this.#entityTag(encoding), Vary: 'Accept-Encoding' });
    if (this.#isKnown(headers['if-none-match'] ?? '')) {
      reply.status(HttpStatus.NOT_MODIFIED);
      // Null instead of an empty text, whose length would be sent as the length of the document (RFC 9110, § 8.6).
      return null;
    }
    if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
    return this.#encode(encoding);
  }

  #encode(encoding: Encoding): Promise<Buffer> {
    const result =
      this.#encoded.get(encoding) ?? this.#encode('identity').then(COMPRESS[encoding as keyof typeof COMPRESS]);
    this.#encoded.set(encoding, result);
    return result;
  }

  /** Each encoding has its own tag (RFC 9110, § 8.8.3.3). */
  #entityTag(encoding: Encoding): string {
    return encoding === 'identity' ? `"${this.#digest}"` : `"${this.#digest}-${encoding}"`;
  }

  /** Also accepts weak tags from a proxy and lists of tags (RFC 9110, § 13.1.2). */
  #isKnown(ifNoneMatch: string): boolean {
    const encodings: readonly Encoding[] = ['identity', 'gzip', 'br'];
    return ifNoneMatch.trim() === '*' || encodings.some((encoding) => ifNoneMatch.includes(this.#entityTag(encoding)));
  }
}

/**
 * Returns the best encoding that the client accepts (RFC 9110, § 12.5.3). A weight of zero means that the client does
 * not accept it.
 */
function selectEncoding(acceptEncoding: string): Encoding {
  const accepted = acceptEncoding
    .toLowerCase()
    .split(',')
    .filter((item) => !/;\s*q=0(?:\.0*)?\s*$/.test(item))
    .map((item) => item.split(';', 1)[0]?.trim());
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding)) ?? 'identity';
}
