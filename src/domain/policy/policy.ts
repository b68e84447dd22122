/** The rules of a repository: the values of `sdlc.yaml` and the defaults of all other keys. */
import type { EvidenceKind } from '../evidence/evidence.js';

export interface RequiredCheck {
  readonly name: string;
  /** The slug of the app that must report the check. Null accepts any app and commit statuses. */
  readonly app: string | null;
  /** Whether a skipped or neutral check is met. Present only if it is. */
  readonly allowSkipped?: true;
}

export interface RequiredEvidence {
  readonly kind: EvidenceKind;
  /** The environment. Null accepts any. */
  readonly environment: string | null;
  readonly minTests: number;
}

export interface QualityGates {
  readonly coverage: { readonly minLinePercent: number | null; readonly maxDrop: number | null };
  readonly sastScan: SeverityLimits;
  readonly security: SeverityLimits;
}

/** The maximum number of findings per severity. Null sets no limit. */
export interface SeverityLimits {
  readonly maxCritical: number | null;
  readonly maxHigh: number | null;
  readonly maxMedium: number | null;
  readonly maxLow: number | null;
}

/** A freeze from day to day, both included. Days are UTC as `YYYY-MM-DD`. */
export interface Freeze {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** How long the protection rule of the target holds a deployment, and its answer while the gate is closed. */
export interface HoldPolicy {
  readonly hours: number;
  readonly whenClosed: 'wait' | 'reject';
}

export const DEFAULT_HOLD: HoldPolicy = { hours: 24, whenClosed: 'wait' };

export const RELEASE_NAMING_FORMATS = ['semver-v-strict', 'semver', 'calver'] as const;
export type ReleaseNamingFormat = (typeof RELEASE_NAMING_FORMATS)[number];

export interface Policy {
  readonly name: string | null;
  readonly releaseNaming: ReleaseNamingFormat;
  readonly hotfixBranchPattern: string;
  /** Events whose CI runs may upload evidence, in addition to the safe ones. */
  readonly evidenceEvents: readonly string[];
  readonly planning: { readonly requireIssues: boolean; readonly requireIssuesAssigned: boolean };
  readonly development: {
    /** The development branch. Null means the default branch of the repository. */
    readonly branch: string | null;
    readonly deployTarget: string | null;
    readonly requiredChecks: readonly RequiredCheck[];
    readonly requireIssuesClosed: boolean;
    readonly exemptLabels: readonly string[];
  };
  readonly testing: {
    readonly branchPattern: string;
    readonly deployTarget: string | null;
    readonly requiredChecks: readonly RequiredCheck[];
  };
  readonly evidencing: {
    readonly requiredEvidence: readonly RequiredEvidence[];
    readonly requiredReviewers: {
      readonly minApprovals: number;
      readonly teams: readonly string[];
      readonly excludeReleaseAuthors: boolean;
    };
  };
  readonly deployment: {
    readonly target: string;
    readonly promotion: 'manual' | 'auto';
    readonly requiresEvidenceApproval: boolean;
    /** Present only if it differs from the default, so that policies without it keep their digest. */
    readonly hold?: HoldPolicy;
  };
  readonly qualityGates: QualityGates;
  readonly freezes: readonly Freeze[];
}

export interface PolicyProblem {
  /** The line, starting at 1. Null if the problem has no place in the file. */
  readonly line: number | null;
  readonly column: number | null;
  /** The path of the key, for example `stages.testing.required_checks`. */
  readonly key: string;
  readonly message: string;
}

/** The state of a repository's policy. Only a valid policy can open the gate. */
export type PolicyState =
  | {
      readonly status: 'valid';
      readonly policy: Policy;
      /** SHA-256 of the policy in canonical form. */
      readonly digest: string;
      /** The default branch of the repository. */
      readonly defaultBranch: string;
    }
  | { readonly status: 'invalid'; readonly problems: readonly PolicyProblem[]; readonly defaultBranch: string }
  | { readonly status: 'missing'; readonly defaultBranch: string };

/** The policy for a `sdlc.yaml` that states only its version. */
export const DEFAULT_POLICY: Policy = {
  name: null,
  releaseNaming: 'semver-v-strict',
  hotfixBranchPattern: 'hotfix/**',
  evidenceEvents: [],
  planning: { requireIssues: false, requireIssuesAssigned: false },
  development: {
    branch: null,
    deployTarget: null,
    requiredChecks: [],
    requireIssuesClosed: true,
    exemptLabels: ['bug'],
  },
  testing: { branchPattern: 'release/**', deployTarget: null, requiredChecks: [] },
  evidencing: {
    requiredEvidence: [],
    requiredReviewers: { minApprovals: 1, teams: [], excludeReleaseAuthors: false },
  },
  deployment: { target: 'production', promotion: 'manual', requiresEvidenceApproval: true },
  qualityGates: {
    coverage: { minLinePercent: null, maxDrop: null },
    sastScan: { maxCritical: null, maxHigh: null, maxMedium: null, maxLow: null },
    security: { maxCritical: null, maxHigh: null, maxMedium: null, maxLow: null },
  },
  freezes: [],
};

/**
 * Returns whether two names mean the same environment. GitHub ignores their case ("Managing environments for
 * deployment").
 */
export const isSameEnvironment = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
