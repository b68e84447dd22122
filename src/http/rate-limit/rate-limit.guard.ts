import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientNetworkPrefix, RateLimitService } from './rate-limit.service.js';
import type { RateLimitName } from './rate-limits.js';
import { UntrustedForwarders } from './untrusted-forwarders.js';

/** The limit and the subject that a request counts against. */
export interface RateLimitCount {
  readonly name: RateLimitName;
  /** A short, stable name of the repository, key or user that the limit counts. */
  readonly subject: string;
  /**
   * `later`: it is not known yet whether the subject exists. The guard only rejects an exhausted subject. The route
   * counts the request when it has found the subject.
   */
  readonly counted: 'now' | 'later';
}

/** Determines the subject of a request. Bound to a class that knows the callers of the service. */
export abstract class RateLimitKeyProvider {
  /** Returns the count of a request to a route with this limit. Null if the client address is counted instead. */
  abstract findCount(name: RateLimitName, request: FastifyRequest): RateLimitCount | null;
}

/** Applies a limit of `RATE_LIMITS` to a route, per client address, repository or user. */
export const RateLimited = Reflector.createDecorator<RateLimitName>();

/**
 * Applies the `@RateLimited` policy of a route, after the access guard has identified the caller and before the body is
 * read.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimitService,
    private readonly subjects: RateLimitKeyProvider,
    private readonly forwarders: UntrustedForwarders,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const name = this.reflector.getAllAndOverride(RateLimited, [context.getHandler(), context.getClass()]);
    if (name === undefined) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    this.forwarders.note(request);
    const count = this.subjects.findCount(name, request);
    if (count === null) await this.limits.consume(name, clientNetworkPrefix(request.ip), reply);
    else if (count.counted === 'now') await this.limits.consume(count.name, count.subject, reply);
    else this.limits.assertNotExhausted(count.name, count.subject, reply);
    return true;
  }
}
