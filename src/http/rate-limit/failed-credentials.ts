import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { clientNetwork } from './client-address.js';
import { TokenLeases } from './rate-limit-leases.js';
import { FAILED_CREDENTIALS } from './rate-limits.js';

/**
 * Counts credentials that did not hold: each by itself, and how many different ones an address has presented. Only
 * failures are refused by it: a credential that holds is let in, whatever else its address presents.
 */
@Injectable()
export class FailedCredentials {
  constructor(
    private readonly leases: TokenLeases,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Seconds until this credential is judged again, which has failed too often; null where it may be. Never asks the database. */
  blockedFor(address: string, credential: string): number | null {
    const network = clientNetwork(address);
    // Hardly an address has failures, and a digest is not worth making where none can have been counted.
    if (!this.leases.isCounted(FAILED_CREDENTIALS, network)) return null;
    return this.leases.exhaustion(FAILED_CREDENTIALS, subjectOf(network, credential))?.resetsInSeconds ?? null;
  }

  /** Whether the address has presented so many different credentials that failed that its next ones are judged slowly. */
  isSuspect(address: string): boolean {
    return this.leases.exhaustion(FAILED_CREDENTIALS, clientNetwork(address)) !== null;
  }

  /**
   * Counts one failure. Null where the caller may be told of it; else the seconds until they may try again. Never fails
   * itself: the caller is about to be refused in any case.
   */
  async record(address: string, credential: string): Promise<number | null> {
    if (!this.environment.rateLimits) return null;
    const network = clientNetwork(address);
    const subject = subjectOf(network, credential);
    if (!this.leases.isCounted(FAILED_CREDENTIALS, subject)) {
      // Another one: counted by itself only while its address may have more, so that a flood of them is not stored.
      const { allowed, resetsInSeconds } = await this.leases.spend(FAILED_CREDENTIALS, network);
      if (!allowed) return resetsInSeconds;
    }
    const { allowed, resetsInSeconds } = await this.leases.spend(FAILED_CREDENTIALS, subject);
    return allowed ? null : resetsInSeconds;
  }
}

/** The credential itself is stored nowhere. */
const subjectOf = (network: string, credential: string): string =>
  `${network}:${createHash('sha256').update(credential).digest('base64url')}`;
