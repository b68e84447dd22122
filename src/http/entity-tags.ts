import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { sha256 } from '../crypto/digests.js';

const OK = 200;
const NOT_MODIFIED = 304;

declare module 'fastify' {
  interface FastifyContextConfig {
    revalidated?: boolean;
  }
}

/** Tags the pages of a list, so that a client can check with `If-None-Match` whether its copy of a page is current. */
export const Revalidated = (): MethodDecorator => RouteConfig({ revalidated: true });

/**
 * Tags the pages of revalidated lists, and answers 304 to a request that names the tag of the page (RFC 9110, § 13.1.2). The page is
 * read in any case, so a 304 saves only its transfer. Complete lists are streams and have no tag. No cache may store the page: a client
 * holds it in its memory.
 */
export function tagRevalidatedLists(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isRevalidated = request.method === 'GET' && request.routeOptions.config.revalidated === true;
    if (!isRevalidated || reply.statusCode !== OK || typeof payload !== 'string') {
      done(null, payload);
      return;
    }
    const tag = `"${sha256(payload)}"`;
    // A weak tag, because it does not identify an encoding that a proxy applies.
    reply.header('ETag', `W/${tag}`);
    if (!isKnown(request.headers['if-none-match'] ?? '', tag)) {
      done(null, payload);
      return;
    }
    reply.status(NOT_MODIFIED).removeHeader('content-type');
    // Null instead of an empty text, whose length would be sent as the length of the page (RFC 9110, § 8.6).
    done(null, null);
  });
}

/** Compares weakly, with each tag of the list (RFC 9110, § 8.8.3.2). */
const isKnown = (ifNoneMatch: string, tag: string): boolean =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((known) => known.trim().replace(/^W\//, '') === tag);
