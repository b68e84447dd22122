import type { ClaimChanges } from './actions-claims.js';
import type { OidcIssuer } from './oidc-issuer.js';

/** One way to make a token that must open nothing; everything else about it is as the issuer would make it. */
export interface Forgery {
  /** Completes "a token …". */
  readonly name: string;
  /** `claims` are those of a run that would be let in. */
  readonly forge: (issuer: OidcIssuer, claims: ClaimChanges) => string;
}
