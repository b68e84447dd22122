/** A wrong environment: every problem that it has, in one message that repeats no secret. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  /** EX_CONFIG of sysexits.h: the exit code that tells a supervisor not to try again unchanged. */
  readonly exitCode = 78;

  constructor(readonly problems: readonly string[]) {
    super(`The environment does not hold:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}
