import { DomainError } from '../../http/domain-error.js';

const RETRY_AFTER_SECONDS = 45;

/** The host was asked for a change, and nobody knows whether it made it, or will. */
export class OutcomeUnknown extends DomainError {
  constructor(cause: unknown) {
    super('unavailable', 'GitHub did not say whether it made the change: ask again, which does no harm.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause,
    });
  }
}
