/** What an admin is told whose order cannot be carried out. */
import { DomainError } from '../../../http/errors/domain-error.js';

const RETRY_AFTER_SECONDS = 10;

export const notMerged = (): DomainError =>
  new DomainError(
    'conflict',
    'Branches are protected once the bootstrap pull request of the repository is merged: open it, or merge it, first.',
  );

const tokenNeeded = (why: string): DomainError => new DomainError('unprocessable', `PAT_REQUIRED: ${why}`);

export const tokenRequired = (): DomainError =>
  tokenNeeded(
    'the app may not administer the repository. Send a personal access token of somebody who does as "pat": with the scope "repo", or with "Administration: read and write".',
  );

export const tokenRefused = (): DomainError => tokenNeeded('GitHub does not take this personal access token.');

export const tokenReachesNot = (): DomainError =>
  tokenNeeded('this personal access token does not reach the repository.');

export const tokenMayNot = (): DomainError =>
  tokenNeeded('whoever this personal access token is of does not administer the repository.');

export const hostIsAway = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'GitHub cannot be asked about the personal access token now: try again soon.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
