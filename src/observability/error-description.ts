import { types } from 'node:util';
import { toSourcePositions } from './source-positions.js';

const MAX_CAUSES = 5;

export interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

/**
 * Returns the loggable fields of an error by an allow-list, because drivers attach the parameters of the statement to
 * their errors and HTTP clients the headers of the request.
 */
export function describeError(error: unknown, causesLeft = MAX_CAUSES): ErrorDescription {
  // Both tests are needed: one misses errors of another realm, the other those created without `new`.
  if (!types.isNativeError(error) && !(error instanceof Error))
    return { type: typeof error, message: 'A value that is not an error was thrown.' };
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    ...('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')
      ? { code: String(error.code) }
      : {}),
    ...(stack === undefined ? {} : { stack: toSourcePositions(stack) }),
    ...(cause === undefined || causesLeft === 0 ? {} : { cause: describeError(cause, causesLeft - 1) }),
  };
}
