import { DomainError } from '../../http/domain-error.js';

export const noSuchRelease = (): DomainError =>
  new DomainError('not_found', 'The workspace has no such release, or the person may not read it.');

export const inTheFuture = (): DomainError =>
  new DomainError('invalid', 'deployedAt must be a moment that has passed.');
