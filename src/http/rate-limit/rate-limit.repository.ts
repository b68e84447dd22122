import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { RateLimitPolicy } from './rate-limits.js';

/** The result of leasing tokens from a shared window. */
export interface LeasedTokens {
  /** The number of granted tokens, from 0 to the requested number. */
  readonly granted: number;
  /** The tokens that all instances have used, including this grant. */
  readonly used: number;
  readonly resetsInMs: number;
}

/** Leases tokens of shared windows. The grants of one window never exceed its limit. */
@Injectable()
export class RateLimitRepository {
  constructor(private readonly database: Database) {}

  async leaseTokens(key: string, { limit, windowSeconds }: RateLimitPolicy, requested: number): Promise<LeasedTokens> {
    const [leased] = await this.database.queryWithoutTenant<LeasedTokens>(
      'lease_rate_limit_tokens',
      'select granted, used, resets_in_ms as "resetsInMs" from lease_rate_limit_tokens($1, $2, $3, $4)',
      [key, limit, windowSeconds, requested],
    );
    if (!leased) throw new Error('lease_rate_limit_tokens returned no row');
    return leased;
  }
}
