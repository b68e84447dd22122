import { type CommandName, COMMANDS, COMMON_OPTIONS, type Options, isCommandName } from './command-table.js';
import { readCiEnvironment } from './ci-environment.js';
import { parseArguments, suggestion } from './command-line.js';
import { type CommandResult, EXIT, type FailedCommand, failedCommand, usageError } from './command-result.js';
import type { RunCommand } from './commands/command-context.js';
import { hideSecret, safeJson, safeLines } from './plain-text.js';

const table = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
};

const optionRows = (options: Options): readonly (readonly [string, string])[] =>
  Object.entries(options).map(([name, { value, help }]) => [
    value === undefined ? `--${name}` : `--${name} ${value}`,
    help,
  ]);

const EXIT_CODES = `Exit codes:
  0  yes, done      1  no, rejected      2  wrong use or set-up      3  unknown`;

const guideLine = (guide: string): string => `Guide: ${guide} in the repository of Shipgate`;

/** The usage of all commands. */
const overview = (): string => `Release governance in CI: uploads evidence, and checks the deploy gate.

  shipgate COMMAND [OPTION…]

Commands:
${table(Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary]))}

Examples:
${table(['init', 'upload', 'gate', 'doctor'].map((name) => COMMANDS[name as CommandName].examples[0]))}

${EXIT_CODES}

shipgate COMMAND --help shows the options and examples of a command.
${guideLine('docs/guides/ci.md#the-command-line')}
`;

/** The usage of one command. */
function formatUsage(name: CommandName): string {
  const { summary, operands, options, examples, guide } = COMMANDS[name];
  const own = Object.keys(options).length === 0 ? '' : `Options:\n${table(optionRows(options))}\n\n`;
  return `${summary}

  shipgate ${[name, operands, '[OPTION…]'].filter((part) => part !== '').join(' ')}

${own}Options of every command:
${table(optionRows(COMMON_OPTIONS))}

Examples:
${examples.map(([call, purpose]) => `  ${call}\n      ${purpose}`).join('\n')}

${EXIT_CODES}

${guideLine(guide)}
`;
}

/** Each command is loaded only when it runs, so that it starts faster. */
const LOADERS: Readonly<Record<CommandName, () => Promise<RunCommand>>> = {
  init: async () => (await import('./commands/init.js')).init,
  upload: async () => (await import('./commands/upload.js')).upload,
  gate: async () => (await import('./commands/gate.js')).gate,
  deploy: async () => (await import('./commands/deploy.js')).deploy,
  deployment: async () => (await import('./commands/deployment.js')).deployment,
  running: async () => (await import('./commands/running.js')).running,
  release: async () => (await import('./commands/release.js')).release,
  policy: async () => (await import('./commands/policy.js')).policy,
  lint: async () => (await import('./commands/policy.js')).lint,
  'verify-pack': async () => (await import('./commands/verify-pack.js')).verifyPackCommand,
  'verify-statement': async () => (await import('./commands/verify-statement.js')).verifyStatementCommand,
  doctor: async () => (await import('./commands/doctor.js')).doctor,
  login: async () => (await import('./commands/login.js')).login,
  logout: async () => (await import('./commands/login.js')).logout,
  version: async () => (await import('./commands/version.js')).version,
  completion: async () => (await import('./commands/completion.js')).completion,
};

/** The version of the JSON documents. It changes if a member changes its meaning or is removed. */
const DOCUMENT_SCHEMA = 1;

const SECRETS = ['SHIPGATE_API_KEY', 'SHIPGATE_ID_TOKEN', 'SHIPGATE_PERSONAL_KEY'];
/** A key of Shipgate, also a mistyped one, and a token. The first six characters of a key may be shown. */
const KEY_OR_TOKEN = /\bsg[kp]_[0-9A-Za-z]{7,}|\bey[\w-]+\.[\w-]+\.[\w-]+/g;

const RED = '\u001B[31m';
const RESET = '\u001B[0m';
const ERASE_LINE = '\r\u001B[K';

const writeOut = (text: string): boolean => process.stdout.write(text);
const writeError = (text: string): boolean => process.stderr.write(text);

/** Runs the command line and returns the exit code. Never throws. */
async function main(given: readonly string[]): Promise<number> {
  // `help COMMAND` is another form of `COMMAND --help`.
  const [name = '', ...rest] =
    given[0] === 'help' && given[1]?.startsWith('-') === false ? [...given.slice(1), '--help'] : given;
  // An argument may be a credential by mistake.
  const secrets = SECRETS.map((variable) => process.env[variable]?.trim() ?? '');
  for (const secret of [...secrets, ...given.flatMap((one) => one.match(KEY_OR_TOKEN) ?? [])]) hideSecret(secret);
  if (name === '--help' || name === '-h' || name === 'help') {
    writeOut(overview());
    return EXIT.yes;
  }
  const command = name === '--version' ? 'version' : name;
  // Read from the raw arguments, because it also applies to a call that cannot be parsed.
  const end = given.indexOf('--');
  const isJson = (end === -1 ? given : given.slice(0, end)).includes('--json');
  if (isCommandName(command)) return print(command, await runCommand(command, rest), isJson);
  const near = suggestion(name, Object.keys(COMMANDS)) || ' `shipgate help` lists the commands.';
  const unknown = `Unknown command ${JSON.stringify(name)}.${near}`;
  const error = name === '' || name.startsWith('-') ? `Name a command first.\n\n${overview().trimEnd()}` : unknown;
  return print(null, failedCommand(usageError(error)), isJson);
}

function print(name: CommandName | null, result: CommandResult | FailedCommand, isJson: boolean): number {
  const { exit, outcome, members, lines } = result;
  if ('error' in result) writeError(`${colored('error:')} ${safeLines([result.error])}`);
  else if (lines.length > 0) (isJson ? writeError : writeOut)(safeLines(lines));
  const error = 'error' in result ? result.error : null;
  if (isJson) {
    writeOut(`${safeJson({ schema: DOCUMENT_SCHEMA, command: name, outcome, exit, ...members, error })}\n`);
  }
  return exit;
}

async function runCommand(name: CommandName, given: readonly string[]): Promise<CommandResult | FailedCommand> {
  try {
    const args = parseArguments(name, given);
    if (args.flag('help')) {
      const usage = formatUsage(name);
      return { exit: EXIT.yes, outcome: 'help', members: { usage }, lines: [usage.trimEnd()] };
    }
    const isQuiet = args.flag('quiet');
    const run = await LOADERS[name]();
    return await run({
      args,
      env: process.env,
      cwd: process.cwd(),
      ci: readCiEnvironment(process.env),
      note: (line) => void (isQuiet || writeError(safeLines([line]))),
      progress: (line) => void (isQuiet || !process.stderr.isTTY || writeError(`${ERASE_LINE}${line}`)),
    });
  } catch (error) {
    return failedCommand(error);
  }
}

/** Colors are for a terminal only; `NO_COLOR` (no-color.org) and `--no-color` turn them off. */
const colored = (text: string): string =>
  process.stderr.isTTY && !process.env['NO_COLOR'] && !process.argv.includes('--no-color')
    ? `${RED}${text}${RESET}`
    : text;

async function run(): Promise<void> {
  // An unexpected end of the process must not look like an answer.
  process.exitCode = EXIT.unknown;
  process.stdout.on('error', () => process.exit(EXIT.unknown));
  process.exitCode = await main(process.argv.slice(2));
}

void run();
