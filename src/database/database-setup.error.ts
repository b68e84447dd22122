/** EX_CONFIG and EX_UNAVAILABLE of sysexits.h. After EX_UNAVAILABLE another start may succeed. */
const WRONG_CONFIGURATION = 78;
const UNAVAILABLE = 69;

/** A database that the service cannot use safely. The message names every problem for the operator. */
export class DatabaseSetupError extends Error {
  override readonly name = 'DatabaseSetupError';
  readonly exitCode: number = WRONG_CONFIGURATION;

  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(`The database is not fit to serve from:\n${problems.map((problem) => `- ${problem}`).join('\n')}`, options);
  }
}

/** A database whose schema is older than this version. Another process may migrate it. */
export class OutdatedSchemaError extends DatabaseSetupError {
  override readonly exitCode = UNAVAILABLE;

  constructor(pending: readonly string[]) {
    super([`its schema lacks ${pending.join(', ')}; give DATABASE_MIGRATION_URL, for a role that may migrate`]);
  }
}

/** A database that does not accept the connection. The message is one sentence for the operator. */
export class DatabaseConnectionError extends Error {
  override readonly name = 'DatabaseConnectionError';
  readonly exitCode: number;

  constructor(message: string, { cause, mayPass }: { readonly cause: unknown; readonly mayPass: boolean }) {
    super(message, { cause });
    this.exitCode = mayPass ? UNAVAILABLE : WRONG_CONFIGURATION;
  }
}

/** The embedded database is not available. The message is written for the operator who starts the service. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
