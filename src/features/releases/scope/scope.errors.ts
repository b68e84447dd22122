/** Errors of scope changes. Each message says what the caller can do next. */
import type { ScopeAction } from '../../../domain/release/scope-change.js';
import type { GitHubError } from '../../../github/transport/github-error.js';
import { DomainError } from '../../../http/errors/domain-error.js';

const RETRY_AFTER_SECONDS = 10;
const BUSY_FOR_SECONDS = 2;

export const noSuchIssue = (number: number): DomainError =>
  new DomainError('not_found', `The repository has no issue #${number}: a pull request is none.`);

export const issueNotInScope = (number: number, version: string): DomainError =>
  new DomainError('not_found', `Issue #${number} is not in the scope of ${version}: link it first.`);

export const assigneeRequired = (): DomainError =>
  new DomainError('invalid', 'assignee must be the login of the owner to assign or unassign.');

export const assigneeNotAllowed = (action: ScopeAction): DomainError =>
  new DomainError('invalid', `assignee must be left out to ${action} an issue.`);

export const releaseAlreadyShipped = (): DomainError =>
  new DomainError('conflict', 'The release is shipped: its scope stays as it was.');

export const releaseBeingShipped = (): DomainError =>
  new DomainError('conflict', 'The release was deployed and is being shipped: its scope stays as it is.');

export const releaseCancelled = (): DomainError =>
  new DomainError('conflict', 'The release is cancelled: reopen its milestone before issues are linked to it.');

export const issueClosed = (number: number): DomainError =>
  new DomainError('conflict', `Issue #${number} is closed: reopen it first.`);

export const issueInOtherRelease = (number: number, milestone: string): DomainError =>
  new DomainError('conflict', `Issue #${number} has the milestone ${milestone}: unlink it there first.`);

export const issueBeingChanged = (number: number): DomainError =>
  new DomainError('conflict', `Others are changing issue #${number} at this moment: look at it, and ask again.`, {
    retryAfterSeconds: BUSY_FOR_SECONDS,
  });

export const milestoneRefused = (cause: GitHubError): DomainError =>
  new DomainError('conflict', 'GitHub does not take the milestone of the release any more: sync the repository.', {
    cause,
  });

export const notAssignable = (assignee: string): DomainError =>
  new DomainError(
    'unprocessable',
    `GitHub does not make ${assignee} an owner of the issue: only who may read the repository can be one, of ten at most.`,
  );

export const githubTokenRejected = (): DomainError =>
  new DomainError(
    'forbidden',
    'GitHub does not take your sign-in any more, and so nobody can act for you: sign in again.',
  );

export const triagePermissionMissing = (repository: string): DomainError =>
  new DomainError(
    'forbidden',
    `GitHub does not let you triage ${repository}: whoever administers it may give you the role "triage", or a higher one.`,
  );

export const archivedRepository = (repository: string): DomainError =>
  new DomainError('forbidden', `${repository} is archived on GitHub, and so nobody may change its issues.`);

export const githubForbidden = (cause?: GitHubError): DomainError =>
  new DomainError(
    'forbidden',
    'GitHub did not let the app make the change for you: both you and the app must be allowed to write its issues.',
    { cause },
  );

export const tooManyWrites = (retryAfterSeconds: number): DomainError =>
  new DomainError('rate_limited', 'You change more issues than GitHub takes from one person: wait a moment.', {
    retryAfterSeconds,
  });

export const githubUnavailable = (cause: GitHubError, now: Date): DomainError =>
  new DomainError('unavailable', 'GitHub cannot be asked now, and so nothing was changed: try again soon.', {
    retryAfterSeconds: cause.retryAfterSeconds(now, RETRY_AFTER_SECONDS),
    cause,
  });

const UNKNOWN_RETRY_SECONDS = 45;

/** A change was sent to GitHub and its result is unknown; it may still take effect. */
export class ChangeOutcomeUnknownError extends DomainError {
  constructor(cause: unknown) {
    super('unavailable', 'Nobody knows yet whether GitHub made the change: ask again, which does no harm.', {
      retryAfterSeconds: UNKNOWN_RETRY_SECONDS,
      cause,
    });
  }
}
