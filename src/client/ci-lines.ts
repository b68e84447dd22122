import type { InitSystem } from './command-table.js';

/** The lines with which a CI system uses Shipgate. */
export interface CiLines {
  /** The file that `init` writes; null if the lines must be copied into a file of the team. */
  readonly file: string | null;
  readonly text: string;
  /** What is left to do, as a sentence. */
  readonly next: string;
}

/** A failed download ends with the exit code of a missing answer. A refused connection is tried again. */
const DOWNLOAD = 'curl -fsSO --retry 5 --retry-all-errors --max-time 60 "$SHIPGATE_URL/cli/shipgate.cjs" || exit 3';
const UPLOAD = 'node shipgate.cjs upload junit.xml';
const GATE = 'node shipgate.cjs gate --wait 15m';

const KEY = 'Store an API key with the scopes evidence:write and gate:read as the secret SHIPGATE_API_KEY.';
const copyInto = (file: string): string => `Copy these lines into ${file}. ${KEY}`;

const github = (url: string): string => `\
# Uploads the reports of the tests as evidence of a release, and deploys only while the gate of Shipgate is open.
name: Release
on:
  push:
    branches: ['release/**']
  workflow_dispatch: # deploys the release of the branch
env:
  SHIPGATE_URL: '${url}'
jobs:
  test:
    if: \${{ github.event_name == 'push' }}
    runs-on: ubuntu-latest
    permissions:
      contents: read
      id-token: write
    steps:
      - uses: actions/checkout@v4
      - run: ./test.sh # replace it by your tests, which write junit.xml
      - name: Upload the evidence
        if: \${{ !cancelled() }} # failing tests are evidence, too
        run: |
          ${DOWNLOAD}
          ${UPLOAD}
  gate:
    if: \${{ github.event_name == 'workflow_dispatch' }}
    runs-on: ubuntu-latest
    permissions:
      id-token: write
    steps:
      - name: Check the gate
        run: |
          ${DOWNLOAD}
          ${GATE}
  deploy:
    needs: gate # a separate job: the deployment must begin after the gate was open
    runs-on: ubuntu-latest
    permissions:
      contents: read
    environment: production
    steps:
      - uses: actions/checkout@v4
        with: { persist-credentials: false }
      - run: ./deploy.sh # replace it by your deployment
`;

/** A rule without `when` takes that of its job. The gate has no `needs`, so that it starts only after all earlier stages passed. */
const gitlab = (url: string, repository: string): string => `\
# Uploads the reports of earlier jobs as evidence of a release, and checks the gate of Shipgate. The job that deploys needs shipgate-gate.
.shipgate:
  stage: deploy
  image: node:24
  rules: # the branches and tags of releases
    - if: $CI_COMMIT_TAG || $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH || $CI_COMMIT_BRANCH =~ /^release\\//
  variables:
    SHIPGATE_URL: '${url}'
    SHIPGATE_REPO: '${repository}'
  before_script:
    - ${DOWNLOAD}
shipgate-upload:
  extends: .shipgate
  when: always # failing tests are evidence, too
  script:
    - ${UPLOAD} # an artifact of the job with the tests, with \`when: always\`
shipgate-gate:
  extends: .shipgate
  when: manual # starts a deployment
  allow_failure: false # a closed gate stops it
  script:
    - ${GATE}
`;

const jenkins = (url: string): string => `\
// In the stage with the tests:
post {
  always {
    withEnv(['SHIPGATE_URL=${url}']) {
      withCredentials([string(credentialsId: 'shipgate', variable: 'SHIPGATE_API_KEY')]) {
        sh '''${DOWNLOAD}
${UPLOAD}'''
      }
    }
  }
}
// In the stage that deploys, before the deployment:
withEnv(['SHIPGATE_URL=${url}']) {
  withCredentials([string(credentialsId: 'shipgate', variable: 'SHIPGATE_API_KEY')]) {
    sh '''${DOWNLOAD}
${GATE}'''
  }
}
`;

const circleci = (url: string): string => `\
# In the job with the tests:
- run:
    name: Upload the evidence
    when: always
    environment: { SHIPGATE_URL: '${url}' }
    command: |
      ${DOWNLOAD}
      ${UPLOAD}
# In the job that deploys, before the deployment:
- run:
    name: Check the gate
    environment: { SHIPGATE_URL: '${url}' }
    command: |
      ${DOWNLOAD}
      ${GATE}
`;

/** The branches and tags of releases. */
const RELEASES_OF_BUILDKITE =
  'build.pull_request.id == null && (build.tag != null || build.branch == pipeline.default_branch || build.branch =~ /^release\\//)';

/** The agent replaces single dollar signs when it uploads the pipeline. */
const buildkite = (url: string): string =>
  `\
- label: Upload the evidence
  key: shipgate-upload
  if: ${RELEASES_OF_BUILDKITE}
  depends_on: [{ step: tests, allow_failure: true }] # failing tests are evidence, too
  secrets: [SHIPGATE_API_KEY]
  env: { SHIPGATE_URL: '${url}' }
  commands:
    - buildkite-agent artifact download junit.xml .
    - ${DOWNLOAD}
    - ${UPLOAD}
- label: Check the gate
  key: shipgate-gate # the step that deploys depends on it, and has the same \`if\`
  if: ${RELEASES_OF_BUILDKITE}
  depends_on: [tests, shipgate-upload]
  secrets: [SHIPGATE_API_KEY]
  env: { SHIPGATE_URL: '${url}' }
  commands:
    - ${DOWNLOAD}
    - ${GATE}
`.replaceAll('"$', '"$$$$');

const azure = (url: string): string => `\
# After the tests:
- bash: |
    ${DOWNLOAD}
    ${UPLOAD}
  displayName: Upload the evidence
  condition: succeededOrFailed()
  env: { SHIPGATE_URL: '${url}', SHIPGATE_API_KEY: $(SHIPGATE_API_KEY) }
# In the job that deploys, before the deployment:
- bash: |
    ${DOWNLOAD}
    ${GATE}
  displayName: Check the gate
  env: { SHIPGATE_URL: '${url}', SHIPGATE_API_KEY: $(SHIPGATE_API_KEY) }
`;

const other = (url: string, repository: string): string => `\
export SHIPGATE_URL='${url}' SHIPGATE_REPO='${repository}'
${DOWNLOAD}
commit="$(git rev-parse HEAD)"
# After the tests. All jobs of one pipeline state the same --run-url:
${UPLOAD} --release v1.4.0 --commit "$commit" --pipeline build --job tests --run-url "https://ci.example/runs/1"
# Before the deployment:
${GATE} --release v1.4.0 --sha "$commit" && ./deploy.sh
`;

const LINES: Readonly<Record<InitSystem, (url: string, repository: string) => CiLines>> = {
  github: (url) => ({
    file: '.github/workflows/shipgate.yml',
    text: github(url),
    next: 'Replace ./test.sh and ./deploy.sh in the workflow by your own commands. GitHub Actions needs no key.',
  }),
  gitlab: (url, repository) => ({
    file: '.gitlab/shipgate.yml',
    text: gitlab(url, repository),
    next: `Add \`include: [{ local: .gitlab/shipgate.yml }]\` to .gitlab-ci.yml, and \`needs: [shipgate-gate]\` and \`rules: !reference [.shipgate, rules]\` to the job that deploys. ${KEY}`,
  }),
  jenkins: (url) => ({ file: null, text: jenkins(url), next: copyInto('the Jenkinsfile') }),
  circleci: (url) => ({ file: null, text: circleci(url), next: copyInto('.circleci/config.yml') }),
  buildkite: (url) => ({ file: null, text: buildkite(url), next: copyInto('.buildkite/pipeline.yml') }),
  azure: (url) => ({ file: null, text: azure(url), next: copyInto('azure-pipelines.yml') }),
  other: (url, repository) => ({
    file: null,
    text: other(url, repository),
    next: copyInto('the scripts of your CI system'),
  }),
};

/** Returns the lines of a system, for the address of Shipgate and the repository. */
export const ciLines = (system: InitSystem, url: string, repository: string): CiLines => LINES[system](url, repository);
