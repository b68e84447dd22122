import { issuerUnavailable, readIssuerDocument } from './issuer-document.js';

/**
 * Where the issuer's keys are, by its discovery document (OpenID Connect Discovery 1.0, § 4). The document must call
 * itself exactly by the issuer's name (§ 4.3), and name its keys under https or on the issuer's own origin.
 */
export async function discoverJwksUri(issuer: string): Promise<string> {
  const document = await readIssuerDocument(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const { issuer: name, jwks_uri: jwksUri } = (document ?? {}) as { issuer?: unknown; jwks_uri?: unknown };
  if (name !== issuer) throw issuerUnavailable(new Error('The discovery document is of another issuer.'));
  if (typeof jwksUri !== 'string' || !URL.canParse(jwksUri)) {
    throw issuerUnavailable(new Error('The discovery document names no keys.'));
  }
  const { protocol, origin } = new URL(jwksUri);
  if (protocol !== 'https:' && origin !== new URL(issuer).origin) {
    throw issuerUnavailable(new Error("The issuer's keys are neither under https nor on its own origin."));
  }
  return jwksUri;
}
