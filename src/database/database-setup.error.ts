/** A database that the service cannot use safely. The message names every problem for the operator. */
export class DatabaseSetupError extends Error {
  override readonly name = 'DatabaseSetupError';

  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(`The database is not fit to serve from:\n${problems.map((problem) => `- ${problem}`).join('\n')}`, options);
  }
}
