import type { webcrypto } from 'node:crypto';
import { importJWK, type CryptoKey, type JWK } from 'jose';

/** More than any issuer publishes: GitHub has four. */
const MAX_KEYS = 100;
const MIN_MODULUS_BITS = 2048;

/**
 * The keys of a JWK set that may verify an RS256 signature, by key id: RSA of 2,048 bits or more, for signing, with an id.
 * Any other key is passed over; null where this is no JWK set at all.
 */
export async function readSigningKeys(document: unknown): Promise<ReadonlyMap<string, CryptoKey> | null> {
  const { keys } = (document ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) return null;
  const signing = new Map<string, CryptoKey>();
  for (const jwk of (keys as unknown[]).slice(0, MAX_KEYS)) {
    if (!isSigningJwk(jwk)) continue;
    const key = await importSigningKey(jwk);
    if (key !== null) signing.set(jwk.kid, key);
  }
  return signing;
}

function isSigningJwk(value: unknown): value is JWK & { kid: string } {
  const { kid, kty, use, alg } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof kid === 'string' && kid !== '' && kty === 'RSA' && use === 'sig' && (alg === undefined || alg === 'RS256')
  );
}

async function importSigningKey({ kty, n, e }: JWK): Promise<CryptoKey | null> {
  try {
    // Only the public members: a private one published by mistake must not become a key that can sign.
    const key = (await importJWK({ kty, n, e } as JWK, 'RS256')) as CryptoKey;
    return (key.algorithm as webcrypto.RsaHashedKeyAlgorithm).modulusLength >= MIN_MODULUS_BITS ? key : null;
  } catch {
    return null;
  }
}
