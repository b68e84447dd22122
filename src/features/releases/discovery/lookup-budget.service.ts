import { Injectable } from '@nestjs/common';
import type { CiCaller } from '../../../auth/caller.js';
import { TokenBuckets } from '../../../concurrency/token-bucket.js';
import { Clock } from '../../../config/clock.js';
import type { Viewer } from '../../../database/database.js';

/**
 * How many unknown names one credential may look up at GitHub at once, and then per second: 720 per hour. An installation has at
 * least 5,000 calls per hour, which the gates of all its repositories share.
 */
const LOOKUPS_AT_ONCE = 20;
const LOOKUPS_PER_SECOND = 0.2;

/** The credential that looks up a version or a commit. */
export type LookupCaller = string;

export const lookupKey = (caller: CiCaller): LookupCaller =>
  caller.kind === 'api_key' ? `key ${caller.keyId}` : `runs ${caller.repositoryGithubId}`;

export const userLookupKey = ({ orgId, userId }: Viewer): LookupCaller => `person ${userId} of ${orgId}`;

/**
 * Limits how many GitHub calls each credential can cause by looking up versions and commits, also unknown ones. Each credential
 * has its own budget, so that one cannot block the gates of others.
 */
@Injectable()
export class LookupBudgetService {
  private readonly buckets: TokenBuckets;

  constructor(clock: Clock) {
    this.buckets = new TokenBuckets(LOOKUPS_AT_ONCE, LOOKUPS_PER_SECOND, clock);
  }

  /** Consumes one look-up. Returns false if none is left now. */
  consume(caller: LookupCaller): boolean {
    return this.buckets.get(caller).consume();
  }
}
