import type { RefFact, Sha } from '../facts/facts.js';
import type { Stage } from './stage.js';

/** What the service itself wrote down of a release: all that a verdict knows besides facts and evidence. */
export interface ReleaseRecord {
  readonly version: string;
  readonly milestoneNumber: number;
  readonly milestoneGithubId: number;
  /** The stage that the last evaluation answered. */
  readonly stage: Stage;
  /** The candidate of the last evaluation. */
  readonly candidateSha: Sha | null;
  readonly startedAt: Date | null;
  readonly cancelledAt: Date | null;
  /** The milestone is gone from the host. */
  readonly deletedAt: Date | null;
  readonly shipped: ShippedFacts | null;
  readonly evidencePull: EvidencePullRecord | null;
  readonly predecessor: Predecessor | null;
  readonly repository: GovernanceState;
}

/** A shipped release's facts, frozen: they stand whatever is observed later. */
export interface ShippedFacts {
  readonly candidateSha: Sha;
  readonly candidateShas: readonly Sha[];
  readonly testsPassing: boolean;
  readonly evidenceApproved: boolean;
  readonly approvalRequired: boolean;
  /** It had left every stage before its deployment, by itself or by waivers; what was kept before there were any lacks it. */
  readonly passed?: boolean;
}

/** The release of the same repository that was shipped last before this one. */
export interface Predecessor {
  readonly candidateSha: Sha;
  /** Null where it shipped without any measured coverage. */
  readonly linePercent: number | null;
}

/** What the service wrote into the latest evidence pull request of a release. */
export interface EvidencePullRecord {
  readonly number: number;
  readonly url: string;
  /** The commit that the service put at its head. */
  readonly headSha: Sha;
  readonly files: readonly { readonly path: string; readonly blobSha: Sha }[];
  readonly setDigest: string;
  /** What the approvals were worth when it was merged; null until a merge was seen and judged. */
  readonly mergeApproval: MergeApproval | null;
}

export interface MergeApproval {
  readonly approved: boolean;
  readonly approvers: readonly string[];
}

export interface GovernanceState {
  readonly removed: boolean;
  /** False where the workspace's plan has no room for it. */
  readonly withinPlan: boolean;
  /** Branches on which a managed workflow file was tampered with. */
  readonly tamperedBranches: readonly string[];
  /**
   * The commits at which the managed files were looked at, of this release's branches: the newest look's, which says what
   * was tampered with, and earlier ones that were intact. Null where nothing is watched.
   */
  readonly watchedHeads: readonly RefFact[] | null;
}
