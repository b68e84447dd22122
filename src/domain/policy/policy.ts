/** The rules of a repository, as `sdlc.yaml` states them with every default filled in. */
import type { EvidenceKind } from '../evidence/evidence.js';

export interface RequiredCheck {
  readonly name: string;
  /** Slug of the app that must have reported it; null accepts any, also a commit status. */
  readonly app: string | null;
  /** Whether a check that was skipped, or ended neutral, counts as met. There only where it does. */
  readonly allowSkipped?: true;
}

export interface RequiredEvidence {
  readonly kind: EvidenceKind;
  /** Null accepts any environment. */
  readonly environment: string | null;
  readonly minTests: number;
}

export interface QualityGates {
  readonly coverage: { readonly minLinePercent: number | null; readonly maxDrop: number | null };
  readonly sastScan: SeverityLimits;
  readonly security: SeverityLimits;
}

/** The most findings of each severity that a release may carry; null sets no limit. */
export interface SeverityLimits {
  readonly maxCritical: number | null;
  readonly maxHigh: number | null;
  readonly maxMedium: number | null;
  readonly maxLow: number | null;
}

/** Days in UTC, both inclusive, as `YYYY-MM-DD`. */
export interface Freeze {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

export const RELEASE_NAMING_FORMATS = ['semver-v-strict', 'semver', 'calver'] as const;
export type ReleaseNamingFormat = (typeof RELEASE_NAMING_FORMATS)[number];

export interface Policy {
  readonly name: string | null;
  readonly releaseNaming: ReleaseNamingFormat;
  readonly hotfixBranchPattern: string;
  /** Events of CI runs that may upload besides the safe ones. */
  readonly evidenceEvents: readonly string[];
  readonly planning: { readonly requireIssues: boolean; readonly requireIssuesAssigned: boolean };
  readonly development: {
    /** Null stands for the repository's default branch. */
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
  };
  readonly qualityGates: QualityGates;
  readonly freezes: readonly Freeze[];
}

export interface PolicyProblem {
  /** 1-based; null where the problem has no place in the file. */
  readonly line: number | null;
  readonly column: number | null;
  /** The key's path, as `stages.testing.required_checks`. */
  readonly key: string;
  readonly message: string;
}

/** What is known of a repository's policy: only a valid one can open a gate. */
export type PolicyState =
  | {
      readonly status: 'valid';
      readonly policy: Policy;
      /** SHA-256 over the policy in canonical form. */
      readonly digest: string;
      /** Branch that the repository calls its default one. */
      readonly defaultBranch: string;
    }
  | { readonly status: 'invalid'; readonly problems: readonly PolicyProblem[]; readonly defaultBranch: string }
  | { readonly status: 'missing'; readonly defaultBranch: string };

/** The rules of a repository whose `sdlc.yaml` states nothing but its version. */
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
