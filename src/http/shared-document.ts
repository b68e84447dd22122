import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { HttpStatus } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../crypto/digests.js';

type Encoding = 'br' | 'gzip' | 'identity';

/** Few documents are sent often: each is worth some time once, and none of it on the thread that answers. */
const COMPRESS: Readonly<Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/**
 * A document that is the same for everybody. It is made once, and all who ask are sent the same buffer, compressed where they
 * take that: however many do not read it, it is in memory once.
 */
export class SharedDocument {
  readonly #made = new Map<Encoding, Promise<Buffer>>();
  readonly #digest: string;

  constructor(text: string) {
    const bytes = Buffer.from(text);
    this.#digest = sha256(bytes);
    this.#made.set('identity', Promise.resolve(bytes));
  }

  /** What is sent to this request, with the headers that go with it; null where its sender has it already. */
  async answer({ headers }: FastifyRequest, reply: FastifyReply): Promise<Buffer | null> {
    const encoding = encodingFor(headers['accept-encoding'] ?? '');
    reply.headers({ ETag: this.#tagOf(encoding), Vary: 'Accept-Encoding' });
    if (this.#isKnown(headers['if-none-match'] ?? '')) {
      reply.status(HttpStatus.NOT_MODIFIED);
      // And not an empty text, whose length would be told as the document's (RFC 9110, § 8.6).
      return null;
    }
    if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
    return this.#as(encoding);
  }

  #as(encoding: Encoding): Promise<Buffer> {
    const made = this.#made.get(encoding) ?? this.#as('identity').then(COMPRESS[encoding as keyof typeof COMPRESS]);
    this.#made.set(encoding, made);
    return made;
  }

  /** Another one for each encoding (RFC 9110, § 8.8.3.3). */
  #tagOf(encoding: Encoding): string {
    return encoding === 'identity' ? `"${this.#digest}"` : `"${this.#digest}-${encoding}"`;
  }

  /** Also where a proxy has made it a weak one, or the browser knows several (RFC 9110, § 13.1.2). */
  #isKnown(ifNoneMatch: string): boolean {
    const encodings: readonly Encoding[] = ['identity', 'gzip', 'br'];
    return ifNoneMatch.trim() === '*' || encodings.some((encoding) => ifNoneMatch.includes(this.#tagOf(encoding)));
  }
}

/** The best that the sender takes (RFC 9110, § 12.5.3); what is named with a weight of zero is refused. */
function encodingFor(acceptEncoding: string): Encoding {
  const taken = acceptEncoding
    .toLowerCase()
    .split(',')
    .filter((item) => !/;\s*q=0(?:\.0*)?\s*$/.test(item))
    .map((item) => item.split(';', 1)[0]?.trim());
  return (['br', 'gzip'] as const).find((encoding) => taken.includes(encoding)) ?? 'identity';
}
