import { discoverJwksUri } from '../../auth/oidc/discovery.js';
import { readIssuerDocument } from '../../auth/oidc/issuer-document.js';
import type { Environment } from '../../config/environment.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { type Finding, Findings, sentenceOf } from './finding.js';

const REMEDY =
  'OIDC_ISSUER must be the issuer of the identity tokens, character by character: on a GitHub Enterprise Server ' +
  'https://<host>/_services/token.';

/** Whether identity tokens of CI runs can be checked: by the issuer's own discovery document and keys. */
export async function examineIssuer({ oidcIssuer, oidcAudience }: Environment): Promise<readonly Finding[]> {
  const findings = new Findings('identity tokens');
  try {
    const jwks = (await readIssuerDocument(await discoverJwksUri(oidcIssuer))) as { readonly keys?: unknown } | null;
    const count = Array.isArray(jwks?.keys) ? jwks.keys.length : 0;
    if (count === 0) return [findings.fail(`${oidcIssuer} shows no keys`, REMEDY)];
    return [findings.ok(`${oidcIssuer} shows ${count} keys; runs ask for the audience "${oidcAudience}"`)];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // What the service hides from its callers its operator has to know.
    const reason = error.cause === undefined ? error.message : sentenceOf(error.cause);
    return [findings.fail(`${oidcIssuer} cannot be used: ${reason}`, REMEDY)];
  }
}
