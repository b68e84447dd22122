import { DomainError } from '../../../http/errors/domain-error.js';

export const inTheFuture = (): DomainError =>
  new DomainError('invalid', 'deployedAt must be a moment that has passed.');
