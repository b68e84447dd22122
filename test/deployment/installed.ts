import { spawnSync } from 'node:child_process';

/** Returns whether the machine has a program. If not, says on stderr which check is left out. */
export function isInstalled(program: string, check: string): boolean {
  const { error } = spawnSync(program, ['version'], { stdio: 'ignore' });
  if (error) process.stderr.write(`\nThere is no ${program} on this machine: ${check} is skipped.\n`);
  return !error;
}
