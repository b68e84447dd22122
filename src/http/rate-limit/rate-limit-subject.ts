import type { FastifyRequest } from 'fastify';
import type { RateLimitName } from './rate-limit.policy.js';

/** Says whose tokens a request spends: bound to a class that knows the callers of this service. */
export abstract class RateLimitSubject {
  /** A short, stable name of the repository or user that the limit counts; null where the client address stands in. */
  abstract of(name: RateLimitName, request: FastifyRequest): string | null;
}
