import type { ReleaseNamingFormat } from '../../domain/policy/policy.js';
import { EXAMPLE_VERSIONS } from '../../domain/policy/release-version.js';
import type { ScopeAction } from '../../domain/release/scope-change.js';
import type { GitHubError } from '../../github/transport/github-error.js';
import { DomainError } from '../../http/errors/domain-error.js';

const RETRY_AFTER_SECONDS = 10;
const ISSUE_RETRY_SECONDS = 2;
const UNKNOWN_RETRY_SECONDS = 45;

export const releaseAlreadyShipped = (): DomainError =>
  new DomainError('conflict', 'The release is already shipped. Shipped releases cannot be changed.', {
    errorCode: 'shipped',
  });

export const releaseCancelled = (): DomainError =>
  new DomainError('conflict', 'The release is cancelled. Reopen its milestone first.', { errorCode: 'cancelled' });

/** GitHub rejects the token of the user: there is none, or the user revoked it. */
export const githubTokenRejected = (): DomainError =>
  new DomainError('forbidden', 'GitHub does not accept your sign-in any more. Sign in again.', {
    errorCode: 'sign_in_again',
  });

export const notEvidencing = (stage: string): DomainError =>
  new DomainError(
    'conflict',
    `The release is in ${stage}. Its evidence pull request can only be reopened in EVIDENCING.`,
    { errorCode: 'not_evidencing' },
  );

export const evidencePullNotClosed = (): DomainError =>
  new DomainError(
    'conflict',
    'The evidence pull request is not closed. Only one that was closed without a merge can be reopened.',
    { errorCode: 'pull_request_not_closed' },
  );

export const evidencePullBeingOpened = (): DomainError =>
  new DomainError('conflict', 'The evidence pull request is already being opened.', {
    errorCode: 'pull_request_opening',
  });

/** The pull request is open by stored facts that GitHub did not confirm. A user may have closed it since. */
export const evidencePullStateUnknown = (): DomainError =>
  new DomainError(
    'unavailable',
    'GitHub did not confirm whether the evidence pull request is closed. Try again soon.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );

export const notAVersion = (version: string, naming: ReleaseNamingFormat): DomainError =>
  new DomainError(
    'unprocessable',
    `"${version}" is not a version under the release naming "${naming}". An example is ${EXAMPLE_VERSIONS[naming]}.`,
    { errorCode: 'not_a_version' },
  );

export const titleMustEqualVersion = (): DomainError =>
  new DomainError(
    'invalid',
    'title must equal version, because the milestone of a release is named after the version.',
  );

export const releaseExists = (version: string): DomainError =>
  new DomainError('conflict', `The repository already has a release ${version}.`, { errorCode: 'release_exists' });

export const milestoneExists = (version: string): DomainError =>
  new DomainError(
    'conflict',
    `The repository already has a milestone ${version}. An open one becomes a release automatically. Reopen or rename a closed one.`,
    { errorCode: 'milestone_exists' },
  );

export const milestoneWithoutRelease = (version: string): DomainError =>
  new DomainError(
    'conflict',
    `The milestone ${version} was created, but the policy of the repository changed meanwhile, so it is not a release. GET /api/sync shows the reason.`,
    { errorCode: 'milestone_without_release' },
  );

export const milestoneRejected = (error: GitHubError): DomainError =>
  error.kind === 'invalid' || error.kind === 'conflict'
    ? new DomainError('unprocessable', `GitHub rejects the milestone. ${error.message}`, {
        errorCode: 'github_rejected',
        cause: error,
      })
    : new DomainError('forbidden', `GitHub does not allow you to create milestones here. ${error.message}`, {
        errorCode: 'github_rejected',
        cause: error,
      });

export const issueNotFound = (number: number): DomainError =>
  new DomainError('not_found', `The repository has no issue #${number}. Pull requests cannot be linked.`, {
    errorCode: 'issue_not_found',
  });

export const issueNotInScope = (number: number, version: string): DomainError =>
  new DomainError('not_found', `Issue #${number} is not in the scope of ${version}. Link it first.`, {
    errorCode: 'issue_not_in_scope',
  });

export const issueClosed = (number: number): DomainError =>
  new DomainError('conflict', `Issue #${number} is closed. Reopen it first.`, { errorCode: 'issue_closed' });

export const issueInOtherRelease = (number: number, milestone: string): DomainError =>
  new DomainError('conflict', `Issue #${number} has the milestone ${milestone}. Unlink it there first.`, {
    errorCode: 'issue_in_other_release',
  });

export const issueBeingChanged = (number: number): DomainError =>
  new DomainError('conflict', `Another request is changing issue #${number}. Try again.`, {
    errorCode: 'issue_busy',
    retryAfterSeconds: ISSUE_RETRY_SECONDS,
  });

export const assigneeRequired = (): DomainError =>
  new DomainError('invalid', 'assignee must be the login of the user to assign or unassign.');

export const assigneeNotAllowed = (action: ScopeAction): DomainError =>
  new DomainError('invalid', `assignee must be left out to ${action} an issue.`);

export const assigneeRejected = (assignee: string): DomainError =>
  new DomainError(
    'unprocessable',
    `GitHub does not allow ${assignee} as an assignee. Assignees must be able to read the repository, and an issue has at most ten.`,
  );

export const releaseBeingShipped = (): DomainError =>
  new DomainError('conflict', 'The release was deployed and is being shipped. Its scope cannot be changed any more.', {
    errorCode: 'being_shipped',
  });

export const milestoneOutdated = (cause: GitHubError): DomainError =>
  new DomainError('conflict', 'GitHub does not accept the milestone of the release any more. Sync the repository.', {
    errorCode: 'milestone_outdated',
    cause,
  });

export const triagePermissionMissing = (repository: string): DomainError =>
  new DomainError(
    'forbidden',
    `You cannot triage ${repository} on GitHub. Ask an administrator of the repository for the role "triage" or a higher one.`,
    { errorCode: 'triage_required' },
  );

export const repositoryArchived = (repository: string): DomainError =>
  new DomainError('forbidden', `${repository} is archived on GitHub. Its issues cannot be changed.`, {
    errorCode: 'repository_archived',
  });

export const githubForbidden = (cause?: GitHubError): DomainError =>
  new DomainError(
    'forbidden',
    'GitHub did not allow the app to make the change for you. Both you and the app need write access to the issues.',
    { errorCode: 'github_rejected', cause },
  );

export const scopeWriteLimitReached = (retryAfterSeconds: number): DomainError =>
  new DomainError('rate_limited', 'You changed too many issues within a short time. Wait a moment.', {
    retryAfterSeconds,
  });

/** A change was sent to GitHub and its result is unknown; it may still take effect. */
export class ChangeOutcomeUnknownError extends DomainError {
  constructor(cause: unknown) {
    super('unavailable', 'It is not known yet whether GitHub made the change. Try again; a repetition is safe.', {
      retryAfterSeconds: UNKNOWN_RETRY_SECONDS,
      cause,
    });
  }
}

export const repositoryNotAccessible = (): DomainError =>
  new DomainError('not_found', 'The workspace has no such repository, or this credential has no access to it.');

export const digestNotFound = (): DomainError =>
  new DomainError(
    'not_found',
    'The digest leads to no release of the repository, or to several that have not shipped. Send the version, too.',
  );
export const environmentNotFound = (): DomainError =>
  new DomainError('not_found', 'The policy of the repository names no such environment.');

export const versionNotFound = (): DomainError =>
  new DomainError(
    'not_found',
    'The repository has no release of this version. A version is the whole title of a milestone.',
  );
