import type { Server } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { DomainError } from './errors/domain-error.js';

/** What Node takes for the expectation that it meets by itself: https://nodejs.org/api/http.html#event-checkexpectation */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** Has a request with an expectation that Node does not know come to the hooks like any other; Node's own 417 has no body. */
export function takeEveryExpectation(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Refuses what HTTP/1.1 forbids to serve, and Node would refuse without a word if it were left to it. */
export function refuseUnservableHead({ raw: { httpVersion, headers } }: FastifyRequest): void {
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
