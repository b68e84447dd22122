import type { FastifyRequest } from 'fastify';
import type { RateLimitName } from './rate-limit.policy.js';

/** Stands for a subject that only the body tells, which was not read yet: the route counts the request once it has. */
export const TOLD_BY_BODY = Symbol('told by the body');

/** Says whose tokens a request spends: bound to a class that knows the callers of this service. */
export abstract class RateLimitSubject {
  /** A short, stable name of the repository or user that the limit counts; null where the client address stands in. */
  abstract of(name: RateLimitName, request: FastifyRequest): string | typeof TOLD_BY_BODY | null;
}
