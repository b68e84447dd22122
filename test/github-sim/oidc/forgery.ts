import type { ClaimChanges } from './actions-claims.js';
import type { OidcIssuer } from './oidc-issuer.js';

/** One way to create a token that must be rejected. Everything except its name's difference is as in a valid token. */
export interface Forgery {
  /** Completes "a token …". */
  readonly name: string;
  /** `claims` are those of a run with access. */
  readonly forge: (issuer: OidcIssuer, claims: ClaimChanges) => string;
}
