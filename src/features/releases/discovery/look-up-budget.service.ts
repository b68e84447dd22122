import { Injectable } from '@nestjs/common';
import type { CiCaller } from '../../../auth/caller.js';
import { TokenBucket } from '../../../auth/oidc/jwks.service.js';
import { Clock } from '../../../config/clock.js';
import type { Viewer } from '../../../database/database.js';

/**
 * How many unknown names one credential may look up at GitHub at once, and then per second: 720 per hour. An installation has at
 * least 5,000 calls per hour, which the gates of all its repositories share.
 */
const LOOKUPS_AT_ONCE = 20;
const LOOKUPS_PER_SECOND = 0.2;
const REMEMBERED_AT_MOST = 10_000;

/** The credential that looks up a version or a commit. */
export type Asker = string;

export const askerOf = (caller: CiCaller): Asker =>
  caller.kind === 'api_key' ? `key ${caller.keyId}` : `runs ${caller.repositoryGithubId}`;

export const personAsking = ({ orgId, person }: Viewer): Asker => `person ${person} of ${orgId}`;

/**
 * Limits how many GitHub calls each credential can cause by looking up versions and commits, also unknown ones. Each credential
 * has its own budget, so that one cannot block the gates of others.
 */
@Injectable()
export class LookUpBudget {
  private readonly buckets = new Map<Asker, TokenBucket>();

  constructor(private readonly clock: Clock) {}

  /** Consumes one look-up. Returns false if none is left now. */
  take(asker: Asker): boolean {
    const bucket = this.buckets.get(asker) ?? new TokenBucket(LOOKUPS_AT_ONCE, LOOKUPS_PER_SECOND, this.clock);
    // The map is ordered by insertion. A bucket that is inserted again is evicted last.
    this.buckets.delete(asker);
    this.buckets.set(asker, bucket);
    const oldest = this.buckets.keys().next().value;
    if (this.buckets.size > REMEMBERED_AT_MOST && oldest !== undefined) this.buckets.delete(oldest);
    return bucket.take();
  }
}
