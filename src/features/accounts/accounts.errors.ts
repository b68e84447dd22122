import { DomainError } from '../../http/errors/domain-error.js';

export const RETRY_AFTER_SECONDS = 30;

export const invalidReturnPath = (): DomainError =>
  new DomainError('invalid', 'returnTo must be a path of this service of at most 2000 characters, such as /releases.');

export const appNotConfigured = (): DomainError =>
  new DomainError('unavailable', 'The GitHub App is not set up, so you cannot sign in. Run "npm run setup".', {
    errorCode: 'not_configured',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** One message for every reason, because a caller who forges a callback must not learn what was wrong with it. */
export const loginAttemptNotFound = (): DomainError =>
  new DomainError(
    'invalid',
    'This sign-in was not started in this browser, is over, or took longer than 10 minutes. Start again at /api/auth/login.',
    { errorCode: 'expired' },
  );

/** `code` is the error code that GitHub sent. */
export const authorizationDenied = (code: string, cause?: unknown): DomainError =>
  new DomainError(
    'forbidden',
    code === 'access_denied'
      ? 'You did not authorize the app. To try again, start at /api/auth/login.'
      : 'GitHub rejected the sign-in. Start again at /api/auth/login.',
    { cause, errorCode: code === 'access_denied' ? 'denied' : 'github_rejected' },
  );

export const authorizationCodeRejected = (cause?: unknown): DomainError =>
  new DomainError('invalid', 'GitHub rejected the code of this sign-in. Start again at /api/auth/login.', {
    errorCode: 'code_rejected',
    cause,
  });

export const notMemberOfWorkspace = (): DomainError =>
  new DomainError('forbidden', 'You are not a member of a workspace of this name.', { errorCode: 'not_a_member' });

export const membershipUnconfirmed = (): DomainError =>
  new DomainError('unavailable', 'GitHub does not confirm your membership in the organization now. Try again soon.', {
    errorCode: 'membership_unconfirmed',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
