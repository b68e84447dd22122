import { CanActivate, ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { DomainError } from '../domain-error.js';
import { clientNetwork } from './client-address.js';
import { RATE_LIMITS } from './rate-limit.policy.js';
import { RateLimitSubject } from './rate-limit-subject.js';
import { RateLimited } from './rate-limited.decorator.js';
import { TokenLeases } from './token-leases.js';

/**
 * Holds routes to their `@RateLimited` policy, after the access guard has said who calls. The fields are those of
 * draft-ietf-httpapi-ratelimit-headers-11: `r` is what is left and `t` the seconds until the quota `q` is whole again.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly leases: TokenLeases,
    private readonly subjects: RateLimitSubject,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const name = this.reflector.getAllAndOverride(RateLimited, [context.getHandler(), context.getClass()]);
    if (name === undefined || !this.environment.rateLimits) return true;
    const policy = RATE_LIMITS[name];
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const subject = this.subjects.of(name, request) ?? clientNetwork(request.ip);
    const { allowed, remaining, resetsInSeconds } = await this.leases.spend(policy, subject);
    http.getResponse<FastifyReply>().headers({
      RateLimit: `"${name}";r=${remaining};t=${resetsInSeconds}`,
      'RateLimit-Policy': `"${name}";q=${policy.limit};w=${policy.windowSeconds}`,
    });
    if (!allowed) {
      throw new DomainError('rate_limited', `More than ${policy.limit} requests in ${policy.windowSeconds} seconds.`, {
        retryAfterSeconds: resetsInSeconds,
      });
    }
    return true;
  }
}
