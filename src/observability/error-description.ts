import { types } from 'node:util';

const MAX_CAUSES = 5;

export interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

/**
 * What the log says of an error: by an allow-list, because drivers hang the statement's parameters and HTTP clients
 * the request's headers on theirs.
 */
export function describeError(error: unknown, causesLeft = MAX_CAUSES): ErrorDescription {
  // Neither test alone holds: one misses errors of another realm, the other those that are made without `new`.
  if (!types.isNativeError(error) && !(error instanceof Error))
    return { type: typeof error, message: 'A value that is no error was thrown.' };
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    ...('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')
      ? { code: String(error.code) }
      : {}),
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined || causesLeft === 0 ? {} : { cause: describeError(cause, causesLeft - 1) }),
  };
}
