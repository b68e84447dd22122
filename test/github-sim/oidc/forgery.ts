import type { ClaimChanges } from './actions-claims.js';
import type { OidcIssuer } from './oidc-issuer.js';

/** One way to create a token that must be rejected. It differs from a valid token only as its name states. */
export interface Forgery {
  /** Completes "a token …". */
  readonly name: string;
  /** `claims` are those of a run with access. */
  readonly forge: (issuer: OidcIssuer, claims: ClaimChanges) => string;
}
