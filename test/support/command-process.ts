import { spawn } from 'node:child_process';

/** A finished command. */
export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of `src/cli/` in its own process, with these variables only. */
export async function runCommand(
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const source = ['--import', './test/support/typescript.mjs', `src/cli/${command}.ts`];
  const child = spawn(process.execPath, [...source, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', ...variables },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  }
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, ...output };
}
