/** Why a report cannot be read, and where: the whole upload is refused with it, and nothing of that upload is kept. */
export class ReportError extends Error {
  override readonly name = 'ReportError';

  /** `line` and `column` count from 1; a column of null means the line as a whole. */
  constructor(
    readonly file: string,
    readonly line: number,
    readonly column: number | null,
    readonly reason: string,
  ) {
    super(`${file}:${line}${column === null ? '' : `:${column}`}: ${reason}`);
  }
}
