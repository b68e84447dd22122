import { DomainError } from '../../http/errors/domain-error.js';

export const upgradeRequestNotFound = (): DomainError => new DomainError('not_found', 'There is no such request.');

export const upgradeRequestLimitReached = (limit: number, waitMs: number): DomainError =>
  new DomainError(
    'rate_limited',
    `The workspace created ${limit} requests for the pro plan in the last 24 hours. Try again later.`,
    { retryAfterSeconds: waitMs / 1_000 },
  );
