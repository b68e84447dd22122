import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { TokenLeases } from '../../http/rate-limit/rate-limit-leases.js';
import type { RateLimitPolicy } from '../../http/rate-limit/rate-limits.js';

/** More than anybody needs who installs the app, and little of the budget that GitHub gives the app for everybody. */
const POLICY: RateLimitPolicy = { name: 'installation-look-ups', limit: 6, windowSeconds: 60 };

/** Counts how often each person has the host asked for an installation: the id is theirs to make up. */
@Injectable()
export class InstallationLookUps {
  constructor(
    private readonly leases: TokenLeases,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Counts one question. Throws `rate_limited` where the person has asked too often. */
  async spend(person: number): Promise<void> {
    if (!this.environment.rateLimits) return;
    const { allowed, resetsInSeconds } = await this.leases.spend(POLICY, `person:${person}`);
    if (allowed) return;
    throw new DomainError('rate_limited', 'You came back from installations too often: try again in a minute.', {
      retryAfterSeconds: resetsInSeconds,
    });
  }
}
