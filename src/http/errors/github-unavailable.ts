import { GitHubError } from '../../github/transport/github-error.js';
import { DomainError, repositoryNotFound } from './domain-error.js';

const RETRY_AFTER_SECONDS = 10;

export const githubUnavailable = (cause: unknown, whatFollows = 'try again soon.'): DomainError =>
  new DomainError('unavailable', `GitHub cannot be asked now: ${whatFollows}`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });

const hostRefuses = (cause: GitHubError): DomainError =>
  new DomainError('conflict', `GitHub refuses it: ${cause.message}`, { cause });

/** Says in words for people why the host gave no answer. */
export const asRefusal = (error: unknown): unknown => {
  if (!(error instanceof GitHubError)) return error;
  if (error.isTransient) return githubUnavailable(error);
  return error.kind === 'not_found' ? repositoryNotFound() : hostRefuses(error);
};
