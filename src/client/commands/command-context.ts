import type { Arguments } from '../command-line.js';
import type { CiEnvironment, Env } from '../ci-environment.js';
import type { CommandResult } from '../command-result.js';
import { usageError } from '../command-result.js';

/** The surroundings of a command. */
export interface CommandContext {
  readonly args: Arguments;
  readonly env: Env;
  readonly cwd: string;
  readonly ci: CiEnvironment;
  /** Prints a note for users, unless `--quiet` is set. */
  readonly note: (line: string) => void;
  /** Replaces the current line of progress. Does nothing without a terminal. */
  readonly progress: (line: string) => void;
  /** Masks an identity token in the log of the runner, before it is used. */
  readonly maskToken?: (token: string) => void;
}

export type RunCommand = (context: CommandContext) => Promise<CommandResult>;

/** Returns the release of `--release` or `SHIPGATE_VERSION`. */
export function readVersion({ args, env }: CommandContext): string {
  const version = args.text('release') ?? env['SHIPGATE_VERSION'];
  if (version === undefined || version === '') throw usageError('The release is missing. Use --release.');
  return version;
}

/** Returns the repository of `--repo`, `SHIPGATE_REPO` or CI. */
export function getRepository({ args, env, ci }: CommandContext): string {
  const repository = args.text('repo') ?? (env['SHIPGATE_REPO'] || ci.repository);
  if (repository === undefined) throw usageError('The repository is missing. Use --repo OWNER/NAME.');
  return repository;
}

const COMMIT = /^[0-9a-f]{40}$/;

/** Checks that a text is a full commit id. A short id can become ambiguous. */
export function parseCommit(text: string, source: string): string {
  if (!COMMIT.test(text)) throw usageError(`${source} must be a commit in 40 lower-case hexadecimal digits.`);
  return text;
}
