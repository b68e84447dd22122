import { Injectable } from '@nestjs/common';
import type { CiCaller } from '../../../auth/caller.js';
import { TokenBucket } from '../../../auth/oidc/jwks.service.js';
import { Clock } from '../../../config/clock.js';
import type { Viewer } from '../../../database/database.js';

/**
 * How many names that are not known here one credential has looked up at GitHub at once, and then each second: 720 an hour. An
 * installation has 5,000 calls an hour at least, which the gates of all of its repositories live on.
 */
const LOOK_UPS_AT_ONCE = 20;
const LOOK_UPS_A_SECOND = 0.2;
const REMEMBERED_AT_MOST = 10_000;

/** Who asks for a version or a commit. */
export type Asker = string;

export const askerOf = (caller: CiCaller): Asker =>
  caller.kind === 'api_key' ? `key ${caller.keyId}` : `runs ${caller.repositoryGithubId}`;

export const personAsking = ({ orgId, person }: Viewer): Asker => `person ${person} of ${orgId}`;

/**
 * Bounds what those who ask for versions and commits can make this process ask GitHub, which counts also what it does not find.
 * Each has a budget of their own: whoever spends theirs closes no gate of others.
 */
@Injectable()
export class LookUpBudget {
  private readonly buckets = new Map<Asker, TokenBucket>();

  constructor(private readonly clock: Clock) {}

  /** Takes one look-up, or says that there is none left now. */
  take(asker: Asker): boolean {
    const bucket = this.buckets.get(asker) ?? new TokenBucket(LOOK_UPS_AT_ONCE, LOOK_UPS_A_SECOND, this.clock);
    // Inserted again, it is the last to go.
    this.buckets.delete(asker);
    this.buckets.set(asker, bucket);
    const oldest = this.buckets.keys().next().value;
    if (this.buckets.size > REMEMBERED_AT_MOST && oldest !== undefined) this.buckets.delete(oldest);
    return bucket.take();
  }
}
