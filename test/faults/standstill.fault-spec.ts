import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { BuiltService } from '../contract/built-service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { environmentOf, startGitHub, type Host } from './start-github.js';

const SLOW_MS = 2_000;
/**
 * Half a minute until the lease ends, ten seconds until another worker checks, and the same again for a busy machine.
 */
const PATIENCE_MS = 90_000;
/** Long enough for a worker to finish what it was writing. */
const AFTERMATH_MS = 5_000;

let database: TestDatabase;
let host: Host;
let variables: Readonly<Record<string, string>>;
const services: BuiltService[] = [];

beforeAll(async () => {
  const port = await freePort();
  [database, host] = [await createTestDatabase(), await startGitHub(port)];
  variables = environmentOf(host, database, port);
  services.push(await BuiltService.start({ ...variables, ROLE: 'web', PORT: String(port) }));
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.kill()));
  await host.outbox.stop();
  await host.github.stop();
  await database.drop();
});

const read = <R extends object>(statement: string): Promise<R[]> =>
  withDedicatedClient(database.superuserUrl, async (client) => (await client.query<R>(statement)).rows);
const until = async (holds: () => Promise<boolean>, patience = PATIENCE_MS): Promise<void> => {
  const deadline = Date.now() + patience;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('It did not come to be in time.');
    await sleep(50);
  }
};
const held = async (): Promise<boolean> =>
  (
    await read(`select from graphile_worker.jobs job
    where job.task_identifier = 'sync-installation' and job.locked_by is not null`)
  ).length > 0;
const repositories = async (): Promise<readonly string[]> =>
  (await read<{ name: string }>('select name from repository where removed_at is null order by name')).map(
    ({ name }) => name,
  );

it('a worker that was paused past its lease writes nothing of what it read before', async () => {
  const sleeper = await BuiltService.start({ ...variables, ROLE: 'worker' });
  services.push(sleeper);
  host.github.faults.next({ kind: 'delay', ms: SLOW_MS, match: /^GET \/installation\/repositories/ });
  host.github.installApp(host.app, host.organization);
  await until(held);
  await sleep(SLOW_MS / 2);
  sleeper.halt('SIGSTOP');
  // By now GitHub has sent the list that the worker reads when it continues. It lacks the repository that is created
  // next, which no delivery reports.
  await sleep(SLOW_MS);
  host.outbox.faults.next({ kind: 'lose', times: 10 });
  host.github.createRepository(host.organization, { name: 'newer' });
  services.push(await BuiltService.start({ ...variables, ROLE: 'worker' }));
  await until(async () => (await repositories()).length === 2);
  sleeper.halt('SIGCONT');
  await sleep(AFTERMATH_MS);
  expect(await repositories()).toEqual(['newer', 'payments']);
});
