import type { EvidenceKind } from '../evidence/evidence.js';

/**
 * The rules in force for a repository: the requirements of its `sdlc.yaml` and those of its organization's default. Rules
 * read only this policy, never one of the two documents.
 */

export const POLICY_SOURCES = ['organization', 'repository'] as const;
/** The document that states a requirement. */
export type PolicySource = (typeof POLICY_SOURCES)[number];

/** The source of an entry. Absent if the organization has no default. */
interface Sourced {
  readonly source?: PolicySource;
}

/** Returns the member `source` for a condition about the entry. */
export const toSourced = ({ source }: { readonly source?: PolicySource | undefined }): Sourced =>
  source === undefined ? {} : { source };

/** The source of each value, by its name. Absent if the organization has no default. */
interface SourcedValues<Name extends string> {
  readonly sources?: Readonly<Partial<Record<Name, PolicySource>>>;
}

export interface RequiredCheck extends Sourced {
  readonly name: string;
  /** The slug of the app that must report the check. Null accepts any app and commit statuses. */
  readonly app: string | null;
  /** Whether a skipped or neutral check is met. Present only if it is. */
  readonly allowSkipped?: true;
}

export interface RequiredEvidence extends Sourced {
  readonly kind: EvidenceKind;
  /** The environment. Null accepts any. */
  readonly environment: string | null;
  readonly minTests: number;
  /** Only runs that began after the deployment of the candidate to the environment of TESTING count. Present only if it is so. */
  readonly afterDeployment?: true;
}

export const ARTIFACT_BUILDERS = ['github-hosted', 'self-hosted', 'any'] as const;

/** An artifact that a candidate must have. */
export interface RequiredArtifact extends Sourced {
  readonly name: string;
  /** Whether a verified provenance is required. Without it the statement of a run is sufficient. */
  readonly provenance: boolean;
  /** The kind of the runner that must have built it. `any` without a required provenance. */
  readonly builder: (typeof ARTIFACT_BUILDERS)[number];
  /** The workflow that must have signed, as `owner/repo/.github/workflows/build.yml`. Null accepts any. */
  readonly signerWorkflow: string | null;
}

/** Open issues hold a release in development, except those with one of these labels. */
export interface ClosedIssuesRule extends Sourced {
  readonly exemptLabels: readonly string[];
}

/** Approvals that the evidence needs. One user may count for each requirement of a policy. */
export interface ReviewerRequirement extends Sourced {
  readonly minApprovals: number;
  /** Slugs of teams. The approvals of their members count. If empty, every user with write access counts. */
  readonly teams: readonly string[];
  readonly excludeReleaseAuthors: boolean;
  /** A request for changes by an author counts, although an approval by an author does not. Present only if it is so. */
  readonly authorsMayObject?: true;
}

/** Returns the least number of users whose approvals can meet every requirement. */
export const minApprovals = (requirements: readonly ReviewerRequirement[]): number =>
  Math.max(0, ...requirements.map((requirement) => requirement.minApprovals));

/** Returns the teams whose members' approvals count for a requirement. */
export const reviewerTeams = (requirements: readonly ReviewerRequirement[]): readonly string[] => [
  ...new Set(requirements.flatMap(({ teams }) => teams)),
];

/** The strictest limit of each gate. */
export interface QualityGates {
  readonly coverage: CoverageLimits;
  readonly sastScan: SeverityLimits;
  readonly security: SeverityLimits;
}

/** Null sets no limit. */
export interface CoverageLimits extends SourcedValues<'minLinePercent' | 'maxDrop'> {
  readonly minLinePercent: number | null;
  readonly maxDrop: number | null;
}

/** The maximum number of findings per severity. Null sets no limit. */
export interface SeverityLimits extends SourcedValues<'maxCritical' | 'maxHigh' | 'maxMedium' | 'maxLow'> {
  readonly maxCritical: number | null;
  readonly maxHigh: number | null;
  readonly maxMedium: number | null;
  readonly maxLow: number | null;
}

/** A freeze from day to day, both included. Days are UTC as `YYYY-MM-DD`. */
export interface Freeze extends Sourced {
  /** The id of a freeze that an admin created. Missing for a freeze of a policy, whose days and reason identify it. */
  readonly id?: string;
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
  /** A branch that matches one of them is a release branch. A release is a hotfix only if its branch matches all. */
  readonly hotfixBranchPatterns: readonly string[];
  /** Events whose CI runs may upload evidence, in addition to the safe ones. */
  readonly evidenceEvents: readonly string[];
  readonly planning: SourcedValues<'requireIssues' | 'requireIssuesAssigned'> & {
    readonly requireIssues: boolean;
    readonly requireIssuesAssigned: boolean;
  };
  readonly development: {
    /** The development branch. Null means the default branch of the repository. */
    readonly branch: string | null;
    readonly deployTarget: string | null;
    /** How long the candidate must stay deployed there, in seconds. Absent without a soak. */
    readonly soak?: number;
    readonly requiredChecks: readonly RequiredCheck[];
    /** Every one of them applies. Empty if issues may stay open. */
    readonly closedIssues: readonly ClosedIssuesRule[];
  };
  readonly testing: {
    readonly branchPattern: string;
    readonly deployTarget: string | null;
    /** As in `development`. */
    readonly soak?: number;
    readonly requiredChecks: readonly RequiredCheck[];
    /** Present only if it is not empty, so that policies without it keep their digest. */
    readonly requiredArtifacts?: readonly RequiredArtifact[];
  };
  readonly evidencing: {
    readonly requiredEvidence: readonly RequiredEvidence[];
    /** Every one of them applies if the evidence needs an approval. Never empty. */
    readonly requiredReviewers: readonly ReviewerRequirement[];
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

/** The values of a document, by the path of their keys. */
export interface PolicyValues {
  name: string | null;
  'release_naming.format': ReleaseNamingFormat;
  'hotfix.branch_pattern': string;
  evidence_events: readonly string[];
  'stages.planning.require_issues': boolean;
  'stages.planning.require_issues_assigned': boolean;
  'stages.development.branch': string | null;
  'stages.development.deploy_target': string | null;
  /** In seconds. */
  'stages.development.soak': number | null;
  'stages.development.required_checks': readonly RequiredCheck[];
  'stages.development.require_issues_closed': boolean;
  'stages.development.exempt_labels': readonly string[];
  'stages.testing.branch_pattern': string;
  'stages.testing.deploy_target': string | null;
  /** In seconds. */
  'stages.testing.soak': number | null;
  'stages.testing.required_checks': readonly RequiredCheck[];
  'stages.testing.required_artifacts': readonly RequiredArtifact[];
  'stages.evidencing.required_evidence': readonly RequiredEvidence[];
  'stages.evidencing.required_reviewers.min_approvals': number;
  'stages.evidencing.required_reviewers.teams': readonly string[];
  'stages.evidencing.required_reviewers.exclude_release_authors': boolean;
  'stages.deployment.target': string;
  'stages.deployment.promotion': Policy['deployment']['promotion'];
  'stages.deployment.requires_evidence_approval': boolean;
  /** In hours. */
  'stages.deployment.hold.for': number;
  'stages.deployment.hold.when_closed': HoldPolicy['whenClosed'];
  'quality_gates.coverage.min_line_percent': number | null;
  'quality_gates.coverage.max_drop': number | null;
  'quality_gates.sast_scan.max_critical': number | null;
  'quality_gates.sast_scan.max_high': number | null;
  'quality_gates.sast_scan.max_medium': number | null;
  'quality_gates.sast_scan.max_low': number | null;
  'quality_gates.security.max_critical': number | null;
  'quality_gates.security.max_high': number | null;
  'quality_gates.security.max_medium': number | null;
  'quality_gates.security.max_low': number | null;
  freezes: readonly Freeze[];
}
export type PolicyKey = keyof PolicyValues;

/** A document with its values. The keys that it does not state have their defaults. */
export interface ParsedPolicy {
  readonly values: Readonly<PolicyValues>;
  readonly stated: readonly PolicyKey[];
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
      /** The default of the organization as it was parsed. Null if there is none. */
      readonly organization: ParsedPolicy | null;
      /** The `sdlc.yaml` of the repository as it was parsed. */
      readonly repository: ParsedPolicy;
      /** SHA-256 of the policy in canonical form. Policies with the same effect have the same digest. */
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
  hotfixBranchPatterns: ['hotfix/**'],
  evidenceEvents: [],
  planning: { requireIssues: false, requireIssuesAssigned: false },
  development: {
    branch: null,
    deployTarget: null,
    requiredChecks: [],
    closedIssues: [{ exemptLabels: ['bug'] }],
  },
  testing: { branchPattern: 'release/**', deployTarget: null, requiredChecks: [] },
  evidencing: {
    requiredEvidence: [],
    requiredReviewers: [{ minApprovals: 1, teams: [], excludeReleaseAuthors: false }],
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
 * The characters, as part of a regular expression, that no name of an environment has: capital letters whose lower case depends on the
 * reader or on the next letter, or belongs to another letter, too. They are İ, ϴ, ẞ, Σ, the signs of Ohm, Kelvin and Ångström, and the
 * letters with a title case. The database and JavaScript must find the same lower case of a name.
 */
export const AMBIGUOUS_CAPITALS = String.raw`\p{Lt}\u{130}\u{3F4}\u{1E9E}\u{3A3}\u{2126}\u{212A}\u{212B}`;

/**
 * Returns whether two names mean the same environment. GitHub ignores their case ("Managing environments for
 * deployment"). Both cases are compared, because a letter may only look like another one: the lower case of the Kelvin sign is a `k`.
 */
export const isSameEnvironment = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase() && one.toUpperCase() === other.toUpperCase();

/** Which requirement of a policy a release cannot meet without meeting another one. */

/** Returns whether every release that meets `one` also meets `other`. */
export type Implies<T> = (one: T, other: T) => boolean;

const includesAll = (list: readonly string[], entries: readonly string[]): boolean =>
  entries.every((entry) => list.includes(entry));

/** A check by any app says nothing about the check by one app, and the reverse, because every report of the name counts. */
export const impliesCheck: Implies<RequiredCheck> = (one, other) =>
  one.name === other.name && one.app === other.app && (one.allowSkipped !== true || other.allowSkipped === true);

/** Evidence for any environment says nothing about one environment, and the reverse, because every group counts. */
export const impliesEvidence: Implies<RequiredEvidence> = (one, other) =>
  one.kind === other.kind &&
  one.environment === other.environment &&
  one.minTests >= other.minTests &&
  (one.afterDeployment === true || other.afterDeployment !== true);

/** Two builders or two workflows are two requirements, because one build cannot be replaced by the other. */
export const impliesArtifact: Implies<RequiredArtifact> = (one, other) =>
  one.name === other.name &&
  (one.provenance || !other.provenance) &&
  (other.builder === 'any' || one.builder === other.builder) &&
  (other.signerWorkflow === null || one.signerWorkflow === other.signerWorkflow);

export const impliesClosedIssues: Implies<ClosedIssuesRule> = (one, other) =>
  includesAll(other.exemptLabels, one.exemptLabels);

/** The teams must be the same, because members of further teams may request changes. */
export const impliesReviewers: Implies<ReviewerRequirement> = (one, other) =>
  one.minApprovals >= other.minApprovals &&
  includesAll(one.teams, other.teams) &&
  includesAll(other.teams, one.teams) &&
  (one.excludeReleaseAuthors || !other.excludeReleaseAuthors) &&
  (canAuthorsObject(one) || !canAuthorsObject(other));

const canAuthorsObject = ({ excludeReleaseAuthors, authorsMayObject }: ReviewerRequirement): boolean =>
  !excludeReleaseAuthors || authorsMayObject === true;

/** Returns the entries without those that another one implies. Of equal entries the first remains. */
export const withoutImplied = <T>(entries: readonly T[], implies: Implies<T>): readonly T[] =>
  entries.filter(
    (entry, index) =>
      !entries.some((other, at) => at !== index && implies(other, entry) && (at < index || !implies(entry, other))),
  );
