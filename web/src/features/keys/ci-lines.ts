/** The values of the service in the lines for CI. */
interface Service {
  readonly url: string;
  /** The audience of identity tokens. */
  readonly audience: string;
}

/** Exit code 3 means that Shipgate was not reached, as with the command line itself. */
const DOWNLOAD = 'curl -fsSO --retry 5 --retry-all-errors "$SHIPGATE_URL/cli/shipgate.cjs" || exit 3';

/** A job of a workflow on GitHub that uploads evidence with the identity token of its run. */
export const actionsLines = ({ url, audience }: Service): string => `\
permissions:
  contents: read
  id-token: write
steps:
  - name: Upload the evidence
    if: \${{ !cancelled() }}
    env:
      SHIPGATE_URL: ${url}
      SHIPGATE_AUDIENCE: ${JSON.stringify(audience)}
    run: |
      ${DOWNLOAD}
      node shipgate.cjs upload --environment staging junit.xml`;

/** An upload with an API key. The command line knows the variables of the usual CI systems, so most need no more. */
export const uploadLines = ({ url }: Pick<Service, 'url'>, org: string): string => `\
export SHIPGATE_URL=${url} SHIPGATE_REPO=${org}/REPOSITORY
${DOWNLOAD}
node shipgate.cjs upload --environment staging junit.xml`;

/** A check of the gate, after the lines of the upload. */
export const gateLines = (): string => 'node shipgate.cjs gate --wait 15m && ./deploy.sh';

/** The creation of the first files. */
export const initLines = ({ url }: Pick<Service, 'url'>): string => `\
curl -fsSO --retry 5 ${url}/cli/shipgate.cjs
node shipgate.cjs init --url ${url}`;
