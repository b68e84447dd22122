import { isPublicKey, thumbprintOf } from '../../features/signing/public-key.js';

/** A key of which whoever verifies knows by another way that it is the service's. */
export interface TrustedKey {
  readonly keyId: string;
  readonly x: string;
  /** When it was retired; null where it was not, or nothing is told of it. */
  readonly retiredAt: string | null;
}

/** Reads a JSON Web Key Set as the service publishes it; null where the text is none, or holds no key of this kind. */
export function readTrustedKeys(text: string): readonly TrustedKey[] | null {
  let read: { readonly keys?: unknown } | null;
  try {
    read = JSON.parse(text) as typeof read;
  } catch {
    return null;
  }
  const keys = Array.isArray(read?.keys) ? read.keys.flatMap(trustedKey) : [];
  return keys.length === 0 ? null : keys;
}

function trustedKey(given: unknown): readonly TrustedKey[] {
  const { kty, crv, x, retiredAt } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string' || !isPublicKey(x)) return [];
  return [{ keyId: thumbprintOf(x), x, retiredAt: typeof retiredAt === 'string' ? retiredAt : null }];
}
