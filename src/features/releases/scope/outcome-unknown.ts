import { DomainError } from '../../../http/errors/domain-error.js';

const RETRY_AFTER_SECONDS = 45;

/** The host was asked for a change, and nobody here knows whether it made it, or will. */
export class OutcomeUnknown extends DomainError {
  constructor(cause: unknown) {
    super('unavailable', 'Nobody knows yet whether GitHub made the change: ask again, which does no harm.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause,
    });
  }
}
