/** What a caller is told who is not let in: enough to mend the request, nothing about what the service knows. */
import type { KeyScope, PersonalKeyScope } from '../domain/keys/key-scope.js';
import { DomainError } from '../http/errors/domain-error.js';

/** RFC 6750, § 3.1: a request without any credential is told the scheme and nothing else. */
export const credentialMissing = (wanted: 'an identity token or an API key' | 'a personal key'): DomainError =>
  new DomainError('unauthenticated', `This needs ${wanted} as a bearer credential.`, {
    headers: { 'WWW-Authenticate': 'Bearer realm="shipgate"' },
  });

export const credentialInvalid = (): DomainError =>
  new DomainError('unauthenticated', 'The credential is not valid.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="shipgate", error="invalid_token"' },
  });

export const sessionMissing = (): DomainError => new DomainError('unauthenticated', 'This needs a session.');

/** A person who belongs to no workspace, or has not selected one of theirs. */
export const workspaceNotSelected = (): DomainError =>
  new DomainError('forbidden', 'You are not a member of a selected workspace: select one of yours.');

/** Somebody whose organization may become known within seconds. */
export const stillReading = (): DomainError =>
  new DomainError('forbidden', 'We are reading your organizations: try again in a few seconds.');

export const roleMissing = (role: 'admin' | 'platform_admin'): DomainError =>
  new DomainError('forbidden', `This needs ${role === 'admin' ? 'an admin of the workspace' : 'a platform admin'}.`);

/** An unsafe request with a session that no page of the service has sent. */
export const crossOriginRejected = (): DomainError =>
  new DomainError(
    'forbidden',
    'A session acts for pages of this service alone, and this request comes from elsewhere.',
  );

export const insufficientScope = (scope: KeyScope | PersonalKeyScope): DomainError =>
  new DomainError('forbidden', `The credential lacks the scope ${scope}.`, {
    headers: { 'WWW-Authenticate': `Bearer realm="shipgate", error="insufficient_scope", scope="${scope}"` },
  });

export const noWorkspace = (): DomainError =>
  new DomainError('forbidden', "The repository's organization has no workspace here.");

/** The answer of a route that declares no access rule. */
export const routeWithoutAccessRule = (): DomainError => new DomainError('forbidden', 'Nobody may call this.');

export const tooManyFailures = (retryAfterSeconds: number): DomainError =>
  new DomainError('rate_limited', 'Too many credentials of this address were not valid.', {
    retryAfterSeconds,
  });

/** Why a credential did not hold, for the log: the caller learns only that it did not. */
export type InvalidCredentialReason =
  | 'malformed'
  | 'other_kind'
  | 'too_long'
  | 'algorithm'
  | 'signature'
  | 'unknown_signing_key'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not_yet_valid'
  | 'issued_at'
  | `claim:${string}`
  | 'unknown_key'
  | 'revoked_key'
  | 'expired_key'
  | 'not_installed'
  | 'no_member';

/** A credential that was presented and did not hold. */
export class InvalidCredentialError extends Error {
  override readonly name = 'CredentialRefused';

  constructor(
    readonly reason: InvalidCredentialReason,
    options?: ErrorOptions,
  ) {
    super(`The credential was refused: ${reason}.`, options);
  }
}
