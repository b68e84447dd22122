/** What somebody is told who could not be signed in: each sentence says what to do next. */
import { DomainError } from '../../../http/errors/domain-error.js';

const RETRY_AFTER_SECONDS = 30;

export const badReturnPath = (): DomainError =>
  new DomainError('invalid', 'returnTo must be a path of this service of at most 2000 characters, as /releases.');

export const notConfigured = (): DomainError =>
  new DomainError('unavailable', 'Nobody can sign in before the GitHub App is set up: run "npm run setup".', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** One sentence for all of them: whoever forges an answer is not told what was wrong with it. */
export const notBegunHere = (): DomainError =>
  new DomainError(
    'invalid',
    'This sign-in was not begun in this browser, is over, or took longer than 10 minutes: begin again at /api/auth/login.',
  );

/** The host said no, by the name of its error. */
export const consentRefused = (name: string, cause?: unknown): DomainError =>
  new DomainError(
    'forbidden',
    name === 'access_denied'
      ? 'You did not let the app sign you in. To try again, begin at /api/auth/login.'
      : 'The code host did not let you sign in.',
    { cause },
  );

export const codeRefused = (cause?: unknown): DomainError =>
  new DomainError('invalid', 'The code host did not take the code of this sign-in: begin again at /api/auth/login.', {
    cause,
  });

export const hostGone = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The code host cannot be asked now who you are: begin again at /api/auth/login.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });

export const notYourWorkspace = (): DomainError =>
  new DomainError('forbidden', 'You are not a member of a workspace of this name.');
