import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { DomainError } from '../errors/domain-error.js';
import { type RateDecision, TokenLeases } from './rate-limit-leases.js';
import { RATE_LIMITS, type RateLimitName } from './rate-limits.js';

/**
 * Counts requests against the limits of the service, and says so in the answer. The fields are those of
 * draft-ietf-httpapi-ratelimit-headers-11: `r` is what is left and `t` the seconds until the quota `q` is whole again.
 */
@Injectable()
export class RequestLimits {
  constructor(
    private readonly leases: TokenLeases,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Counts one request. Throws `rate_limited` where the subject has nothing left. */
  async spend(name: RateLimitName, subject: string, reply: FastifyReply): Promise<void> {
    if (this.environment.rateLimits) tell(name, await this.leases.spend(RATE_LIMITS[name], subject), reply);
  }

  /** Throws `rate_limited` where this instance knows already that the subject has nothing left. Never asks the database. */
  refuseExhausted(name: RateLimitName, subject: string, reply: FastifyReply): void {
    const decision = this.environment.rateLimits ? this.leases.exhaustion(RATE_LIMITS[name], subject) : null;
    if (decision !== null) tell(name, decision, reply);
  }
}

function tell(name: RateLimitName, { allowed, remaining, resetsInSeconds }: RateDecision, reply: FastifyReply): void {
  const { limit, windowSeconds } = RATE_LIMITS[name];
  reply.headers({
    RateLimit: `"${name}";r=${remaining};t=${resetsInSeconds}`,
    'RateLimit-Policy': `"${name}";q=${limit};w=${windowSeconds}`,
  });
  if (!allowed) {
    throw new DomainError('rate_limited', `More than ${limit} requests in ${windowSeconds} seconds.`, {
      retryAfterSeconds: resetsInSeconds,
    });
  }
}
