/** Why the embedded database cannot be had here; the message is written for the person who starts the service. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
