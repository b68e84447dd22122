/** The exit codes of every command. They are a contract with CI: only `yes` may deploy. */
export const EXIT = { yes: 0, no: 1, usage: 2, unknown: 3 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The result of a command. */
export interface CommandResult {
  /** One of `EXIT`; of `deploy` that ran its command, the exit code of the command. */
  readonly exit: number;
  /** One word for programs, such as `open` or `kept`. */
  readonly outcome: string;
  /** The members of the JSON document besides those of every command. Later versions only add members. */
  readonly members: Readonly<Record<string, unknown>>;
  /** The lines for users. */
  readonly lines: readonly string[];
}

/** Ends a command with an exit code, an outcome and a sentence with the next step. */
export class CommandError extends Error {
  constructor(
    readonly exit: ExitCode,
    readonly outcome: string,
    message: string,
    readonly members: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

export const usageError = (message: string): CommandError => new CommandError(EXIT.usage, 'usage', message);

export const unknownError = (message: string, members?: Readonly<Record<string, unknown>>): CommandError =>
  new CommandError(EXIT.unknown, 'unknown', message, members);

/** Returns the message of anything that was thrown. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The result of a command that ended with an error. */
export type FailedCommand = CommandResult & { readonly error: string };

/** An error that no command expects. Its message is that of a library or of Node, so it is not shown as ours. */
const unexpected = (error: unknown): string => `This is a fault of shipgate. Please report it: ${errorMessage(error)}`;

/** Converts an error of a command to its result. An unexpected error has the outcome `unknown`. */
export function failedCommand(error: unknown): FailedCommand {
  const failed = error instanceof CommandError ? error : null;
  return {
    exit: failed?.exit ?? EXIT.unknown,
    outcome: failed?.outcome ?? 'unknown',
    members: failed?.members ?? {},
    lines: [],
    error: failed === null ? unexpected(error) : failed.message,
  };
}
