/** The values of the service in the lines for CI. */
interface Service {
  readonly url: string;
  /** The audience of identity tokens. */
  readonly audience: string;
}

const CURL = 'curl --fail-with-body -sS --retry 5 -H "Authorization: Bearer';
const SEND = `-H 'Content-Type: application/json' --data-binary @evidence.json`;

/** A job of a workflow on GitHub that uploads evidence with the identity token of its run. */
export const actionsLines = ({ url, audience }: Service): string => `\
permissions:
  contents: read
  id-token: write
steps:
  - name: Upload the evidence
    if: \${{ !cancelled() }}
    run: |
      token=$(curl -fsS --retry 5 -H "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\
        "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${encodeURIComponent(audience)}" | jq -er .value)
      jq -n --rawfile junit junit.xml '{
        repo: env.GITHUB_REPOSITORY, version: (env.GITHUB_REF_NAME | split("/") | last),
        pipeline: env.GITHUB_WORKFLOW, job: env.GITHUB_JOB, environment: "staging",
        files: [{filename: "junit.xml", content: $junit}]
      }' > evidence.json
      ${CURL} $token" \\
        ${SEND} ${url}/api/evidence/upload`;

/** An upload with an API key. */
export const uploadLines = ({ url }: Service): string => `\
jq -n --rawfile junit junit.xml '{
  repo: env.REPOSITORY, version: env.VERSION, commit_sha: env.COMMIT, run_url: env.RUN_URL, pipeline: "CI",
  files: [{filename: "junit.xml", content: $junit}]
}' > evidence.json
${CURL} $SHIPGATE_API_KEY" \\
  ${SEND} ${url}/api/evidence/upload`;

/** A check of the gate with an API key. */
export const gateLines = ({ url }: Service): string => `\
${CURL} $SHIPGATE_API_KEY" --get \\
  --data-urlencode "repo=$REPOSITORY" --data-urlencode "version=$VERSION" --data-urlencode "sha=$COMMIT" \\
  ${url}/api/milestones/check | jq -e '.can_deploy == true'`;
