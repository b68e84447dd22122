/**
 * Runs a command only if the release may be deployed now, and reports the deployment.
 *
 * url: the address of Shipgate
 * environment: the environment, as the policy names it
 * command: lines of shell that deploy; the first one that fails ends them
 * repo: the repository on GitHub, as owner/name; without it, the one of GIT_URL
 * release: the title of its milestone; without it, Shipgate finds the release by the branch or tag
 * credentialsId: a secret text with an API key of the scopes gate:read and deployment:write; without it, "shipgate"
 * cliSha256: the SHA-256 that the command line must have; without it, the SHA-256 that Shipgate serves
 */
def call(Map options) {
  def missing = ['url', 'environment', 'command'].findAll { !options[it] }
  if (missing) {
    error("Missing: ${missing.join(', ')}")
  }
  withEnv([
    "SHIPGATE_URL=${options.url}",
    "SHIPGATE_REPO=${options.repo ?: ''}",
    "SHIPGATE_VERSION=${options.release ?: 'auto'}",
    "SHIPGATE_ENVIRONMENT=${options.environment}",
    "SHIPGATE_COMMAND=${options.command}",
    "SHIPGATE_CLI_SHA256=${options.cliSha256 ?: ''}",
  ]) {
    withCredentials([string(credentialsId: options.credentialsId ?: 'shipgate', variable: 'SHIPGATE_API_KEY')]) {
      sh '''#!/bin/sh
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cli="$folder/shipgate.cjs"
# A refused connection is tried again. A failed download is a missing answer, which has the exit code 3.
fetch() { curl -fsS --retry 5 --retry-all-errors --retry-max-time 120 --connect-timeout 10 --max-time 60 "$@" || exit 3; }
fetch -o "$cli" "$SHIPGATE_URL/cli/shipgate.cjs"
digest="${SHIPGATE_CLI_SHA256:-}"
if [ -z "$digest" ]; then
  fetch -o "$cli.sha256" "$SHIPGATE_URL/cli/shipgate.cjs.sha256"
  digest="$(cut -d ' ' -f 1 "$cli.sha256")"
fi
if ! echo "$digest  $cli" | sha256sum -c - > /dev/null; then
  echo "The command line of $SHIPGATE_URL does not have the SHA-256 $digest." >&2
  exit 3
fi
node "$cli" deploy --environment "$SHIPGATE_ENVIRONMENT" -- sh -ec "$SHIPGATE_COMMAND"
'''
    }
  }
}
