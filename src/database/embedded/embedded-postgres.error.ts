/** The embedded database is not available. The message is written for the operator who starts the service. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
