/**
 * Builds the first `sdlc.yaml` of a repository. It sets only the version and a name, so that the organization default
 * applies unchanged. All other settings are in comments, with their defaults.
 */
export const starterPolicy = (repository: string, schemaUrl: string): string => `\
# yaml-language-server: $schema=${schemaUrl}
#
# The rules for releases of this repository. Shipgate reads them at the head of the default branch. This file belongs to your
# team from now on. The comments show the defaults. Remove the # to change a value. The default of your organization, if it has
# one, stays in force beside them.
version: v1
name: ${JSON.stringify(repository)}

# Which milestones are releases: semver-v-strict (v1.2.3), semver (1.2.3) or calver (2026.11.0).
#release_naming: { format: semver-v-strict }

# Branches of hotfixes. They skip the planning rules, but need evidence and an approval.
#hotfix: { branch_pattern: "hotfix/**" }

#stages:
#  planning:
#    require_issues: false # the scope of a release may not be empty
#    require_issues_assigned: false # every open issue has an owner
#  development:
#    # Checks or statuses that must succeed before a release is tested. A skipped one does not count, unless its entry
#    # allows it, as in [build, { name: docs, allow_skipped: true }].
#    required_checks: []
#    require_issues_closed: true
#    exempt_labels: [bug] # open issues with one of these labels do not block the release
#  testing:
#    # The environment before the target. With soak beside it, the candidate must stay deployed there for that long first,
#    # as in deploy_target: staging and soak: 24h.
#    branch_pattern: "release/**" # the last segment is the version, for example release/v1.2.3
#    required_checks: []
#    # Artifacts that must have a digest with a verified provenance, as in [{ name: api, builder: github-hosted }]. The gate
#    # then also answers for a digest.
#    required_artifacts: []
#  evidencing:
#    # For example [{ kind: unit_tests, min_tests: 1 }, { kind: coverage }, { kind: sast_scan }]. With after_deployment: true,
#    # as in [{ kind: e2e_tests, after_deployment: true }], only runs count that began after the deployment to staging.
#    required_evidence: []
#    required_reviewers:
#      min_approvals: 1
#      teams: [] # slugs; if empty, every user with write access may approve
#      exclude_release_authors: false
#  deployment:
#    target: production # the environment whose deployment ships a release
#    promotion: manual # auto sends the event shipgate-deploy once the gate opens
#    requires_evidence_approval: true
#    hold: { for: 24h, when_closed: wait } # the protection rule of the target; reject does not wait for the gate

# Limits for the results in the evidence, for example coverage: { min_line_percent: 80 } or security: { max_critical: 0 }.
#quality_gates: {}

# Days in UTC without deployments, for example [{ from: 2026-12-20, to: 2027-01-02, reason: year end }].
#freezes: []
`;
