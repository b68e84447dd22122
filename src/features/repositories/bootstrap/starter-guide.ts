export const GUIDE_FILE = '.github/SHIPGATE.md';

/** The short guide that a bootstrap leaves in the repository, for those who work in it. */
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
