import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { clientNetwork } from './client-address.js';
import { FAILED_CREDENTIALS } from './rate-limit.policy.js';
import { TokenLeases } from './token-leases.js';

/** Counts credentials that did not hold, so that nobody can guess them at speed from one address. */
@Injectable()
export class FailedCredentials {
  constructor(
    private readonly leases: TokenLeases,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Seconds until the address may present credentials again; null where it may now. Never asks the database. */
  blockedFor(address: string): number | null {
    return this.leases.exhaustion(FAILED_CREDENTIALS, clientNetwork(address))?.resetsInSeconds ?? null;
  }

  /** Counts one failure. Never fails itself: the caller is about to answer 401 and must be able to. */
  async record(address: string): Promise<void> {
    if (this.environment.rateLimits) await this.leases.spend(FAILED_CREDENTIALS, clientNetwork(address));
  }
}
