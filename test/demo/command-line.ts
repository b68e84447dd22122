import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const CLIENT = path.join(process.cwd(), 'dist/cli/shipgate.cjs');

/** The end of a command, with what it wrote. */
export interface EndedCommand {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as a user does: the built file in a process of its own, with these variables only. */
export async function runShipgate(
  args: readonly string[],
  { env = {}, cwd = process.cwd() }: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Promise<EndedCommand> {
  const child = spawn(process.execPath, [CLIENT, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}
