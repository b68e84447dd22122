import type { Policy, SeverityLimits } from './policy.js';

const NO_LIMITS: SeverityLimits = { maxCritical: null, maxHigh: null, maxMedium: null, maxLow: null };

/** The policy of a file that says nothing but its version. */
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
  qualityGates: { coverage: { minLinePercent: null, maxDrop: null }, sastScan: NO_LIMITS, security: NO_LIMITS },
  freezes: [],
};
