import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { DomainError } from '../errors/domain-error.js';
import { type RateDecision, RateLimitLeases } from './rate-limit-leases.js';
import { FAILED_CREDENTIALS, RATE_LIMITS, type RateLimitName } from './rate-limits.js';

/**
 * Counts requests against the limits of the service, and says so in the answer. The fields are those of
 * draft-ietf-httpapi-ratelimit-headers-11: `r` is what is left and `t` the seconds until the quota `q` is whole again.
 */
@Injectable()
export class RateLimitService {
  constructor(
    private readonly leases: RateLimitLeases,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Counts one request. Throws `rate_limited` where the subject has nothing left. */
  async consume(name: RateLimitName, subject: string, reply: FastifyReply): Promise<void> {
    if (this.environment.rateLimits) tell(name, await this.leases.consume(RATE_LIMITS[name], subject), reply);
  }

  /** Throws `rate_limited` where this instance knows already that the subject has nothing left. Never asks the database. */
  assertNotExhausted(name: RateLimitName, subject: string, reply: FastifyReply): void {
    const decision = this.environment.rateLimits ? this.leases.findExhausted(RATE_LIMITS[name], subject) : null;
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

/**
 * The part of an address that stands for one client: an IPv4 address whole, of an IPv6 address the first 64 bits,
 * because a single host commonly holds a whole /64 (RFC 6177).
 */
export function clientNetworkPrefix(address: string): string {
  const bare = address.split('%', 1)[0] ?? '';
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return 'unknown';
  const groups = expand(bare);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [groups[6], groups[7]].flatMap((group = 0) => [group >> 8, group & 0xff]).join('.');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight 16-bit groups of a valid IPv6 address, also where its tail is written as IPv4 (RFC 4291, § 2.2). */
function expand(address: string): number[] {
  const [head = '', tail] = address.split('::', 2);
  const left = groupsOf(head);
  if (tail === undefined) return left;
  const right = groupsOf(tail);
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

function groupsOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!isIPv4(group)) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}

/**
 * Counts credentials that did not hold: each by itself, and how many different ones an address has presented. Only
 * failures are refused by it: a credential that holds is let in, whatever else its address presents.
 */
@Injectable()
export class FailedLoginCounter {
  constructor(
    private readonly leases: RateLimitLeases,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Seconds until this credential is judged again, which has failed too often; null where it may be. Never asks the database. */
  retryAfterSeconds(address: string, credential: string): number | null {
    const network = clientNetworkPrefix(address);
    // Hardly an address has failures, and a digest is not worth making where none can have been counted.
    if (!this.leases.isCounted(FAILED_CREDENTIALS, network)) return null;
    return this.leases.findExhausted(FAILED_CREDENTIALS, subjectOf(network, credential))?.resetsInSeconds ?? null;
  }

  /** Whether the address has presented so many different credentials that failed that its next ones are judged slowly. */
  isSuspect(address: string): boolean {
    return this.leases.findExhausted(FAILED_CREDENTIALS, clientNetworkPrefix(address)) !== null;
  }

  /**
   * Counts one failure. Null where the caller may be told of it; else the seconds until they may try again. Never fails
   * itself: the caller is about to be refused in any case.
   */
  async record(address: string, credential: string): Promise<number | null> {
    if (!this.environment.rateLimits) return null;
    const network = clientNetworkPrefix(address);
    const subject = subjectOf(network, credential);
    if (!this.leases.isCounted(FAILED_CREDENTIALS, subject)) {
      // Another one: counted by itself only while its address may have more, so that a flood of them is not stored.
      const { allowed, resetsInSeconds } = await this.leases.consume(FAILED_CREDENTIALS, network);
      if (!allowed) return resetsInSeconds;
    }
    const { allowed, resetsInSeconds } = await this.leases.consume(FAILED_CREDENTIALS, subject);
    return allowed ? null : resetsInSeconds;
  }
}

/** The credential itself is stored nowhere. */
const subjectOf = (network: string, credential: string): string =>
  `${network}:${createHash('sha256').update(credential).digest('base64url')}`;
