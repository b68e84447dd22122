import { DomainError } from './domain-error.js';

/** Of a release that is gone, of another workspace, or of a repository that the person may not read: nobody learns which. */
export const noSuchRelease = (): DomainError =>
  new DomainError('not_found', 'The workspace has no such release, or the person may not read it.');
