import { isIPv4, isIPv6 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import ipaddr from 'ipaddr.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { DomainError } from '../errors/domain-error.js';
import { type RateDecision, RateLimitLeases } from './rate-limit-leases.js';
import { RATE_LIMITS, type RateLimitName } from './rate-limits.js';

/**
 * Counts requests against the limits of the service and sets the headers of the answer. The fields are those of
 * draft-ietf-httpapi-ratelimit-headers-11: `r` is the remaining number and `t` the seconds until the quota `q` is
 * reset.
 */
@Injectable()
export class RateLimitService {
  constructor(
    private readonly leases: RateLimitLeases,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Counts one request. Throws `rate_limited` if the subject has no tokens left. */
  async consume(name: RateLimitName, subject: string, reply: FastifyReply): Promise<void> {
    if (this.environment.rateLimits) applyDecision(name, await this.leases.consume(RATE_LIMITS[name], subject), reply);
  }

  /** Throws `rate_limited` if this instance knows that the subject has no tokens left. Never queries the database. */
  assertNotExhausted(name: RateLimitName, subject: string, reply: FastifyReply): void {
    const decision = this.environment.rateLimits ? this.leases.findExhausted(RATE_LIMITS[name], subject) : null;
    if (decision !== null) applyDecision(name, decision, reply);
  }
}

function applyDecision(
  name: RateLimitName,
  { allowed, remaining, resetsInSeconds }: RateDecision,
  reply: FastifyReply,
): void {
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

/**
 * Returns the part of an address that identifies one client: the whole IPv4 address, or the first 64 bits of an IPv6
 * address, because one machine often has a whole /64 (RFC 6177).
 */
export function clientNetworkPrefix(address: string): string {
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return 'unknown';
  const client = ipaddr.process(address);
  if (client instanceof ipaddr.IPv4) return client.toString();
  return `${client.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
