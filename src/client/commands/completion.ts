import { COMMANDS, COMMON_OPTIONS, type CommandDescription, type Options, SHELLS } from '../command-table.js';
import { type CommandResult, EXIT, usageError } from '../command-result.js';
import type { CommandContext } from './command-context.js';

type Described = readonly (readonly [string, CommandDescription])[];

const DESCRIBED: Described = Object.entries(COMMANDS);
const NAMES = DESCRIBED.map(([name]) => name);

const withCommonOptions = ({ options }: CommandDescription): Options => ({ ...options, ...COMMON_OPTIONS });

const listOptions = (description: CommandDescription): readonly string[] =>
  Object.keys(withCommonOptions(description)).map((option) => `--${option}`);

/** Every option with values that can be completed, once with the values of all commands. */
function choices(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [, description] of DESCRIBED) {
    for (const [option, { choices: values }] of Object.entries(withCommonOptions(description))) {
      if (values !== undefined) found.set(option, values);
    }
  }
  return found;
}

/** The names of options that take a value which is completed as the name of a file, or not at all. */
const otherValues = (): readonly string[] => [
  ...new Set(
    DESCRIBED.flatMap(([, description]) =>
      Object.entries(withCommonOptions(description)).flatMap(([option, { value, choices: values }]) =>
        value === undefined || values !== undefined ? [] : [option],
      ),
    ),
  ),
];

const bash = (): string => `_shipgate() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words="${NAMES.join(' ')}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${DESCRIBED.map(([name, description]) => `      ${name}) words="${listOptions(description).join(' ')}" ;;`).join('\n')}
    esac
  fi
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "$before" in
${DESCRIBED.filter(([, { actions }]) => actions.length > 0)
  .map(([name, { actions }]) => `      ${name}) words="${actions.join(' ')} $words" ;;`)
  .join('\n')}
    esac
  fi
  case "$before" in
${[...choices()].map(([option, values]) => `    --${option}) words="${values.join(' ')}" ;;`).join('\n')}
    ${otherValues()
      .map((option) => `--${option}`)
      .join('|')}) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _shipgate shipgate`;

const zsh = (): string => `#compdef shipgate
autoload -U +X bashcompinit && bashcompinit
${bash()}`;

/** A text within single quotes of fish. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

const fish = (): string =>
  [
    ...DESCRIBED.map(
      ([name, { summary }]) => `complete -c shipgate -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ),
    ...DESCRIBED.flatMap(([name, description]) => {
      const condition = `'__fish_seen_subcommand_from ${name}'`;
      return [
        ...description.actions.map(
          (action) =>
            `complete -c shipgate -n '__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${description.actions.join(' ')}' -f -a ${action}`,
        ),
        ...Object.entries(withCommonOptions(description)).map(([option, { value, help, choices: values }]) => {
          const takes =
            values === undefined ? (value === undefined ? '' : ' -r') : ` -x -a ${quoted(values.join(' '))}`;
          return `complete -c shipgate -n ${condition} -l ${option}${takes} -d ${quoted(help)}`;
        }),
      ];
    }),
  ].join('\n');

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], () => string>> = { bash, zsh, fish };

/** Prints the completion script of a shell, made from the table of commands. */
export async function completion({ args }: CommandContext): Promise<CommandResult> {
  const [given, ...rest] = args.operands;
  const shell = SHELLS.find((one) => one === given);
  if (shell === undefined || rest.length > 0) {
    throw usageError('Use `shipgate completion bash`, `shipgate completion zsh` or `shipgate completion fish`.');
  }
  const script = SCRIPTS[shell]();
  return { exit: EXIT.yes, outcome: 'completion', members: { script }, lines: [script] };
}
