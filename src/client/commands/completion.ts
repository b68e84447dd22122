import { COMMANDS, COMMON_OPTIONS } from '../command-line.js';
import { type CommandResult, EXIT, usageError } from '../command-result.js';
import type { CommandContext } from './command-context.js';

const NAMES = Object.keys(COMMANDS);

const listOptions = (options: object): readonly string[] =>
  [...Object.keys(options), ...Object.keys(COMMON_OPTIONS)].map((option) => `--${option}`);

const bash = (): string => `_shipgate() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="${NAMES.join(' ')}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${Object.entries(COMMANDS)
  .map(([name, { options }]) => `      ${name}) words="${listOptions(options).join(' ')}" ;;`)
  .join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _shipgate shipgate`;

const zsh = (): string => `#compdef shipgate
autoload -U +X bashcompinit && bashcompinit
${bash()}`;

const fish = (): string =>
  [
    ...Object.entries(COMMANDS).map(
      ([name, { summary }]) => `complete -c shipgate -n __fish_use_subcommand -f -a ${name} -d '${summary}'`,
    ),
    ...Object.entries(COMMANDS).flatMap(([name, { options }]) =>
      listOptions(options).map(
        (option) => `complete -c shipgate -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
      ),
    ),
  ].join('\n');

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

/** Prints the completion script of a shell, made from the table of commands. */
export async function completion({ args }: CommandContext): Promise<CommandResult> {
  const [shell = '', ...rest] = args.operands;
  const write = Object.hasOwn(SHELLS, shell) && rest.length === 0 ? SHELLS[shell] : undefined;
  if (write === undefined) throw usageError('Use `shipgate completion bash`, `zsh` or `fish`.');
  const script = write();
  return { exit: EXIT.yes, outcome: 'completion', members: { script }, lines: [script] };
}
