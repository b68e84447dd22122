import type { PolicyState } from '../policy/policy.js';
import type { Condition, Stage } from '../release/stage.js';

/** A release whose scope a change belongs to, and by what. */
export interface ScopedRelease {
  readonly version: string;
  readonly stage: Stage;
  /** The change carries the release's milestone itself. */
  readonly byMilestone: boolean;
  /** Issues in the scope that the change names. */
  readonly issues: readonly number[];
}

/** Where a release stands, and where it would stand if the proposed policy held now. */
export interface PolicyPreview {
  readonly version: string;
  readonly stage: Stage;
  readonly proposedStage: Stage;
  readonly opens: boolean;
  readonly closes: boolean;
  /** What would keep it back, and does not keep it back now. */
  readonly newlyUnmet: readonly Condition[];
  /** How many facts would have to be read before anybody could tell for sure. */
  readonly unknownFacts: number;
}

/** What a change proposes to do to the rules. */
export interface PolicyChange {
  readonly state: PolicyState;
  /** The default branch, the only one whose rules hold, where the change goes to another; else null. */
  readonly heldOnlyOn: string | null;
  readonly previews: readonly PolicyPreview[];
}

/** What was found about one change that has a commit at its head. */
export interface ChangeFinding {
  /** Null where the host does not tell which pull request a merge group is of. */
  readonly pullNumber: number | null;
  /** Managed workflow files of which the change leaves something else than the service ever published. */
  readonly foreign: readonly string[];
  /** Those that it leaves as the service published them. */
  readonly installed: readonly string[];
  /** Null where the change leaves the rules alone. */
  readonly policy: PolicyChange | null;
  readonly releases: readonly ScopedRelease[];
}

/** Whether the change may not be merged as it is. */
export const isRefused = ({ foreign, policy }: ChangeFinding): boolean =>
  foreign.length > 0 || (policy !== null && policy.state.status !== 'valid');
