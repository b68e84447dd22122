import { DomainError } from '../../http/domain-error.js';

export const inTheFuture = (): DomainError =>
  new DomainError('invalid', 'deployedAt must be a moment that has passed.');
