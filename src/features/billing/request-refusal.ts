import { DomainError } from '../../http/errors/domain-error.js';

export const noSuchRequest = (): DomainError => new DomainError('not_found', 'There is no such request.');
