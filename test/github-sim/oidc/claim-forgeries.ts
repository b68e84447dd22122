import type { ClaimChanges } from './actions-claims.js';
import type { Forgery } from './forgery.js';
import type { OidcIssuer } from './oidc-issuer.js';

/** Without one of these claims, the owner, the audience, the expiry or the first use of a token is unknown. */
const REQUIRED_CLAIMS = 'iss aud exp jti repository_id repository_owner_id repository sha run_id event_name'.split(' ');

const changed =
  (change: (issuer: OidcIssuer, trueClaims: ClaimChanges) => ClaimChanges): Forgery['forge'] =>
  (issuer, claims) =>
    issuer.token({ ...claims, ...change(issuer, issuer.claims(claims)) });

const secondsFromNow = (issuer: OidcIssuer, seconds: number): number =>
  Math.floor(issuer.now().getTime() / 1000) + seconds;

/** Tokens with a valid signature of the issuer that must be rejected because of their claims. */
export const CLAIM_FORGERIES: readonly Forgery[] = [
  ...REQUIRED_CLAIMS.map((claim) => ({ name: `without ${claim}`, forge: changed(() => ({ [claim]: undefined })) })),
  { name: 'of another issuer', forge: changed(() => ({ iss: 'https://token.example.com' })) },
  { name: 'of the issuer with a slash too many', forge: changed(({ url }) => ({ iss: `${url}/` })) },
  { name: 'of an issuer below ours', forge: changed(({ url }) => ({ iss: `${url}/acme` })) },
  { name: 'of the issuer in a list', forge: changed(({ url }) => ({ iss: [url] })) },
  { name: 'for another audience', forge: changed((_, { aud }) => ({ aud: `${String(aud)}-staging` })) },
  { name: 'for the audience in other letters', forge: changed((_, { aud }) => ({ aud: String(aud).toUpperCase() })) },
  { name: 'for the audience in a list', forge: changed((_, { aud }) => ({ aud: [aud] })) },
  {
    name: 'for the audience among others',
    forge: changed((_, { aud }) => ({ aud: [aud, 'https://github.com/acme'] })),
  },
  { name: 'for an empty list of audiences', forge: changed(() => ({ aud: [] })) },
  { name: 'that expired beyond the leeway', forge: changed((issuer) => ({ exp: secondsFromNow(issuer, -31) })) },
  {
    name: 'that is not yet valid, beyond the leeway',
    forge: changed((issuer) => ({ nbf: secondsFromNow(issuer, 32) })),
  },
  { name: 'whose expiry is text', forge: changed((issuer) => ({ exp: String(secondsFromNow(issuer, 300)) })) },
  { name: 'whose expiry is null', forge: changed(() => ({ exp: null })) },
  { name: 'whose beginning is text', forge: changed(() => ({ nbf: '0' })) },
  { name: 'whose jti is empty', forge: changed(() => ({ jti: '' })) },
  { name: 'whose repository id is empty', forge: changed(() => ({ repository_id: '' })) },
  {
    name: 'whose repository id is a list',
    forge: changed((_, claims) => ({ repository_id: [claims['repository_id']] })),
  },
  {
    name: 'whose repository id is no number',
    forge: changed((_, claims) => ({ repository_id: `${String(claims['repository_id'])} or 1` })),
  },
  { name: 'whose owner id is null', forge: changed(() => ({ repository_owner_id: null })) },
  { name: 'whose owner id is an object', forge: changed(() => ({ repository_owner_id: {} })) },
];
