import type { BootstrapPlan } from '../../../domain/repository/bootstrap.js';
import { CI_WORKFLOW, ENFORCE_WORKFLOW, POLICY_FILE } from '../../../domain/repository/managed-files.js';
import { gfm, lines, type Markdown } from '../../../github/markdown.js';

export const GUIDE_FILE = '.github/SHIPGATE.md';

/** The guide that a bootstrap adds to the repository, for its developers. */
export const starterGuide = (serviceUrl: string): string => `\
# Releases of this repository

[Shipgate](${serviceUrl}) governs the releases of this repository. CI uploads evidence for a release. Shipgate opens a pull
request with the evidence, which a reviewer approves. Then the deploy gate allows CI to deploy the release.

## A release

1. Create a milestone whose title is the version, such as \`v1.2.3\`, and assign its issues to it.
2. Run CI on the release branch \`release/v1.2.3\`, or on the default branch if you release from there. The results become
   evidence for the release.
3. When the tests pass, Shipgate opens the pull request \`Evidence for v1.2.3\`. Review and approve it.
4. Deploy with a workflow that needs the gate, as shown below. Its deploy job does not start while the gate is closed.

## The files

| file | purpose |
| --- | --- |
| \`sdlc.yaml\` | the rules: the checks, evidence and approvals that a release needs. Change it by pull request |
| \`.github/workflows/shipgate-ci.yml\` | runs the tests and uploads their reports. To upload from your own CI instead, remove this file from the pull request that adds it, before you merge |
| \`.github/workflows/shipgate-enforce.yml\` | checks \`sdlc.yaml\`, and contains the gate as a job that other jobs can need |

Shipgate updates the two workflows by pull requests. After they are merged, any other change of them fails the check
\`Shipgate\` on its pull request. If such a change is merged anyway, the gate stays closed until the change is reverted.

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

Adds the rules of releases, the workflows that follow them, and a guide.`;

const PURPOSES: Readonly<Record<string, Markdown>> = {
  [POLICY_FILE]: gfm`the rules of releases, with every default in comments; it belongs to your team from now on`,
  [GUIDE_FILE]: gfm`a guide to releases for the developers of this repository`,
  [CI_WORKFLOW]: gfm`runs the tests and uploads their reports as evidence`,
  [ENFORCE_WORKFLOW]: gfm`checks the rules, and contains the deploy gate as a job for deploy workflows`,
};
const REASONS_NOT_TO_CHANGE: Readonly<Record<string, Markdown>> = {
  [CI_WORKFLOW]: gfm`is your own. The repository uses its own CI, which must upload the evidence`,
};

/** Builds the description of the pull request: the added files, the unchanged files, and the effects of the merge. */
export function bootstrapBody({ write, unchanged, replaced }: BootstrapPlan, defaultBranch: string): Markdown {
  const noteOn = (path: string) => (replaced.includes(path) ? gfm` (replaces the present file)` : null);
  return lines([
    gfm`This pull request sets up this repository for Shipgate. It adds:`,
    gfm``,
    ...write.map(({ path }) => gfm`- ${path}: ${PURPOSES[path] ?? gfm`a file of Shipgate`}${noteOn(path)}`),
    ...unchanged.map((path) => gfm`- ${path} is not changed: it ${REASONS_NOT_TO_CHANGE[path] ?? gfm`is your own`}`),
    gfm``,
    gfm`**When it is merged**`,
    gfm``,
    gfm`- ${POLICY_FILE} governs releases: each milestone whose title is a version is a release.`,
    gfm`- Shipgate protects ${defaultBranch} and the release branches with its own rulesets: changes need an approved pull request with the check ${'Shipgate'}, and force pushes and deletions are rejected. Other rules are not changed.`,
    gfm`- Deployments by a workflow that needs the gate require evidence and an approval. Other deployments do not change.`,
    gfm``,
    gfm`If you close it without merging, nothing changes. You can start the set-up again later.`,
  ]);
}
