import { GitHubError } from '../../github/transport/github-error.js';
import { DomainError, repositoryNotFound } from './domain-error.js';

const RETRY_AFTER_SECONDS = 10;

export const githubUnavailable = (cause: unknown, nextStep = 'try again soon.'): DomainError =>
  new DomainError('unavailable', `GitHub cannot be asked now: ${nextStep}`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });

const githubRejected = (cause: GitHubError): DomainError =>
  new DomainError('conflict', `GitHub refuses it: ${cause.message}`, { cause });

/** Converts an error of GitHub into an error for the caller. Other errors are returned unchanged. */
export const toCallerError = (error: unknown): unknown => {
  if (!(error instanceof GitHubError)) return error;
  if (error.isTransient) return githubUnavailable(error);
  return error.kind === 'not_found' ? repositoryNotFound() : githubRejected(error);
};
