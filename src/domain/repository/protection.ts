/**
 * Whether GitHub itself holds a repository's branches to the policy. `unknown`: nobody has asked for it yet. `pending`: it is
 * about to be set up. `active`: it is as wanted, or stricter. `drifted`: it was set up, and is weaker than wanted now.
 * `failed`: it could not be set up. `advisory`: GitHub offers it not to repositories of this plan.
 */
export const PROTECTION_STATUSES = ['unknown', 'pending', 'active', 'drifted', 'failed', 'advisory'] as const;
export type ProtectionStatus = (typeof PROTECTION_STATUSES)[number];

/** What is known of the protection of a repository. */
export interface Protection {
  readonly status: ProtectionStatus;
  /** What is wrong and what to do, or what could not be seen; null where there is nothing to say. */
  readonly detail: string | null;
}

/** What a look at the code host may come to. */
export interface FoundProtection extends Protection {
  readonly status: Exclude<ProtectionStatus, 'unknown' | 'pending'>;
  /** Nothing was tried: it waits for the token of somebody who may do it. */
  readonly awaitsToken?: true;
}
