/**
 * The `sdlc.yaml` that a bootstrap proposes. It states nothing but its version and a name, so that it tightens no
 * organization's default and loosens none; what could be stated stands in comments, with the default of each.
 */
export const starterPolicy = (repository: string, schemaUrl: string): string => `\
# yaml-language-server: $schema=${schemaUrl}
#
# How the releases of this repository are governed. Shipgate reads it at the head of the default branch, and this file is
# yours from now on. What stands in comments is the default: take the # away to state something else.
version: v1
name: ${JSON.stringify(repository)}

# Which milestones are releases: semver-v-strict (v1.2.3), semver (1.2.3) or calver (2026.11.0).
#release_naming: { format: semver-v-strict }

# Branches that carry hotfixes: they skip what planning asks for, and keep evidence and approval.
#hotfix: { branch_pattern: "hotfix/**" }

#stages:
#  planning:
#    require_issues: false # the scope of a release may not be empty
#    require_issues_assigned: false # every open issue has an owner
#  development:
#    # Checks or statuses that must be green before a release is tested. A skipped one is not green, unless its entry
#    # allows it, as in [build, { name: docs, allow_skipped: true }].
#    required_checks: []
#    require_issues_closed: true
#    exempt_labels: [bug] # open issues with one of these hold nothing back
#  testing:
#    branch_pattern: "release/**" # the last segment is the version, as in release/v1.2.3
#    required_checks: []
#  evidencing:
#    required_evidence: [] # as [{ kind: unit_tests, min_tests: 1 }, { kind: coverage }, { kind: sast_scan }]
#    required_reviewers:
#      min_approvals: 1
#      teams: [] # slugs; empty lets everybody approve who may write
#      exclude_release_authors: false
#  deployment:
#    target: production # the environment whose deployment ships a release
#    promotion: manual # auto sends the event shipgate-deploy once the gate opens
#    requires_evidence_approval: true

# Limits on what the evidence may show, as coverage: { min_line_percent: 80 } or security: { max_critical: 0 }.
#quality_gates: {}

# Days in UTC on which nothing is deployed, as [{ from: 2026-12-20, to: 2027-01-02, reason: year end }].
#freezes: []
`;
