import { DomainError } from '../../../http/errors/domain-error.js';

export const bootstrapInProgress = (): DomainError =>
  new DomainError('conflict', 'The repository is set up already, or its pull request is open or being opened.');

export const planLimitReached = (): DomainError =>
  new DomainError('plan_limit', 'The plan has no room for another managed repository: ask for the pro plan.');

/** The app may not write workflow files, and nobody gave a token of somebody who may. */
export const patRequired = (): DomainError =>
  new DomainError(
    'unprocessable',
    'PAT_REQUIRED: the app may not write workflow files here. Send a personal access token of yours as "pat" that may write contents and workflows of this repository.',
  );

export const patRejected = (why: string): DomainError =>
  new DomainError('unprocessable', `PAT_REQUIRED: GitHub does not take this personal access token for it: ${why}`);

export const bootstrapNotPossible = (why: string): DomainError => new DomainError('unprocessable', why);
