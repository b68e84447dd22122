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

interface GrantRow {
  readonly granted: number;
  readonly used: number;
  readonly resets_in_ms: number;
}

/** Leases tokens of shared windows. The grants of one window never exceed its limit. */
@Injectable()
export class RateLimitRepository {
  constructor(private readonly database: Database) {}

  async leaseTokens(key: string, { limit, windowSeconds }: RateLimitPolicy, requested: number): Promise<LeasedTokens> {
    const [row] = await this.database.queryWithoutTenant<GrantRow>(
      'take-rate-tokens',
      'select granted, used, resets_in_ms from lease_rate_limit_tokens($1, $2, $3, $4)',
      [key, limit, windowSeconds, requested],
    );
    if (!row) throw new Error('lease_rate_limit_tokens answered no row');
    return { granted: row.granted, used: row.used, resetsInMs: row.resets_in_ms };
  }
}
