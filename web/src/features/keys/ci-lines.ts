/** What the lines for CI need to know about the service. */
interface Service {
  readonly url: string;
  /** The audience of identity tokens. */
  readonly audience: string;
}

const UPLOAD = `curl --fail-with-body -sS --retry 5 -H "Authorization: Bearer`;

/** A step of a workflow on GitHub that uploads evidence with the identity token of its run. */
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
      ${UPLOAD} $token" \\
        -H 'Content-Type: application/json' --data-binary @evidence.json ${url}/api/evidence/upload`;

/** An upload with an API key. */
export const uploadLines = ({ url }: Service): string => `\
${UPLOAD} $SHIPGATE_API_KEY" \\
  -H 'Content-Type: application/json' --data-binary @evidence.json ${url}/api/evidence/upload`;

/** A check of the gate with an API key. */
export const gateLines = ({ url }: Service): string => `\
${UPLOAD} $SHIPGATE_API_KEY" --get \\
  --data-urlencode "repo=$REPOSITORY" --data-urlencode "version=$VERSION" --data-urlencode "sha=$COMMIT" \\
  ${url}/api/milestones/check | jq -e '.can_deploy == true'`;
