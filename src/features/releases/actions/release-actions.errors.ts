/** Errors of the actions on releases. Each message says what the caller can do next. */
import type { GitHubError } from '../../../github/transport/github-error.js';
import { DomainError } from '../../../http/errors/domain-error.js';

const RETRY_AFTER_SECONDS = 10;

export const releaseAlreadyShipped = (): DomainError =>
  new DomainError('conflict', 'The release is shipped: nothing of it changes any more.');

export const releaseCancelled = (): DomainError =>
  new DomainError('conflict', 'The release is cancelled: reopen its milestone first.');

export const notEvidencing = (stage: string): DomainError =>
  new DomainError('conflict', `The release is in ${stage}: an evidence pull request belongs to EVIDENCING.`);

export const evidencePullNotClosed = (): DomainError =>
  new DomainError(
    'conflict',
    'The evidence pull request is not closed: only one that was closed unmerged is opened again.',
  );

export const evidencePullBeingOpened = (): DomainError =>
  new DomainError('conflict', 'The evidence pull request is being opened already.');

export const notAVersion = (version: string, naming: string): DomainError =>
  new DomainError('unprocessable', `"${version}" is not a version under the release naming "${naming}".`);

export const titleMustEqualVersion = (): DomainError =>
  new DomainError('invalid', 'title must be the version: the milestone of a release is called exactly so.');

export const releaseExists = (version: string): DomainError =>
  new DomainError('conflict', `The repository has a release ${version} already.`);

export const milestoneExists = (version: string): DomainError =>
  new DomainError(
    'conflict',
    `The repository has a milestone ${version} already. An open one becomes a release by itself; a closed one has to be opened or renamed.`,
  );

export const milestoneWithoutRelease = (version: string): DomainError =>
  new DomainError(
    'conflict',
    `The milestone ${version} was made, but is no release: the rules of the repository changed meanwhile. GET /api/sync says why.`,
  );

/** GitHub rejects the token of the user: there is none, or the user revoked it. */
export const githubTokenRejected = (): DomainError =>
  new DomainError('forbidden', 'GitHub takes no token of yours any more: sign in again.');

export const githubRejected = (error: GitHubError): DomainError =>
  error.kind === 'invalid' || error.kind === 'conflict'
    ? new DomainError('unprocessable', `GitHub refuses it: ${error.message}`, { cause: error })
    : new DomainError('forbidden', `GitHub does not let you make milestones here: ${error.message}`, { cause: error });

/** Carries the retry time that GitHub gave, or a default. */
export const githubUnavailable = (cause: GitHubError, now: Date, whatFollows = 'try again soon.'): DomainError =>
  new DomainError('unavailable', `GitHub cannot be asked now: ${whatFollows}`, {
    retryAfterSeconds: cause.retryAfterSeconds(now, RETRY_AFTER_SECONDS),
    cause,
  });

/** The pull request is open by stored facts that GitHub did not confirm. A user may have closed it since. */
export const evidencePullStateUnknown = (): DomainError =>
  new DomainError(
    'unavailable',
    'GitHub does not say now whether the evidence pull request is closed: try again soon.',
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
