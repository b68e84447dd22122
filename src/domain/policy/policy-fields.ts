/** The keys of `sdlc.yaml` and their properties in the policy. */
import {
  DEFAULT_HOLD,
  type Freeze,
  type HoldPolicy,
  type Policy,
  type ReleaseNamingFormat,
  type RequiredCheck,
  type RequiredEvidence,
} from './policy.js';

/** The type of each value in the policy, by the path of its key in the document. */
export interface PolicyValues {
  name: string | null;
  'release_naming.format': ReleaseNamingFormat;
  'hotfix.branch_pattern': string;
  evidence_events: readonly string[];
  'stages.planning.require_issues': boolean;
  'stages.planning.require_issues_assigned': boolean;
  'stages.development.branch': string | null;
  'stages.development.deploy_target': string | null;
  'stages.development.required_checks': readonly RequiredCheck[];
  'stages.development.require_issues_closed': boolean;
  'stages.development.exempt_labels': readonly string[];
  'stages.testing.branch_pattern': string;
  'stages.testing.deploy_target': string | null;
  'stages.testing.required_checks': readonly RequiredCheck[];
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

/** Returns how the policy holds deployments. Policies without it, as earlier versions stored them, have the default. */
export const holdPolicy = ({ deployment }: Policy): HoldPolicy => deployment.hold ?? DEFAULT_HOLD;

const READERS: { readonly [K in PolicyKey]: (policy: Policy) => PolicyValues[K] } = {
  name: (policy) => policy.name,
  'release_naming.format': (policy) => policy.releaseNaming,
  'hotfix.branch_pattern': (policy) => policy.hotfixBranchPattern,
  evidence_events: (policy) => policy.evidenceEvents,
  'stages.planning.require_issues': ({ planning }) => planning.requireIssues,
  'stages.planning.require_issues_assigned': ({ planning }) => planning.requireIssuesAssigned,
  'stages.development.branch': ({ development }) => development.branch,
  'stages.development.deploy_target': ({ development }) => development.deployTarget,
  'stages.development.required_checks': ({ development }) => development.requiredChecks,
  'stages.development.require_issues_closed': ({ development }) => development.requireIssuesClosed,
  'stages.development.exempt_labels': ({ development }) => development.exemptLabels,
  'stages.testing.branch_pattern': ({ testing }) => testing.branchPattern,
  'stages.testing.deploy_target': ({ testing }) => testing.deployTarget,
  'stages.testing.required_checks': ({ testing }) => testing.requiredChecks,
  'stages.evidencing.required_evidence': ({ evidencing }) => evidencing.requiredEvidence,
  'stages.evidencing.required_reviewers.min_approvals': ({ evidencing }) => evidencing.requiredReviewers.minApprovals,
  'stages.evidencing.required_reviewers.teams': ({ evidencing }) => evidencing.requiredReviewers.teams,
  'stages.evidencing.required_reviewers.exclude_release_authors': ({ evidencing }) =>
    evidencing.requiredReviewers.excludeReleaseAuthors,
  'stages.deployment.target': ({ deployment }) => deployment.target,
  'stages.deployment.promotion': ({ deployment }) => deployment.promotion,
  'stages.deployment.requires_evidence_approval': ({ deployment }) => deployment.requiresEvidenceApproval,
  'stages.deployment.hold.for': (policy) => holdPolicy(policy).hours,
  'stages.deployment.hold.when_closed': (policy) => holdPolicy(policy).whenClosed,
  'quality_gates.coverage.min_line_percent': ({ qualityGates }) => qualityGates.coverage.minLinePercent,
  'quality_gates.coverage.max_drop': ({ qualityGates }) => qualityGates.coverage.maxDrop,
  'quality_gates.sast_scan.max_critical': ({ qualityGates }) => qualityGates.sastScan.maxCritical,
  'quality_gates.sast_scan.max_high': ({ qualityGates }) => qualityGates.sastScan.maxHigh,
  'quality_gates.sast_scan.max_medium': ({ qualityGates }) => qualityGates.sastScan.maxMedium,
  'quality_gates.sast_scan.max_low': ({ qualityGates }) => qualityGates.sastScan.maxLow,
  'quality_gates.security.max_critical': ({ qualityGates }) => qualityGates.security.maxCritical,
  'quality_gates.security.max_high': ({ qualityGates }) => qualityGates.security.maxHigh,
  'quality_gates.security.max_medium': ({ qualityGates }) => qualityGates.security.maxMedium,
  'quality_gates.security.max_low': ({ qualityGates }) => qualityGates.security.maxLow,
  freezes: (policy) => policy.freezes,
};

export const POLICY_KEYS = Object.keys(READERS) as readonly PolicyKey[];

export const policyValue = <K extends PolicyKey>(policy: Policy, key: K): PolicyValues[K] => READERS[key](policy);

/** Builds a policy from the value that `value` returns for each key. */
export const buildPolicy = (value: <K extends PolicyKey>(key: K) => PolicyValues[K]): Policy => ({
  name: value('name'),
  releaseNaming: value('release_naming.format'),
  hotfixBranchPattern: value('hotfix.branch_pattern'),
  evidenceEvents: value('evidence_events'),
  planning: {
    requireIssues: value('stages.planning.require_issues'),
    requireIssuesAssigned: value('stages.planning.require_issues_assigned'),
  },
  development: {
    branch: value('stages.development.branch'),
    deployTarget: value('stages.development.deploy_target'),
    requiredChecks: value('stages.development.required_checks'),
    requireIssuesClosed: value('stages.development.require_issues_closed'),
    exemptLabels: value('stages.development.exempt_labels'),
  },
  testing: {
    branchPattern: value('stages.testing.branch_pattern'),
    deployTarget: value('stages.testing.deploy_target'),
    requiredChecks: value('stages.testing.required_checks'),
  },
  evidencing: {
    requiredEvidence: value('stages.evidencing.required_evidence'),
    requiredReviewers: {
      minApprovals: value('stages.evidencing.required_reviewers.min_approvals'),
      teams: value('stages.evidencing.required_reviewers.teams'),
      excludeReleaseAuthors: value('stages.evidencing.required_reviewers.exclude_release_authors'),
    },
  },
  deployment: {
    target: value('stages.deployment.target'),
    promotion: value('stages.deployment.promotion'),
    requiresEvidenceApproval: value('stages.deployment.requires_evidence_approval'),
    ...statedHold({
      hours: value('stages.deployment.hold.for'),
      whenClosed: value('stages.deployment.hold.when_closed'),
    }),
  },
  qualityGates: {
    coverage: {
      minLinePercent: value('quality_gates.coverage.min_line_percent'),
      maxDrop: value('quality_gates.coverage.max_drop'),
    },
    sastScan: {
      maxCritical: value('quality_gates.sast_scan.max_critical'),
      maxHigh: value('quality_gates.sast_scan.max_high'),
      maxMedium: value('quality_gates.sast_scan.max_medium'),
      maxLow: value('quality_gates.sast_scan.max_low'),
    },
    security: {
      maxCritical: value('quality_gates.security.max_critical'),
      maxHigh: value('quality_gates.security.max_high'),
      maxMedium: value('quality_gates.security.max_medium'),
      maxLow: value('quality_gates.security.max_low'),
    },
  },
  freezes: value('freezes'),
});

const statedHold = (hold: HoldPolicy): { readonly hold?: HoldPolicy } =>
  hold.hours === DEFAULT_HOLD.hours && hold.whenClosed === DEFAULT_HOLD.whenClosed ? {} : { hold };
