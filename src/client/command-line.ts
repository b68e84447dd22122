import { parseArgs } from 'node:util';
import { distance } from 'fastest-levenshtein';
import { errorMessage, usageError } from './command-result.js';

interface OptionDescription {
  /** The name of the value in the usage; absent for an option without a value. */
  readonly value?: string;
  readonly help: string;
}

type Options = Readonly<Record<string, OptionDescription>>;

export interface CommandDescription {
  readonly summary: string;
  /** The arguments after the command, as the usage shows them. */
  readonly operands: string;
  readonly options: Options;
}

const RELEASE: OptionDescription = { value: 'VERSION', help: 'the title of the milestone of the release' };
const REPOSITORY: OptionDescription = { value: 'OWNER/NAME', help: 'the repository on GitHub; default: from CI' };

/** The options of every command. */
export const COMMON_OPTIONS = {
  url: { value: 'URL', help: 'the address of Shipgate; default: SHIPGATE_URL' },
  json: { help: 'write one JSON document to stdout, and everything else to stderr' },
  quiet: { help: 'write results and errors only' },
  'no-color': { help: 'write no colors' },
  help: { help: 'show this text' },
} as const satisfies Options;

/** Every command with its options. The usage, the parser and the shell completion follow from this table. */
export const COMMANDS = {
  upload: {
    summary: 'Uploads reports of tests, coverage and scans as evidence of a release.',
    operands: '[PATTERN…]',
    options: {
      release: RELEASE,
      repo: REPOSITORY,
      pipeline: { value: 'NAME', help: 'the name of the pipeline; default: from CI' },
      job: { value: 'NAME', help: 'the job with its matrix values; default: from CI' },
      environment: { value: 'NAME', help: 'the environment that was tested; default: ci' },
      kind: { value: 'KIND', help: 'needed for integration_tests, for e2e_tests, and for security findings in SARIF' },
      format: { value: 'FORMAT', help: 'the expected format; any other is rejected' },
      commit: { value: 'SHA', help: 'the tested commit; default: from CI' },
      'run-url': { value: 'URL', help: 'the page of the run, the same for all jobs of it; default: from CI' },
      'allow-empty': { help: 'end with 0 if no file matches at all' },
      'allow-committed': { help: 'upload files that git tracks, too' },
      'dry-run': { help: 'do everything except the upload' },
    },
  },
  gate: {
    summary: 'Checks whether a release may be deployed. Ends with 0 only if it may be deployed.',
    operands: '',
    options: {
      release: RELEASE,
      repo: REPOSITORY,
      sha: { value: 'SHA', help: 'the commit that would be deployed; default: from CI' },
      'any-sha': { help: 'check the candidate, with any commit' },
      wait: { value: 'DURATION', help: 'wait until the gate opens, at most this long: 30s, 15m, 6h' },
    },
  },
  release: {
    summary: 'Lists, shows and starts releases in the name of a user.',
    operands: 'list | show VERSION | start VERSION',
    options: {
      repo: REPOSITORY,
      search: { value: 'TEXT', help: 'list only releases whose version or repository contains this' },
      outcome: { value: 'OUTCOME', help: 'list only blocked, needs_approval, ready_to_deploy or in_progress' },
    },
  },
  policy: {
    summary: 'Checks an sdlc.yaml, or prints its JSON schema.',
    operands: 'check [FILE] | schema',
    options: {
      remote: { help: 'check the policy in effect for a commit, as Shipgate reads it' },
      repo: REPOSITORY,
      commit: { value: 'SHA', help: 'the commit for --remote; default: from CI' },
    },
  },
  'verify-pack': {
    summary: 'Verifies an audit pack without network and database.',
    operands: 'PACK.zip',
    options: {
      keys: { value: 'FILE', help: 'the keys of the service, from a source that you trust' },
      'any-signer': { help: 'end with 0 although the signer is unknown' },
    },
  },
  doctor: {
    summary: 'Checks the connection, the clock and the credential, and reports how to fix problems.',
    operands: '',
    options: { repo: REPOSITORY, commit: { value: 'SHA', help: 'a commit of the repository; default: from CI' } },
  },
  login: {
    summary: 'Stores a personal key on this computer, for the commands that act in the name of a user.',
    operands: '',
    options: {},
  },
  logout: { summary: 'Removes the stored personal key from this computer.', operands: '', options: {} },
  version: { summary: 'Prints the version.', operands: '', options: {} },
  completion: { summary: 'Prints the completion script of a shell.', operands: 'bash | zsh | fish', options: {} },
} as const satisfies Readonly<Record<string, CommandDescription>>;

export type CommandName = keyof typeof COMMANDS;

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

/** The options and operands of a call. */
export class Arguments {
  constructor(
    private readonly values: Readonly<Record<string, string | boolean | undefined>>,
    readonly operands: readonly string[],
  ) {}

  /** Returns the value of an option; undefined if it is absent. */
  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }
}

/** Parses the arguments after the name of a command. Throws a usage error that names the problem. */
export function parseArguments(name: CommandName, given: readonly string[]): Arguments {
  const described: Options = { ...COMMANDS[name].options, ...COMMON_OPTIONS };
  const options = Object.fromEntries(
    Object.entries(described).map(([option, { value }]) => [
      option,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...given], options, allowPositionals: true, strict: true });
    const empty = Object.entries(values).find(([, value]) => value === '');
    if (empty) throw new TypeError(`--${empty[0]} is empty.`);
    const [operand] = positionals;
    if (operand !== undefined && COMMANDS[name].operands === '') {
      throw new TypeError(`${JSON.stringify(operand)} is not expected. Put a value with spaces in quotes.`);
    }
    return new Arguments(values, positionals);
  } catch (error) {
    const message = errorMessage(error);
    const [, unknown] = /^Unknown option '(?:--)?([^']+)'/.exec(message) ?? [];
    if (unknown === undefined) throw usageError(message);
    throw usageError(`Unknown option --${unknown}.${suggestion(unknown, Object.keys(described), '--')}`);
  }
}

/** Returns a sentence that suggests the nearest of the known names; empty if none is near. */
export function suggestion(name: string, known: readonly string[], prefix = ''): string {
  const [nearest] = [...known].sort((left, right) => distance(name, left) - distance(name, right));
  return nearest !== undefined && distance(name, nearest) <= 2 ? ` Did you mean ${prefix}${nearest}?` : '';
}

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

/** The usage of all commands. */
export const overview = (): string => `Release governance in CI: uploads evidence, and checks the deploy gate.

  shipgate COMMAND [OPTION…]

Commands:
${table(Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary]))}

${EXIT_CODES}

shipgate COMMAND --help shows the options of a command.
`;

/** The usage of one command. */
export function formatUsage(name: CommandName): string {
  const { summary, operands, options } = COMMANDS[name];
  const own = Object.keys(options).length === 0 ? '' : `Options:\n${table(optionRows(options))}\n\n`;
  return `${summary}

  shipgate ${[name, operands, '[OPTION…]'].filter((part) => part !== '').join(' ')}

${own}Options of every command:
${table(optionRows(COMMON_OPTIONS))}

${EXIT_CODES}
`;
}
