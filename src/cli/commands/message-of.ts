/** The message of an error. One of Node about a host of several addresses has none of its own: then that of each attempt. */
export const messageOf = (error: Error): string =>
  error.message === '' && 'errors' in error && Array.isArray(error.errors)
    ? error.errors
        .map((attempt: unknown) => (attempt instanceof Error ? messageOf(attempt) : String(attempt)))
        .join('; ')
    : error.message;
