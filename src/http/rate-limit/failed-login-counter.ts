import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { RateLimitLeases } from './rate-limit-leases.js';
import { FAILED_CREDENTIALS } from './rate-limits.js';
import { clientNetworkPrefix } from './rate-limit.service.js';

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
