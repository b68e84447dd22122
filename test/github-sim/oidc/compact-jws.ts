import { constants, createHmac, sign, type KeyObject } from 'node:crypto';

/** Returns the signature over `header.payload`. */
export type Signer = (input: string) => Buffer;

export type RsaAlgorithm = 'RS256' | 'RS384' | 'RS512' | 'PS256';

export const base64url = (value: string | Buffer): string => Buffer.from(value).toString('base64url');

/**
 * Returns a JWS in its compact form (RFC 7515, § 7.1). It uses no library, because a library creates no invalid token.
 * A text is the payload itself, anything else is encoded as JSON.
 */
export function compactJws(header: object, payload: object | string, signer: Signer): string {
  const bytes = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const input = `${base64url(JSON.stringify(header))}.${base64url(bytes)}`;
  return `${input}.${base64url(signer(input))}`;
}

export const rsaSigner =
  (algorithm: RsaAlgorithm, key: KeyObject): Signer =>
  (input) =>
    sign(`sha${algorithm.slice(2)}`, Buffer.from(input), {
      key,
      ...(algorithm === 'PS256'
        ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
        : { padding: constants.RSA_PKCS1_PADDING }),
    });

export const hs256Signer =
  (secret: string | Buffer): Signer =>
  (input) =>
    createHmac('sha256', secret).update(input).digest();

export const noSigner: Signer = () => Buffer.alloc(0);
