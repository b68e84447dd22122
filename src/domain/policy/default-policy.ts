import type { Policy } from './policy.js';

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
