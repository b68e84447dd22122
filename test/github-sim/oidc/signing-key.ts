import type { KeyObject } from 'node:crypto';
import { takeRsaKeys } from '../rsa-keys.js';

/** An RSA key pair with its id. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function generateSigningKey(kid: string): SigningKey {
  return { kid, ...takeRsaKeys() };
}

/** The public key as in a published key set (RFC 7517). */
export function publicJwk({ kid, publicKey }: SigningKey): Readonly<Record<string, unknown>> {
  return { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
}
