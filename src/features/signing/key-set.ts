import type { PublishedKey } from './signing-keys.repository.js';

/** A public key of the service as a JSON Web Key, with the time in which it was used. */
interface PublishedJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
  readonly madeAt: string;
  readonly retiredAt: string | null;
}

/** A JSON Web Key Set (RFC 7517, § 5). Members that it does not know a reader ignores. */
export interface KeySet {
  readonly keys: readonly PublishedJwk[];
}

export const keySetOf = (keys: readonly PublishedKey[]): KeySet => ({
  keys: keys.map(({ keyId, x, madeAt, retiredAt }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    x,
    kid: keyId,
    use: 'sig',
    alg: 'EdDSA',
    madeAt: madeAt.toISOString(),
    retiredAt: retiredAt?.toISOString() ?? null,
  })),
});
