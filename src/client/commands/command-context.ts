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

/** The value of `--release` with which Shipgate finds the release of the branch or tag. */
export const AUTO = 'auto';

/** How to name a release that cannot be found. */
export const NAME_IT = 'Name the release with --release VERSION or SHIPGATE_VERSION.';

/**
 * Returns the release of `--release` or `SHIPGATE_VERSION`; without both, it is found by the branch or tag. An empty one is a mistake, such
 * as a variable that is not set, and must not select another release.
 */
export function readVersion({ args, env }: CommandContext): string {
  const option = args.text('release');
  const version = option ?? env['SHIPGATE_VERSION'] ?? AUTO;
  if (version.trim() !== '') return version;
  throw usageError(
    `${option === undefined ? 'SHIPGATE_VERSION' : '--release'} is empty. Is a variable in its value not set?`,
  );
}

/** Returns the repository of `--repo`, `SHIPGATE_REPO` or CI; undefined if none names one. */
export const findRepository = ({ args, env, ci }: CommandContext): string | undefined =>
  args.text('repo') ?? (env['SHIPGATE_REPO'] || ci.repository);

/** Like `findRepository`, but a missing repository is a usage error. */
export function getRepository(context: CommandContext): string {
  const repository = findRepository(context);
  if (repository === undefined) throw usageError('The repository is missing. Use --repo OWNER/NAME.');
  return repository;
}

const COMMIT = /^[0-9a-f]{40}$/;

/** Checks that a text is a full commit id. A short id can become ambiguous. */
export function parseCommit(text: string, source: string): string {
  if (!COMMIT.test(text)) throw usageError(`${source} must be a commit in 40 lower-case hexadecimal digits.`);
  return text;
}

/** Returns the commit of `--sha` or of CI; null with `--any-sha`, for which the candidate is meant. */
export function readDeployedCommit({ args, ci }: CommandContext): string | null {
  const given = args.text('sha');
  if (given !== undefined && args.flag('any-sha')) throw usageError('Use --sha or --any-sha, not both.');
  const sha = args.flag('any-sha') ? null : (given ?? ci.commit);
  if (sha === undefined) throw usageError('The commit is missing. Use --sha, or --any-sha for the candidate.');
  return sha === null ? null : parseCommit(sha, '--sha');
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Checks that a text is the digest of an artifact. */
export function parseDigest(text: string, source: string): string {
  if (!DIGEST.test(text)) throw usageError(`${source} must be sha256: and 64 lower-case hexadecimal digits.`);
  return text;
}

const ARTIFACT = /^([^\s@](?:.{0,254}))@(sha256:[0-9a-f]{64})$/;

/** Parses `NAME@sha256:…`. The name may be that of an image with a registry. */
export function parseArtifact(text: string): { readonly name: string; readonly digest: string } {
  const [, name, digest] = ARTIFACT.exec(text) ?? [];
  if (name === undefined || digest === undefined) {
    throw usageError(
      `${JSON.stringify(text)} is not an artifact. Write NAME@sha256: and 64 lower-case hexadecimal digits.`,
    );
  }
  return { name, digest };
}
