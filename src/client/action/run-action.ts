import { randomUUID } from 'node:crypto';
import path from 'node:path';
import * as core from '@actions/core';
import { type CiEnvironment, type Env, readCiEnvironment } from '../ci-environment.js';
import type { Arguments } from '../command-line.js';
import {
  type CommandResult,
  errorMessage,
  EXIT,
  type FailedCommand,
  failedCommand,
  usageError,
} from '../command-result.js';
import { NAME_IT, type RunCommand } from '../commands/command-context.js';
import { hideSecrets, safeLines } from '../plain-text.js';
import { readSecret } from '../settings.js';

/** A command of the command line as an action of GitHub. */
interface Action {
  readonly run: RunCommand;
  /** Reads the options of the command from the inputs. */
  readonly readArguments: () => Arguments;
  /** Adds facts about the job that no variable of the runner has. */
  readonly describeJob?: (ci: CiEnvironment, env: Env) => CiEnvironment;
  /** The folder in which the command runs, relative to that of the job. Without it the command runs in the folder of the job. */
  readonly workingDirectory?: () => string | undefined;
  /** Writes the outputs, and the texts for users outside the log. */
  readonly report: (result: CommandResult | FailedCommand, env: Env) => Promise<void> | void;
}

/** Returns an input; undefined if it is empty. */
export const textInput = (name: string): string | undefined => core.getInput(name) || undefined;

/** Returns the input `release`. An empty one is given as such, because its default is not empty. */
export const releaseInput = (): string | undefined => textInput('release') ?? process.env['INPUT_RELEASE'];

/** Returns an input that is `true` or `false`. Throws a usage error for any other text. */
export function booleanInput(name: string): boolean {
  try {
    return core.getBooleanInput(name);
  } catch {
    throw usageError(`The input ${name} must be true or false.`);
  }
}

/**
 * The log of the step. Text from elsewhere is written while the runner executes no commands, so that no text becomes a command. Our own
 * commands come after `resume`: a mask that the runner does not execute would be printed.
 */
class StepLog {
  private token: string | null = null;

  write(lines: readonly string[]): void {
    if (this.token === null) {
      this.token = randomUUID();
      core.info(`::stop-commands::${this.token}`);
    }
    process.stdout.write(safeLines(lines));
  }

  resume(): void {
    if (this.token !== null) core.info(`::${this.token}::`);
    this.token = null;
  }
}

const SECRETS = ['SHIPGATE_API_KEY', 'SHIPGATE_ID_TOKEN'];

/** Returns the variables for the command. The inputs take precedence over the variables of the job. */
function environment(): Env {
  const [key, audience] = [textInput('api-key'), textInput('audience')];
  return {
    ...process.env,
    ...(key !== undefined && { SHIPGATE_API_KEY: key }),
    ...(audience !== undefined && { SHIPGATE_AUDIENCE: audience }),
  };
}

async function runCommand(
  { run, readArguments, describeJob = (ci) => ci, workingDirectory = () => undefined }: Action,
  env: Env,
  log: StepLog,
): Promise<CommandResult | FailedCommand> {
  try {
    for (const name of SECRETS) {
      const secret = readSecret(name, env);
      if (secret !== null) core.setSecret(secret);
    }
    return await run({
      args: readArguments(),
      env,
      cwd: path.resolve(workingDirectory() ?? '.'),
      ci: describeJob(readCiEnvironment(env), env),
      note: (line) => log.write([line]),
      progress: () => undefined,
      maskToken: (token) => {
        // The runner must execute the mask.
        log.resume();
        core.setSecret(token);
      },
    });
  } catch (error) {
    return failedCommand(error);
  }
}

/** The options of the command line that a usage error may name. The inputs have the same names. */
const OPTIONS =
  /--(?=(?:allow-committed|allow-empty|environment|job|kind|pipeline|release|require-effect|sha|url|wait)\b)/g;

/** The input has a default, so the variable for the release has no effect in an action. */
const withInput = (text: string): string => text.replaceAll(NAME_IT, 'Name the release with the input release.');

/** Returns a text of the command line with inputs instead of options. */
const withInputs = (text: string): string =>
  withInput(text)
    .replace(/^--(?=release\b)/, 'The input ')
    .replaceAll(OPTIONS, 'the input ');

/** Returns the error of a result, with inputs instead of options; null if the command ended without an error. */
export function getError(result: CommandResult | FailedCommand): string | null {
  return 'error' in result ? withInputs(result.error) : null;
}

/** Runs an action. The step fails with the exit code of the command, also if the outputs cannot be written. Never throws. */
export async function runAction(action: Action): Promise<void> {
  // An unexpected end of the process must not look like an answer.
  process.exitCode = EXIT.unknown;
  const log = new StepLog();
  const env = environment();
  const ended = await runCommand(action, env, log);
  const result = { ...ended, lines: ended.lines.map(withInput) };
  if (result.lines.length > 0) log.write(result.lines);
  log.resume();
  try {
    const error = getError(result);
    if (error !== null) core.error(safeLines([error]).trimEnd());
    await action.report(hideSecrets(result), env);
    process.exitCode = result.exit;
  } catch (error) {
    core.error(errorMessage(error));
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns a line as text of HTML. Markdown has no meaning within a block of HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** Returns a line as text of HTML that links to an address, if that is one with https. */
export const linkedHtml = (text: string, url: string | null | undefined): string =>
  url?.startsWith('https://') === true ? `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>` : escapeHtml(text);
