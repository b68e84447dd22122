/** A failure that nobody foresaw, on a route that has words of its own for one. */
export class UnforeseenFailure extends Error {
  override readonly name = 'UnforeseenFailure';

  /** The message is shown to the caller; what was behind it is for the log alone, and may turn out to be foreseen. */
  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}
