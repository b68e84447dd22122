import { hkdfSync, randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { FastifyCookieOptions } from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from './errors/domain-error.js';

/** Matches the expectation that Node handles itself: https://nodejs.org/api/http.html#event-checkexpectation */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** Passes requests with an unknown expectation to the hooks, because Node's own 417 has no body. */
export function acceptAllExpectHeaders(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Throws for requests that HTTP/1.1 does not allow a server to accept. Node would reject them without a body. */
export function rejectInvalidRequestHead({ raw: { httpVersion, headers } }: FastifyRequest): void {
  if (httpVersion !== '1.1') return;
  // RFC 9112, § 3.2. The connection is closed because the next request of such a client is not reliable.
  if (headers.host === undefined) {
    throw new DomainError('invalid', 'The request names no host.', { headers: { Connection: 'close' } });
  }
  // RFC 9110, § 10.1.1.
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect)) {
    throw new DomainError('expectation_failed', 'The service does not support the expectation of the request.');
  }
}

const OPERATION_ROUTES = new Set(['/api/health', '/api/health/ready', '/metrics']);

/** Answers only the probes and the metrics, as a process does that runs jobs and serves no users. */
export function serveOnlyOperation(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('onRequest', ({ routeOptions: { url = '' } }, _reply, done) => {
    if (!OPERATION_ROUTES.has(url)) throw new DomainError('not_found', 'Not found.');
    done();
  });
}

const WELL_FORMED = /^[\w.-]{8,64}$/;

/** Returns the request id of the proxy or client if it is safe in a log line, else a new one. */
export function readRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
}

const BY_ID = '/api/milestones/:id';
const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

/**
 * Restricts the release id in paths to UUIDs, because the same place in a path may be an owner:
 * `/api/milestones/acme/evidence` lists the releases of the repository `acme/evidence`.
 */
export function requireUuidInReleasePaths(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('onRoute', (route) => {
    if (route.url === BY_ID || route.url.startsWith(`${BY_ID}/`)) {
      route.url = `${BY_ID}(${UUID})${route.url.slice(BY_ID.length)}`;
    }
  });
}

/**
 * Builds the cookie options. Cookies are signed with their own key, so that no other token of the service is valid as a
 * cookie. They are parsed only on routes that need them, because most callers are programs without cookies.
 */
export const cookieOptions = (sessionSecret: string, alsoValid: string | null = null): FastifyCookieOptions => ({
  // The first key signs.
  secret: alsoValid === null ? cookieKey(sessionSecret) : [cookieKey(sessionSecret), cookieKey(alsoValid)],
  hook: false,
});

const cookieKey = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', 'shipgate cookies', 32));
