import { GitHubError } from '../../github/transport/github-error.js';
import { DomainError, repositoryNotFound } from './domain-error.js';

const RETRY_AFTER_SECONDS = 10;

interface UnavailableOptions {
  /** The sentences that follow the first one. */
  readonly nextStep?: string;
  readonly retryAfterSeconds?: number;
  /** The current time. If it is given, the response uses the retry time of GitHub if there is one. */
  readonly now?: Date;
}

/** Creates the error for a request that needs GitHub while GitHub does not answer. */
export const githubUnavailable = (
  cause: unknown,
  { nextStep = 'Try again soon.', retryAfterSeconds = RETRY_AFTER_SECONDS, now }: UnavailableOptions = {},
): DomainError =>
  new DomainError('unavailable', `GitHub does not answer now. ${nextStep}`, {
    errorCode: 'github_unavailable',
    retryAfterSeconds:
      now !== undefined && cause instanceof GitHubError
        ? cause.retryAfterSeconds(now, retryAfterSeconds)
        : retryAfterSeconds,
    cause,
  });

/** Converts an error of GitHub into an error for the caller. Other errors are returned unchanged. */
export const toCallerError = (error: unknown): unknown => {
  if (!(error instanceof GitHubError)) return error;
  if (error.isTransient) return githubUnavailable(error);
  return error.kind === 'not_found'
    ? repositoryNotFound()
    : new DomainError('conflict', `GitHub rejects the request. ${error.message}`, {
        errorCode: 'github_rejected',
        cause: error,
      });
};
