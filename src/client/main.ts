import { readCiEnvironment } from './ci-environment.js';
import {
  type CommandName,
  isCommandName,
  overview,
  parseArguments,
  suggestion,
  COMMANDS,
  usageOf,
} from './command-line.js';
import { CommandError, type CommandResult, EXIT, type ExitCode } from './command-result.js';
import type { RunCommand } from './commands/command-context.js';
import { withoutCommands } from './plain-text.js';

/** Commands load when they run, so that each starts as fast as it can. */
const LOADERS: Readonly<Record<CommandName, () => Promise<RunCommand>>> = {
  upload: async () => (await import('./commands/upload.js')).upload,
  gate: async () => (await import('./commands/gate.js')).gate,
  policy: async () => (await import('./commands/policy.js')).policy,
  'verify-pack': async () => (await import('./commands/verify-pack.js')).verifyPack,
  version: async () => (await import('./commands/version.js')).version,
  completion: async () => (await import('./commands/completion.js')).completion,
};

/** The version of the JSON documents. It changes if a member changes its meaning or goes away. */
const DOCUMENT_SCHEMA = 1;

const RED = '\u001B[31m';
const RESET = '\u001B[0m';
const ERASE_LINE = '\r\u001B[K';

const writeOut = (text: string): boolean => process.stdout.write(text);
const writeError = (text: string): boolean => process.stderr.write(text);

/** Joins lines for users, in which nothing may be a command for the runner. */
const linesOf = (lines: readonly string[]): string =>
  `${lines
    .flatMap((line) => line.split('\n'))
    .map(withoutCommands)
    .join('\n')}\n`;

/** Runs the command line and returns the exit code. Never throws. */
async function main(given: readonly string[]): Promise<ExitCode> {
  const [name = '', ...rest] = given;
  if (name === '' || name === '--help' || name === '-h' || name === 'help') {
    const isAsked = name !== '';
    (isAsked ? writeOut : writeError)(overview());
    return isAsked ? EXIT.yes : EXIT.usage;
  }
  const command = name === '--version' ? 'version' : name;
  if (!isCommandName(command)) {
    writeError(`error: Unknown command ${JSON.stringify(name)}.${suggestion(name, Object.keys(COMMANDS))}\n`);
    return EXIT.usage;
  }
  if (rest.includes('--help')) {
    writeOut(usageOf(command));
    return EXIT.yes;
  }
  return runCommand(command, rest);
}

async function runCommand(name: CommandName, given: readonly string[]): Promise<ExitCode> {
  // Known before the arguments are parsed, so that a wrong call is answered by a document, too.
  const isJson = given.includes('--json');
  const isQuiet = given.includes('--quiet');
  const result = await resultOf(name, given, isQuiet);
  const { exit, outcome, members, lines } = result;
  if ('error' in result) writeError(`${colored('error:', given)} ${linesOf([result.error])}`);
  else if (lines.length > 0) (isJson ? writeError : writeOut)(linesOf(lines));
  if (isJson) {
    const error = 'error' in result ? result.error : null;
    const document = JSON.stringify({ schema: DOCUMENT_SCHEMA, command: name, outcome, exit, ...members, error });
    // The runner would take `##[` for a command, also in the middle of a line.
    writeOut(`${document.replaceAll('##[', String.raw`\u0023\u0023[`)}\n`);
  }
  return exit;
}

type FailedCommand = CommandResult & { readonly error: string };

async function resultOf(
  name: CommandName,
  given: readonly string[],
  isQuiet: boolean,
): Promise<CommandResult | FailedCommand> {
  try {
    const args = parseArguments(name, given);
    const run = await LOADERS[name]();
    return await run({
      args,
      env: process.env,
      cwd: process.cwd(),
      ci: readCiEnvironment(process.env),
      note: (line) => void (isQuiet || writeError(linesOf([line]))),
      progress: (line) => void (isQuiet || !process.stderr.isTTY || writeError(`${ERASE_LINE}${line}`)),
    });
  } catch (error) {
    const failed = error instanceof CommandError ? error : null;
    return {
      exit: failed?.exit ?? EXIT.unknown,
      outcome: failed?.outcome ?? 'unknown',
      members: failed?.members ?? {},
      lines: [],
      error: error instanceof Error ? error.message : String(error),
    };
  }
}

/** Colors are for a terminal only; `NO_COLOR` (no-color.org) and `--no-color` turn them off. */
const colored = (text: string, given: readonly string[]): string =>
  process.stderr.isTTY && !process.env['NO_COLOR'] && !given.includes('--no-color') ? `${RED}${text}${RESET}` : text;

async function run(): Promise<void> {
  process.exitCode = await main(process.argv.slice(2));
}

void run();
