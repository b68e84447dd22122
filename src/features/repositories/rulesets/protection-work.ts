import type { Policy } from '../../../domain/policy/policy.js';
import type { GovernedRepository } from '../../../workspaces/governed-repository.js';
import type { ProtectionRecord } from './protection-record.js';

/** What is known of a repository whose branches are to be protected. */
export interface ProtectionWork {
  readonly repository: GovernedRepository;
  readonly record: ProtectionRecord;
  /** Null where none was seen, or one that does not validate. */
  readonly policy: Policy | null;
  /** What the app was granted there. */
  readonly grants: {
    readonly administers: boolean;
    /** Without this the check that the rulesets ask for never comes. */
    readonly publishesChecks: boolean;
  };
}
