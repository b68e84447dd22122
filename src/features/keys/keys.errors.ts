import { DomainError } from '../../http/errors/domain-error.js';

export const apiKeyNotFound = (): DomainError => new DomainError('not_found', 'The workspace has no such key.');

export const apiKeyLimitReached = (limit: number): DomainError =>
  new DomainError(
    'conflict',
    `The workspace has the maximum of ${limit} API keys, including expired ones. Revoke a key first.`,
    { errorCode: 'key_limit' },
  );

export const personalKeyNotFound = (): DomainError =>
  new DomainError('not_found', 'You have no such key in this workspace.');

export const personalKeyLimitReached = (limit: number): DomainError =>
  new DomainError('conflict', `You have the maximum of ${limit} live keys in your workspaces. Revoke a key first.`, {
    errorCode: 'key_limit',
  });
