import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import ipaddr from 'ipaddr.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { DomainError } from '../errors/domain-error.js';
import { type RateDecision, RateLimitLeases } from './rate-limit-leases.js';
import { FAILED_CREDENTIALS, RATE_LIMITS, type RateLimitName } from './rate-limits.js';

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

/**
 * Counts failed credentials: each one, and the number of different ones per address. It affects only failures. A valid
 * credential is always accepted.
 */
@Injectable()
export class FailedLoginCounter {
  constructor(
    private readonly leases: RateLimitLeases,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Returns the seconds until this credential is checked again after too many failures. Null if it may be checked now.
   * Never queries the database.
   */
  retryAfterSeconds(address: string, credential: string): number | null {
    const network = clientNetworkPrefix(address);
    // Few addresses have failures, and without one the digest is not needed.
    if (!this.leases.isCounted(FAILED_CREDENTIALS, network)) return null;
    return this.leases.findExhausted(FAILED_CREDENTIALS, toSubject(network, credential))?.resetsInSeconds ?? null;
  }

  /**
   * Returns whether the address has presented so many different failed credentials that its next ones are checked
   * slowly.
   */
  isSuspect(address: string): boolean {
    return this.leases.findExhausted(FAILED_CREDENTIALS, clientNetworkPrefix(address)) !== null;
  }

  /**
   * Counts one failure. Returns null if the caller may get the real answer, else the seconds until the next try. Never
   * throws, because the caller is about to be rejected anyway.
   */
  async record(address: string, credential: string): Promise<number | null> {
    if (!this.environment.rateLimits) return null;
    const network = clientNetworkPrefix(address);
    const subject = toSubject(network, credential);
    if (!this.leases.isCounted(FAILED_CREDENTIALS, subject)) {
      // A new credential is counted separately only while its address is below the limit, so that a flood of
      // credentials is not stored.
      const { allowed, resetsInSeconds } = await this.leases.consume(FAILED_CREDENTIALS, network);
      if (!allowed) return resetsInSeconds;
    }
    const { allowed, resetsInSeconds } = await this.leases.consume(FAILED_CREDENTIALS, subject);
    return allowed ? null : resetsInSeconds;
  }
}

/** Builds the subject with a digest, because the credential must not be stored. */
const toSubject = (network: string, credential: string): string =>
  `${network}:${createHash('sha256').update(credential).digest('base64url')}`;
