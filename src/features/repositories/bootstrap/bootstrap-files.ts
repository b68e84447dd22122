import type { BootstrapPlan } from '../../../domain/repository/bootstrap.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW, POLICY_FILE } from '../../../domain/repository/managed-files.js';
import { gfm, lines, type Markdown } from '../../../github/markdown.js';

export const GUIDE_FILE = '.github/SHIPGATE.md';

/** The guide that a bootstrap adds to the repository, for its developers. */
export const starterGuide = (serviceUrl: string): string => `\
# Releases of this repository

[Shipgate](${serviceUrl}) governs the releases of this repository: CI uploads evidence for a release, Shipgate opens a pull
request with it, a reviewer approves it there, and the deploy gate tells CI whether the release may be deployed.

## A release

1. Make a milestone whose title is the version, such as \`v1.2.3\`, and put its issues into it.
2. Let CI run on the release branch \`release/v1.2.3\`, or on the default branch where you release from there. What it
   finds becomes evidence for the release.
3. Once the tests pass, Shipgate opens the pull request \`Evidence for v1.2.3\`. Review it and approve it.
4. Deploy by a workflow that needs the gate, as below. Without the gate's yes its deploy job does not begin.

## The files

| file | is |
| --- | --- |
| \`sdlc.yaml\` | the rules: which checks, evidence and approvals a release needs. It is yours to change, by pull request |
| \`.github/workflows/shipgate-ci.yml\` | runs the tests and uploads their reports. To upload by a CI of your own instead, take it out of the pull request that brings it, before you merge |
| \`.github/workflows/shipgate-enforce.yml\` | checks \`sdlc.yaml\`, and is the gate as a job that others need |

Shipgate keeps the two workflows up to date by pull requests. Once they are merged, somebody else's change of either fails the
check \`Shipgate\` on its pull request, and where one gets in all the same, the gate closes until it is undone.

## Deploying

\`\`\`yaml
jobs:
  gate:
    uses: ./.github/workflows/shipgate-enforce.yml
    permissions: { contents: read, id-token: write }
    with:
      version: v1.2.3
      sha: \${{ github.sha }}
  deploy:
    needs: gate
    environment: production
    runs-on: ubuntu-latest
    steps:
      - run: echo deploying
\`\`\`
`;

export const BOOTSTRAP_TITLE = 'Set up Shipgate';

export const BOOTSTRAP_MESSAGE = `Set up Shipgate

Adds the rules of releases, the workflows that keep to them, and a guide.`;

const PURPOSES: Readonly<Record<string, Markdown>> = {
  [POLICY_FILE]: gfm`the rules of releases, with every default in comments; yours from now on`,
  [GUIDE_FILE]: gfm`how releases go from here, for those who work in this repository`,
  [CI_WORKFLOW]: gfm`runs the tests and uploads their reports as evidence`,
  [ENFORCE_WORKFLOW]: gfm`checks the rules, and is the deploy gate as a job that a deploy workflow needs`,
};
const REASONS_NOT_TO_CHANGE: Readonly<Record<string, Markdown>> = {
  [CI_WORKFLOW]: gfm`is your own: CI counts as custom here, and you upload evidence yourselves`,
};

/** Builds the description of the pull request: the added files, the unchanged files, and the effects of the merge. */
export function bootstrapBody({ write, unchanged, replaced }: BootstrapPlan, defaultBranch: string): Markdown {
  const noteOn = (path: string) => (replaced.includes(path) ? gfm` (takes the place of the file there)` : null);
  return lines([
    gfm`This pull request sets this repository up for Shipgate. It brings:`,
    gfm``,
    ...write.map(({ path }) => gfm`- ${path}: ${PURPOSES[path] ?? gfm`belongs to it`}${noteOn(path)}`),
    ...unchanged.map((path) => gfm`- ${path} stays as it is: it ${REASONS_NOT_TO_CHANGE[path] ?? gfm`is your own`}`),
    gfm``,
    gfm`**When it is merged**`,
    gfm``,
    gfm`- ${POLICY_FILE} governs releases: each milestone whose title is a version is one.`,
    gfm`- Shipgate protects ${defaultBranch} and the release branches with rulesets of its own: changes come by approved pull request with the check ${'Shipgate'}, and neither force pushes nor deletions are taken. Other rules stay as they are.`,
    gfm`- Deployments that ask the gate need evidence and an approval; nothing that is deployed now changes until a workflow asks.`,
    gfm``,
    gfm`Close it without merging and nothing of this happens; it can be asked for again.`,
  ]);
}

/**
 * Builds the `sdlc.yaml` that a bootstrap proposes. It sets only the version and a name, so that the organization default
 * applies unchanged. All other settings are in comments, with their defaults.
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
