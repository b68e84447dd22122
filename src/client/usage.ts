import { type CommandName, COMMANDS, COMMON_OPTIONS, type Options } from './command-table.js';

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
export const overview = (): string => `Release governance in CI: uploads evidence, and checks the deploy gate.

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
export function formatUsage(name: CommandName): string {
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
