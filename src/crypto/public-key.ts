import { createHash, createPublicKey, verify } from 'node:crypto';

/** An Ed25519 public key as a JSON Web Key (RFC 8037, § 2): 32 bytes in base64url. */
export interface PublicKey {
  /** The key's thumbprint. */
  readonly keyId: string;
  readonly x: string;
}

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * The thumbprint of an Ed25519 key: SHA-256 over its required members in the order of their names (RFC 7638, § 3; RFC 8037, § 2).
 * `calculateJwkThumbprint` of `jose` is asynchronous and would be a part of the bundle of the command line.
 */
export const jwkThumbprint = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');

/** Whether the text is a public key in canonical base64url. */
export const isPublicKey = (x: string): boolean => isBase64url(x, KEY_BYTES);

/** Whether the key signed exactly these bytes. False if the key or the signature is invalid or not in canonical base64url. */
export function isSignedBy(x: string, content: Uint8Array, signature: string): boolean {
  if (!isPublicKey(x) || !isBase64url(signature, SIGNATURE_BYTES)) return false;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, content, key, Buffer.from(signature, 'base64url'));
}

/** The last character of a base64url text has spare bits, so the same bytes can be written in several ways. */
function isBase64url(text: string, length: number): boolean {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text;
}
