import { parseArgs } from 'node:util';
import { distance } from 'fastest-levenshtein';
import { usageError } from './command-result.js';
import { type CommandName, COMMANDS, COMMON_OPTIONS, type Options, runsCommand } from './command-table.js';

/** The options and operands of a call. */
export class Arguments {
  constructor(
    private readonly values: Readonly<Record<string, string | boolean | undefined>>,
    readonly operands: readonly string[],
    /** The arguments after `--` of a command that runs another one; null without `--`. */
    readonly command: readonly string[] | null = null,
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
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(option === 'help' && { short: 'h' }),
      },
    ]),
  );
  // What follows belongs to the other command, also if it looks like an option.
  const end = runsCommand(name) ? given.indexOf('--') : -1;
  // Not strict, because the messages of the parser are those of Node.
  const { values, positionals, tokens } = parseArgs({
    args: end === -1 ? [...given] : given.slice(0, end),
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'option') checkOption(described, token);
  }
  const [operand] = positionals;
  if (operand !== undefined && COMMANDS[name].operands === '') {
    throw usageError(`${JSON.stringify(operand)} is not expected. Put a value with spaces in quotes.`);
  }
  return new Arguments(values, positionals, end === -1 ? null : given.slice(end + 1));
}

interface GivenOption {
  readonly name: string;
  /** As it was given, such as `--wait` or `-h`. */
  readonly rawName: string;
  readonly value?: string | undefined;
  /** Whether the value follows `=`. */
  readonly inlineValue?: boolean | undefined;
}

function checkOption(described: Options, { name, rawName, value, inlineValue }: GivenOption): void {
  const option = Object.hasOwn(described, name) ? described[name] : undefined;
  if (option === undefined)
    throw usageError(`Unknown option ${rawName}.${suggestion(name, Object.keys(described), '--')}`);
  if (option.value === undefined) {
    if (value !== undefined) throw usageError(`${rawName} takes no value.`);
    return;
  }
  if (value === undefined) throw usageError(`${rawName} needs a value: ${rawName} ${option.value}.`);
  if (value === '') throw usageError(`${rawName} is empty. Is a variable in its value not set?`);
  if (inlineValue !== true && value.length > 1 && value.startsWith('-')) {
    throw usageError(
      `${rawName} needs a value, but the option ${value} follows. Write ${rawName}=${value} if that is the value.`,
    );
  }
}

/** Returns a sentence that suggests the nearest of the known names; empty if none is near. */
export function suggestion(name: string, known: readonly string[], prefix = ''): string {
  const [nearest] = [...known].sort((left, right) => distance(name, left) - distance(name, right));
  return nearest !== undefined && distance(name, nearest) <= 2 ? ` Did you mean ${prefix}${nearest}?` : '';
}
