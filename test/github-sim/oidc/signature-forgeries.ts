import { generateKeyPairSync, sign } from 'node:crypto';
import type { ClaimChanges } from './actions-claims.js';
import { base64url, compactJws, hs256Signer, noSigner, rsaSigner, type Signer } from './compact-jws.js';
import type { Forgery } from './forgery.js';
import type { OidcIssuer } from './oidc-issuer.js';
import { generateSigningKey, publicJwk, type SigningKey } from './signing-key.js';

/** Header parameters that replace those of the issuer. */
type HeaderChanges = Readonly<Record<string, unknown>>;

let foreignKey: SigningKey | null = null;

/** A key that the issuer never had. It is created at the first use, because that takes time. */
const foreign = (): SigningKey => (foreignKey ??= generateSigningKey('foreign'));

/** The header and claims of a valid token with another signature. */
const signed = (issuer: OidcIssuer, claims: ClaimChanges, header: HeaderChanges, signer: Signer): string =>
  compactJws({ typ: 'JWT', alg: 'RS256', kid: issuer.key.kid, ...header }, issuer.claims(claims), signer);

/** A valid token with another header, signed with the issuer's key. */
const withHeader =
  (header: HeaderChanges): Forgery['forge'] =>
  (issuer, claims) =>
    issuer.token(claims, { header });

const unsigned =
  (alg: string): Forgery['forge'] =>
  (issuer, claims) =>
    signed(issuer, claims, { alg }, noSigner);

/** Algorithm confusion: the public key is used as an HMAC secret. */
const hmacWith =
  (secretOf: (key: SigningKey) => string | Buffer): Forgery['forge'] =>
  (issuer, claims) =>
    signed(issuer, claims, { alg: 'HS256' }, hs256Signer(secretOf(issuer.key)));

const byForeignKey =
  (headerOf: (key: SigningKey) => HeaderChanges = () => ({})): Forgery['forge'] =>
  (issuer, claims) =>
    signed(issuer, claims, headerOf(foreign()), rsaSigner('RS256', foreign().privateKey));

/** A valid token whose three parts were changed after it was signed. */
const rewritten =
  (
    rewrite: (parts: readonly [string, string, string], issuer: OidcIssuer, claims: ClaimChanges) => string,
  ): Forgery['forge'] =>
  (issuer, claims) => {
    const [header = '', payload = '', signature = ''] = issuer.token(claims).split('.');
    return rewrite([header, payload, signature], issuer, claims);
  };

const withPayload =
  (payload: string): Forgery['forge'] =>
  (issuer) =>
    compactJws({ typ: 'JWT', alg: 'RS256', kid: issuer.key.kid }, payload, rsaSigner('RS256', issuer.key.privateKey));

function flippedBit(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return base64url(bytes);
}

function es256(issuer: OidcIssuer, claims: ClaimChanges): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return signed(issuer, claims, { alg: 'ES256' }, (input) =>
    sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  );
}

/** Tokens with valid claims whose header, signature or form is invalid. */
export const SIGNATURE_FORGERIES: readonly Forgery[] = [
  { name: 'with alg none and no signature', forge: unsigned('none') },
  { name: 'with alg NONE and no signature', forge: unsigned('NONE') },
  { name: 'with an empty alg and no signature', forge: unsigned('') },
  { name: 'with no signature', forge: unsigned('RS256') },
  { name: 'with alg none beside a true signature', forge: withHeader({ alg: 'none' }) },
  { name: 'without alg', forge: withHeader({ alg: undefined }) },
  {
    name: 'with HS256 by the public key’s PEM',
    forge: hmacWith(({ publicKey }) => publicKey.export({ type: 'spki', format: 'pem' })),
  },
  {
    name: 'with HS256 by the public key’s PEM without its last newline',
    forge: hmacWith(({ publicKey }) => publicKey.export({ type: 'spki', format: 'pem' }).toString().trimEnd()),
  },
  {
    name: 'with HS256 by the public key’s PKCS#1 PEM',
    forge: hmacWith(({ publicKey }) => publicKey.export({ type: 'pkcs1', format: 'pem' })),
  },
  {
    name: 'with HS256 by the public key’s DER',
    forge: hmacWith(({ publicKey }) => publicKey.export({ type: 'spki', format: 'der' })),
  },
  { name: 'with HS256 by the published JWK', forge: hmacWith((key) => JSON.stringify(publicJwk(key))) },
  { name: 'with HS256 by an empty secret', forge: hmacWith(() => '') },
  { name: 'with RS384 by the issuer’s key', forge: (issuer, claims) => issuer.token(claims, { alg: 'RS384' }) },
  { name: 'with RS512 by the issuer’s key', forge: (issuer, claims) => issuer.token(claims, { alg: 'RS512' }) },
  { name: 'with PS256 by the issuer’s key', forge: (issuer, claims) => issuer.token(claims, { alg: 'PS256' }) },
  { name: 'with ES256 by a key of its own', forge: es256 },
  { name: 'by a foreign key under the issuer’s kid', forge: byForeignKey() },
  { name: 'by a foreign key under its own kid', forge: byForeignKey(({ kid }) => ({ kid })) },
  { name: 'by a foreign key that it carries as jwk', forge: byForeignKey((key) => ({ jwk: publicJwk(key) })) },
  {
    name: 'by a foreign key that it carries as jwk, without kid',
    forge: byForeignKey((key) => ({ kid: undefined, jwk: publicJwk(key) })),
  },
  {
    name: 'by a foreign key behind jku',
    forge: byForeignKey(({ kid }) => ({ kid, jku: 'http://127.0.0.1:9/keys' })),
  },
  {
    name: 'by a foreign key behind x5u and x5c',
    forge: byForeignKey(({ publicKey }) => ({
      x5u: 'http://127.0.0.1:9/chain.pem',
      x5c: [publicKey.export({ type: 'spki', format: 'der' }).toString('base64')],
    })),
  },
  { name: 'without kid', forge: withHeader({ kid: undefined }) },
  { name: 'with an empty kid', forge: withHeader({ kid: '' }) },
  {
    name: 'with a kid that is a list',
    forge: (issuer, claims) => issuer.token(claims, { header: { kid: [issuer.key.kid] } }),
  },
  { name: 'with a kid that is a path', forge: withHeader({ kid: '../../../../dev/null' }) },
  { name: 'with a kid that is a property of every object', forge: withHeader({ kid: '__proto__' }) },
  { name: 'with an extension that must be understood', forge: withHeader({ crit: ['trust'], trust: 'me' }) },
  { name: 'with a payload that is said to be unencoded', forge: withHeader({ crit: ['b64'], b64: false }) },
  {
    name: 'with other claims under a true signature',
    forge: rewritten(([header, , signature], issuer, claims) => {
      const payload = base64url(JSON.stringify(issuer.claims({ ...claims, run_id: '1' })));
      return `${header}.${payload}.${signature}`;
    }),
  },
  {
    name: 'with another header over a true signature',
    forge: rewritten(([, payload, signature], { key }) => {
      const header = base64url(JSON.stringify({ alg: 'RS256', typ: 'JWT', kid: key.kid }));
      return `${header}.${payload}.${signature}`;
    }),
  },
  {
    name: 'with one bit of the signature flipped',
    forge: rewritten(([header, payload, signature]) => `${header}.${payload}.${flippedBit(signature)}`),
  },
  {
    name: 'with half of the signature',
    forge: rewritten(([header, payload, signature]) => `${header}.${payload}.${signature.slice(0, 171)}`),
  },
  { name: 'of two parts', forge: rewritten(([header, payload]) => `${header}.${payload}`) },
  { name: 'of four parts', forge: rewritten((parts) => [...parts, 'e30'].join('.')) },
  { name: 'of five parts, as if encrypted', forge: rewritten((parts) => [...parts, 'e30', 'e30'].join('.')) },
  { name: 'whose payload is no JSON', forge: withPayload('{"iss":') },
  { name: 'whose payload is a list', forge: withPayload('[]') },
  { name: 'whose payload is null', forge: withPayload('null') },
  { name: 'whose payload is empty', forge: withPayload('') },
];
