import { Injectable } from '@nestjs/common';
import type { Person } from '../../../auth/user.js';
import { TokenLeases } from '../../../http/rate-limit/rate-limit-leases.js';
import type { RateLimitPolicy } from '../../../http/rate-limit/rate-limits.js';
import { tooManyWrites } from './scope-refusal.js';

/**
 * GitHub takes 80 requests that make content in a minute and 500 in an hour ("Rate limits for the REST API", secondary limits);
 * what is left is for what the person does there themselves.
 */
const WRITES: readonly RateLimitPolicy[] = [
  { name: 'scope-writes', limit: 60, windowSeconds: 60 },
  { name: 'scope-writes-an-hour', limit: 400, windowSeconds: 3_600 },
];

/** Bounds what is written to GitHub in one person's name, by all instances together. */
@Injectable()
export class ScopeWriteLimits {
  constructor(private readonly leases: TokenLeases) {}

  /** Counts one write. Throws `rate_limited` where there were too many. */
  async spend({ id }: Person): Promise<void> {
    for (const policy of WRITES) {
      const { allowed, resetsInSeconds } = await this.leases.spend(policy, `person:${id}`);
      if (!allowed) throw tooManyWrites(resetsInSeconds);
    }
  }
}
