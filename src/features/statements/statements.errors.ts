import { DomainError } from '../../http/errors/domain-error.js';

export const environmentNotFound = (): DomainError =>
  new DomainError('not_found', 'The policy of the repository names no such environment.');

export const nothingToState = (): DomainError =>
  new DomainError('conflict', 'The release has no candidate commit, so there is nothing to make a statement about.');
