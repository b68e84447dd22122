// These messages let the caller correct the request. They contain nothing that the service stores.

import type { KeyScope, PersonalKeyScope } from '../domain/keys/key-scope.js';
import { DomainError } from '../http/errors/domain-error.js';

/** RFC 6750, § 3.1: the response to a request without a credential contains only the scheme. */
export const credentialMissing = (required: 'an identity token or an API key' | 'a personal key'): DomainError =>
  new DomainError('unauthenticated', `This needs ${required} as a bearer credential.`, {
    headers: { 'WWW-Authenticate': 'Bearer realm="shipgate"' },
  });

export const credentialInvalid = (): DomainError =>
  new DomainError('unauthenticated', 'The credential is not valid.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="shipgate", error="invalid_token"' },
  });

export const sessionMissing = (): DomainError => new DomainError('unauthenticated', 'This needs a session.');

/** For a route that accepts sessions and keys. */
export const sessionOrKeyMissing = (key: 'a personal key' | 'a credential of CI'): DomainError =>
  new DomainError('unauthenticated', `This needs a session, or ${key} as a bearer credential.`, {
    headers: { 'WWW-Authenticate': 'Bearer realm="shipgate"' },
  });

/** For a user without a workspace, or without a selected one. */
export const workspaceNotSelected = (): DomainError =>
  new DomainError('forbidden', 'You are not a member of a selected workspace. Select one of your workspaces.', {
    errorCode: 'no_workspace',
  });

/** For a user whose organization may get a workspace within seconds. */
export const firstSyncPending = (): DomainError =>
  new DomainError('forbidden', 'Your organizations are being read. Try again in a few seconds.', {
    errorCode: 'discovering',
  });

/** For a request of a page whose workspace is no longer the selected one. */
export const otherWorkspaceSelected = (): DomainError =>
  new DomainError(
    'conflict',
    'Your session works in another workspace than this request names. Select the workspace again, or reload the page.',
    { errorCode: 'other_workspace' },
  );

const HOLDERS = {
  auditor: 'an auditor or an admin of the workspace',
  admin: 'an admin of the workspace',
  platform_admin: 'a platform admin',
} as const;

export const roleMissing = (role: keyof typeof HOLDERS): DomainError =>
  new DomainError('forbidden', `This needs ${HOLDERS[role]}.`, { errorCode: `${role}_required` });

/** For an unsafe request with a session that was not sent by a page of the service. */
export const crossOriginRejected = (): DomainError =>
  new DomainError('forbidden', 'Cross-origin request rejected. A session works only for pages of this service.', {
    errorCode: 'cross_origin',
  });

export const insufficientScope = (scope: KeyScope | PersonalKeyScope): DomainError =>
  new DomainError('forbidden', `The credential lacks the scope ${scope}.`, {
    headers: { 'WWW-Authenticate': `Bearer realm="shipgate", error="insufficient_scope", scope="${scope}"` },
  });

export const organizationWithoutWorkspace = (): DomainError =>
  new DomainError('forbidden', "The repository's organization has no workspace. Install the app in the organization.");

export const routeWithoutAccessRule = (): DomainError =>
  new DomainError('forbidden', 'This route is closed because it declares no access rule.');

export const tooManyFailures = (retryAfterSeconds: number): DomainError =>
  new DomainError('rate_limited', 'Too many invalid credentials from this address. Try again later.', {
    retryAfterSeconds,
  });

/** Why a credential is invalid, for the log. The caller does not get the reason. */
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

/** A presented credential is invalid. */
export class InvalidCredentialError extends Error {
  override readonly name = 'InvalidCredentialError';

  constructor(
    readonly reason: InvalidCredentialReason,
    options?: ErrorOptions,
  ) {
    super(`The credential is invalid: ${reason}.`, options);
  }
}

const ISSUER_RETRY_SECONDS = 5;

/** Creates the error for a request that needs the issuer while it does not answer. No token is accepted without it. */
export const issuerUnavailable = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The issuer of identity tokens does not answer. Try again soon.', {
    retryAfterSeconds: ISSUER_RETRY_SECONDS,
    cause,
  });
