import { DomainError } from './domain-error.js';

/** Of a repository that is gone, of another workspace, or that the person may not read: nobody learns which. */
export const noSuchRepository = (): DomainError => new DomainError('not_found', 'There is no such repository.');

export const notReached = (): DomainError =>
  new DomainError('conflict', 'The app is not installed for the organization, or suspended.');
