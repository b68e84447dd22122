import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetworkPrefix, RateLimitService } from './rate-limit.service.js';
import type { RateLimitName } from './rate-limits.js';
import { UntrustedForwarders } from './untrusted-forwarders.js';

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

/** Counts a route's requests against a limit of `RATE_LIMITS`, per client address, repository or user as it demands. */
export const RateLimited = Reflector.createDecorator<RateLimitName>();

/** Holds routes to their `@RateLimited` policy, after the access guard has said who calls and before a body is read. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimitService,
    private readonly subjects: RateLimitSubject,
    private readonly forwarders: UntrustedForwarders,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const name = this.reflector.getAllAndOverride(RateLimited, [context.getHandler(), context.getClass()]);
    if (name === undefined) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    this.forwarders.note(request);
    const count = this.subjects.of(name, request);
    if (count === null) await this.limits.consume(name, clientNetworkPrefix(request.ip), reply);
    else if (count.counted === 'now') await this.limits.consume(count.name, count.subject, reply);
    else this.limits.assertNotExhausted(count.name, count.subject, reply);
    return true;
  }
}
