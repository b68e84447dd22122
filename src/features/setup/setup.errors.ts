import { DomainError } from '../../http/errors/domain-error.js';
import { githubUnavailable } from '../../http/errors/github-unavailable.js';

const RETRY_AFTER_SECONDS = 30;

export const appAlreadyConfigured = (): DomainError => new DomainError('conflict', 'The GitHub App is set up already.');

export const setupCodeInvalid = (): DomainError =>
  new DomainError('forbidden', 'The set-up code is invalid. Use the code that the service printed.');

/** `reason` starts with the field that is wrong. */
export const credentialsRejected = (reason: string, cause?: unknown): DomainError =>
  new DomainError('unprocessable', `GitHub rejects these credentials. ${reason}.`, { cause });

export const setupNeedsGitHub = (cause: unknown): DomainError =>
  githubUnavailable(cause, { retryAfterSeconds: RETRY_AFTER_SECONDS });

export const tooManyInstallationRequests = (retryAfterSeconds: number): DomainError =>
  new DomainError('rate_limited', 'You have opened too many installations. Try again in a minute.', {
    retryAfterSeconds,
  });

export const installationNotFound = (): DomainError =>
  new DomainError('not_found', 'None of your organizations has an installation of this app with this id.', {
    errorCode: 'installation_not_found',
  });

export const ownsNoOrganization = (): DomainError =>
  new DomainError(
    'forbidden',
    'You own no organization on GitHub, and only an owner can connect one. Ask an owner to connect it, or for an invite.',
    { errorCode: 'owns_no_organization' },
  );

export const notOrganizationOwner = (login: string): DomainError =>
  new DomainError(
    'forbidden',
    `Only an owner of ${login} can connect it. Ask an owner to connect it, or for an invite.`,
    { errorCode: 'not_an_owner' },
  );

export const installedInUserAccount = (): DomainError =>
  new DomainError('forbidden', 'The app is installed in your own account. Install it in an organization.', {
    errorCode: 'personal_account',
  });
