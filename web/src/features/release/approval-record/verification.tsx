import type { Schema } from '../../../api/client.js';
import { Lines } from '../../../ui/lines.js';
import { Section } from '../../../ui/section.js';
import { text } from '../../../texts/en/approval-record.js';

const KEYS = 'shipgate-keys.json';

/** The commands with which a reader checks the record without trust in the service. */
export function Verification({ release: { repo, version } }: { readonly release: Schema<'Release'> }) {
  const { origin } = location;
  // As the service names the download.
  const pack = `shipgate-${repo}-${version}`.replaceAll(/[^\w.-]/g, '_');
  return (
    <Section title={text.verify}>
      <p>{text.verifyLead}</p>
      <Lines title={text.verifyKeys}>{`curl -fsS -o ${KEYS} ${origin}/.well-known/${KEYS}`}</Lines>
      <Lines title={text.verifyPack}>
        {[
          `curl -fsS -o shipgate.cjs ${origin}/cli/shipgate.cjs`,
          `node shipgate.cjs verify-pack ${pack}.zip --keys ${KEYS}`,
        ].join('\n')}
      </Lines>
      <Lines title={text.verifyDocument}>
        {[
          `jq -cSj 'del(.signature)' evidence.json > signed.json`,
          `jq -r .signature.value evidence.json | tr '_-' '/+' | sed 's/$/==/' | base64 -d > signature.bin`,
          `X=$(jq -r --arg id "$(jq -r .signature.keyId evidence.json)" '.keys[] | select(.kid == $id).x' ${KEYS} | tr '_-' '/+')`,
          `(printf '302a300506032b6570032100' | xxd -r -p; printf '%s=' "$X" | base64 -d) > key.der`,
          `openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in signed.json -sigfile signature.bin`,
        ].join('\n')}
      </Lines>
    </Section>
  );
}
