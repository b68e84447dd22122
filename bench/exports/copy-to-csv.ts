import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { devNull } from 'node:os';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';

/** Returns whether the machine has `psql`. The embedded server comes without it. */
export const hasPsql = (): boolean => spawnSync('psql', ['--version'], { stdio: 'ignore' }).status === 0;

/** Copies the result of the query to the null device with `psql`. */
export async function copyByPsql(databaseUrl: string, query: string): Promise<void> {
  // A backslash command ends at the end of its line.
  const command = `\\copy (${query.replaceAll(/\s+/g, ' ')}) to '${devNull}' csv header`;
  const child = spawn('psql', ['--no-psqlrc', '--quiet', `--command=${command}`, databaseUrl], { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`psql ended with ${String(code)}.`);
}

/** Copies the result on the server without sending it to a client. */
export const copyByServer = (databaseUrl: string, query: string): Promise<unknown> =>
  withDedicatedClient(databaseUrl, (client) => client.query(`copy (${query}) to '${devNull}' csv header`));
