import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { RateLimitPolicy } from './rate-limits.js';

/** What the shared window answered to an instance that asked for tokens. */
export interface LeasedTokens {
  /** Between 0 and what was asked for. */
  readonly granted: number;
  /** Of the limit, by all instances together, this grant included. */
  readonly used: number;
  readonly resetsInMs: number;
}

interface GrantRow {
  readonly granted: number;
  readonly used: number;
  readonly resets_in_ms: number;
}

/** The one place where tokens of a window are given out; what it grants in a window never sums to more than the limit. */
@Injectable()
export class RateLimitRepository {
  constructor(private readonly database: Database) {}

  async leaseTokens(key: string, { limit, windowSeconds }: RateLimitPolicy, wanted: number): Promise<LeasedTokens> {
    const [row] = await this.database.queryWithoutTenant<GrantRow>(
      'take-rate-tokens',
      'select granted, used, resets_in_ms from take_rate_tokens($1, $2, $3, $4)',
      [key, limit, windowSeconds, wanted],
    );
    if (!row) throw new Error('take_rate_tokens answered no row');
    return { granted: row.granted, used: row.used, resetsInMs: row.resets_in_ms };
  }
}
