import type { PublicKey } from './public-key.js';

/** Signs in the name of the service, by the key that was in use when it was asked for. */
export interface Signer extends PublicKey {
  /** An Ed25519 signature (RFC 8032), in base64url: the same for the same bytes, always. */
  readonly sign: (content: Uint8Array) => string;
}
