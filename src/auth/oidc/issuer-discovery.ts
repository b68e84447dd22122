import { issuerUnavailable } from '../auth.errors.js';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

/**
 * Reads a JSON document of the issuer. Throws `unavailable` for a status other than 200, more than 256 KB, more than 5 s, a
 * redirect (which would trust another server), or text that is not JSON.
 */
export async function readIssuerDocument(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`${url} answered ${response.status}.`);
    }
    return JSON.parse(await readResponseWithLimit(response)) as unknown;
  } catch (cause) {
    throw issuerUnavailable(cause);
  }
}

async function readResponseWithLimit(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`${response.url} is larger than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Reads the address of the issuer's keys from its discovery document (OpenID Connect Discovery 1.0, § 4). The document must
 * name exactly this issuer (§ 4.3), and its keys must be under https or on the origin of the issuer.
 */
export async function discoverJwksUri(issuer: string): Promise<string> {
  const document = await readIssuerDocument(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const { issuer: name, jwks_uri: jwksUri } = (document ?? {}) as { issuer?: unknown; jwks_uri?: unknown };
  if (name !== issuer) throw issuerUnavailable(new Error('The discovery document names another issuer.'));
  if (typeof jwksUri !== 'string' || !URL.canParse(jwksUri)) {
    throw issuerUnavailable(new Error('The discovery document names no keys.'));
  }
  const { protocol, origin } = new URL(jwksUri);
  if (protocol !== 'https:' && origin !== new URL(issuer).origin) {
    throw issuerUnavailable(new Error("The issuer's keys are neither under https nor on its origin."));
  }
  return jwksUri;
}

/** The issuer and the audience of accepted identity tokens. */
export class OidcSettings {
  constructor(
    /** Must equal the `iss` claim and the issuer in the discovery document. */
    readonly issuer: string,
    readonly audience: string,
  ) {}
}
