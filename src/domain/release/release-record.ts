import type { NamedDigest } from '../artifact/required-artifacts.js';
import type { RefFact, Sha } from '../facts/facts.js';
import type { EvidencePullRecord } from '../review/evidence-pull.js';
import type { Stage } from '../facts/condition.js';

/** The stored state of a release: the verdict inputs other than facts, evidence and overrides. */
export interface ReleaseRecord {
  readonly version: string;
  readonly milestoneNumber: number;
  readonly milestoneGithubId: number;
  /** The stage of the last evaluation. */
  readonly stage: Stage;
  /** The candidate of the last evaluation. */
  readonly candidateSha: Sha | null;
  readonly startedAt: Date | null;
  readonly cancelledAt: Date | null;
  /** The time at which the service saw that the milestone was deleted on GitHub. */
  readonly deletedAt: Date | null;
  readonly shipped: ShippedFacts | null;
  readonly evidencePull: EvidencePullRecord | null;
  readonly predecessor: Predecessor | null;
  readonly repository: GovernanceState;
}

/** The frozen facts of a shipped release. Later observations do not change them. */
export interface ShippedFacts {
  readonly candidateSha: Sha;
  readonly candidateShas: readonly Sha[];
  readonly testsPassing: boolean;
  readonly evidenceApproved: boolean;
  readonly approvalRequired: boolean;
  /** Whether the release had passed every stage before the deployment, also with waivers. */
  readonly passed: boolean;
  /** The accepted artifacts. Missing if the policy named none. */
  readonly artifacts?: readonly NamedDigest[];
}

/** The release of the same repository that shipped last before this one. */
export interface Predecessor {
  readonly candidateSha: Sha;
  /** Line coverage in percent. Null if the release shipped without measured coverage. */
  readonly linePercent: number | null;
}

export interface GovernanceState {
  readonly removed: boolean;
  /** False if the repository is beyond the repository quota of the plan. */
  readonly withinPlan: boolean;
  /** Branches with a tampered managed workflow file. */
  readonly tamperedBranches: readonly string[];
  /**
   * The heads of this release's branches at which the managed workflow files were checked: those of the newest check,
   * which found the tampering, and earlier intact ones. Null if the repository is not watched.
   */
  readonly watchedHeads: readonly RefFact[] | null;
}
