import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { devNull } from 'node:os';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';

/** Whether the machine has Postgres's own client; the embedded server comes without it. */
export const hasPsql = (): boolean => spawnSync('psql', ['--version'], { stdio: 'ignore' }).status === 0;

/** Has `psql` copy what the query answers to where nothing is kept. */
export async function copyByPsql(databaseUrl: string, query: string): Promise<void> {
  // The command of a backslash ends with its line.
  const command = `\\copy (${query.replaceAll(/\s+/g, ' ')}) to '${devNull}' csv header`;
  const child = spawn('psql', ['--no-psqlrc', '--quiet', `--command=${command}`, databaseUrl], { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`psql ended with ${String(code)}.`);
}

/** The same by the server alone, which sends nothing to anybody. */
export const copyByServer = (databaseUrl: string, query: string): Promise<unknown> =>
  withDedicatedClient(databaseUrl, (client) => client.query(`copy (${query}) to '${devNull}' csv header`));
