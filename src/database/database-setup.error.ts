/** Why the service may not run on the database that it was given; names every problem, for whoever operates it. */
export class DatabaseSetupError extends Error {
  override readonly name = 'DatabaseSetupError';

  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(`The database is not fit to serve from:\n${problems.map((problem) => `- ${problem}`).join('\n')}`, options);
  }
}
