import { createPublicKey } from 'node:crypto';
import { jwkThumbprint } from '../../crypto/public-key.js';
import { readTrustedKeys, type TrustedKey } from '../verify-pack/verify-pack.js';

const PEM = /-----BEGIN PUBLIC KEY-----[\w\s+/=]+-----END PUBLIC KEY-----/g;

/**
 * Parses the keys that may sign statements: the key set that the service publishes, or public keys in PEM, as admission policies have
 * them. Null if the text has no Ed25519 key, or another one beside it.
 */
export function readStatementKeys(text: string): readonly TrustedKey[] | null {
  const keys = text.match(PEM);
  if (keys === null) return readTrustedKeys(text);
  const read = keys.map(readPem);
  return read.every((key) => key !== null) ? read : null;
}

function readPem(text: string): TrustedKey | null {
  try {
    const { crv, x } = createPublicKey(text).export({ format: 'jwk' });
    // PEM does not tell when a key was retired.
    return crv === 'Ed25519' && x !== undefined ? { keyId: jwkThumbprint(x), x, retiredAt: null } : null;
  } catch {
    return null;
  }
}
