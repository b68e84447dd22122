import { parseArgs, type ParseArgsConfig } from 'node:util';

/** EX_USAGE of sysexits.h: the command was called in a way in which it cannot be. */
const WRONG_USAGE = 64;

/** What a command was called with. Where that cannot be, it is said together with the usage, and the process ends. */
export function readCommandLine<Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    return refuseUsage(usage, error instanceof Error ? error.message : String(error));
  }
}

/** Prints the usage to whoever asked for it, and ends the process with 0. */
export function showUsage(usage: string): never {
  process.stdout.write(usage);
  process.exit(0);
}

/** Prints the usage to whoever called it otherwise, and ends the process with 64. */
export function refuseUsage(usage: string, problem: string): never {
  process.stderr.write(`${problem}\n\n${usage}`);
  process.exit(WRONG_USAGE);
}
