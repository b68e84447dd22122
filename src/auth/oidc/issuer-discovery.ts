import { DomainError } from '../../http/errors/domain-error.js';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const RETRY_AFTER_SECONDS = 5;

/** The answer for whoever needs the issuer while it cannot be asked: its absence never lets anybody in. */
export const issuerUnavailable = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The issuer of identity tokens cannot be reached.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });

/**
 * Reads a JSON document of the issuer. Refuses with `unavailable` what is not 200, larger than 256 KB, slower than 5 s,
 * redirected (it would move the trust to whoever is redirected to), or not JSON.
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
    return JSON.parse(await readBounded(response)) as unknown;
  } catch (cause) {
    throw issuerUnavailable(cause);
  }
}

async function readBounded(response: Response): Promise<string> {
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

/** Whose identity tokens are accepted, and for whom they must have been made. */
export class OidcSettings {
  constructor(
    /** Compared exactly with the `iss` claim, and with what the discovery document says of itself. */
    readonly issuer: string,
    readonly audience: string,
  ) {}
}
