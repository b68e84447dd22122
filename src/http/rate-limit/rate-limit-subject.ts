import type { FastifyRequest } from 'fastify';
import type { RateLimitName } from './rate-limits.js';

/** Whose tokens of which limit a request spends. */
export interface RateLimitCount {
  readonly name: RateLimitName;
  /** A short, stable name of the repository, key or user that the limit counts. */
  readonly subject: string;
  /**
   * `later`: it is not known yet whether the subject exists. The guard refuses where it has nothing left and counts
   * nothing; the route counts the request once it knows.
   */
  readonly counted: 'now' | 'later';
}

/** Says whose tokens a request spends: bound to a class that knows the callers of this service. */
export abstract class RateLimitSubject {
  /** What is counted of a request to a route with this limit; null where the client address stands in. */
  abstract of(name: RateLimitName, request: FastifyRequest): RateLimitCount | null;
}
