import { hkdfSync, randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { FastifyCookieOptions } from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from './errors/domain-error.js';

/** What Node takes for the expectation that it meets by itself: https://nodejs.org/api/http.html#event-checkexpectation */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** Has a request with an expectation that Node does not know come to the hooks like any other; Node's own 417 has no body. */
export function acceptAllExpectHeaders(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Refuses what HTTP/1.1 forbids to serve, and Node would refuse without a word if it were left to it. */
export function rejectInvalidRequestHead({ raw: { httpVersion, headers } }: FastifyRequest): void {
  if (httpVersion !== '1.1') return;
  // RFC 9112, § 3.2. Nobody knows what such a client sends next on its connection.
  if (headers.host === undefined) {
    throw new DomainError('invalid', 'The request names no host.', { headers: { Connection: 'close' } });
  }
  // RFC 9110, § 10.1.1.
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect)) {
    throw new DomainError('expectation_failed', 'The request expects what this service does not do.');
  }
}

const WELL_FORMED = /^[\w.-]{8,64}$/;

/** The id that a proxy or client gave the request, where it is fit to stand in a log line; else a new one. */
export function readRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
}

const BY_ID = '/api/milestones/:id';
const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

/**
 * Lets the id of a release in a path be a UUID and nothing else. What follows an id may also be a repository's name behind
 * its owner's: `/api/milestones/acme/evidence` lists the releases of a repository that is called so.
 */
export function requireUuidInReleasePaths(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('onRoute', (route) => {
    if (route.url === BY_ID || route.url.startsWith(`${BY_ID}/`)) {
      route.url = `${BY_ID}(${UUID})${route.url.slice(BY_ID.length)}`;
    }
  });
}

/**
 * How cookies are signed: under a key for nothing else, so that no other token of the service is taken for one. They are
 * read where a route asks for them, since most routes are called by programs that have none.
 */
export const cookieOptions = (sessionSecret: string): FastifyCookieOptions => ({
  secret: Buffer.from(hkdfSync('sha256', sessionSecret, '', 'shipgate cookies', 32)),
  hook: false,
});
