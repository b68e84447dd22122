import type { PackTitle } from './pack-writer.js';

/** What an auditor has to know who opens a pack and knows nothing of the service. */
export const packReadme = ({ release, madeAt, service }: PackTitle): string => `\
Audit pack of ${release.version} of ${release.org}/${release.repo}
made at ${madeAt.toISOString()} by Shipgate ${service}

It holds everything that Shipgate keeps of this release, as of that moment:

  release.json               the release, its stage, and what kept it there
  policy.json                the policy of its repository (sdlc.yaml), as it was read last
  evidence/                  what CI uploaded: one file an upload, in the order in which they came
  reports/                   the uploaded files themselves, byte by byte, each named by its SHA-256
  evidence-pulls.json        the pull requests by which the evidence was approved, and their reviews
  evidence-pulls/            the files that Shipgate put into them
  transitions.json           every change of stage
  decisions/                 every verdict of the deploy gate with all that it was derived from
  overrides.json             what people set aside, who asked for it and who confirmed it
  history.json               the deployments that shipped it, or went back to it
  audit-log.json             who did what to this release; each entry is sealed by its hash
  keys.json                  the public keys of the service
  manifest.json              this list with sizes and digests
  signature.json             an Ed25519 signature over the bytes of manifest.json

The reports are what somebody uploaded. One that is HTML may run scripts when a browser opens it: look at it as text, or
in a place where that does no harm.

To verify the pack, with no network, from a checkout of Shipgate:

  npm run verify-pack -- PACK.zip --keys shipgate-keys.json

where shipgate-keys.json was fetched from /.well-known/shipgate-keys.json of the service by a way that you trust, and not
with this pack. It checks every byte, derives every decision again, and names the first byte that was changed.

To verify the signature with OpenSSL 3 alone, in bash:

  unzip -p PACK.zip manifest.json > manifest.json
  field() { unzip -p PACK.zip signature.json | sed -n 's/^ "'$1'": "\\([^"]*\\)".*/\\1/p' | tr '_-' '/+'; }
  (printf '302a300506032b6570032100' | xxd -r -p; printf '%s=' "$(field publicKey)" | base64 -d) > key.der
  printf '%s==' "$(field signature)" | base64 -d > signature.bin
  openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in manifest.json -sigfile signature.bin

and then each file against its sha256 in manifest.json.
`;
