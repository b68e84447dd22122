import { describe, expect, it } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { BuiltService } from '../contract/built-service.js';
import { describeWith } from './installed.js';
import { CAN_PREPARE_SINCE, PgBouncer, pgbouncerVersion } from './pgbouncer.js';
import { PostgresServer, serverPrograms } from './postgres-server.js';
import { NOTHING_LOST, ServiceUnderLoad } from './service-under-load.js';

const VERSION = pgbouncerVersion();
const TRANSACTION_MODE = ['pool_mode = transaction', 'default_pool_size = 10'];

describeWith({ postgresql: serverPrograms(), pgbouncer: VERSION })('the service behind PgBouncer', () => {
  describe.each([
    [
      'without prepared statements',
      VERSION !== null && VERSION >= CAN_PREPARE_SINCE ? ['max_prepared_statements = 0'] : [],
    ],
    ...(VERSION !== null && VERSION >= CAN_PREPARE_SINCE
      ? [['with prepared statements', ['max_prepared_statements = 200']] as const]
      : []),
  ])('in transaction mode, %s', (_, settings) => {
    it('loses nothing, also while PgBouncer restarts, and keeps its sessions beside it', async () => {
      const server = await PostgresServer.start();
      const { superuserUrl } = server;
      let bouncer: PgBouncer | null = null;
      let service: ServiceUnderLoad | null = null;
      try {
        const urls = await server.makeDatabase();
        bouncer = await PgBouncer.start(urls, ...TRANSACTION_MODE, ...settings);
        service = await ServiceUnderLoad.start(
          { appUrl: bouncer.through(urls.runtimeUrl), ownerUrl: urls.migrationUrl, superuserUrl },
          { DATABASE_DIRECT_URL: urls.runtimeUrl },
        );
        await service.runFor(5);
        await bouncer.restart();
        await service.untilServing();
        await service.runFor(5);
        expect(await readSessions(superuserUrl)).toEqual({ isListening: true, leases: 2 });
        const report = await service.report(server);
        process.stdout.write(`${JSON.stringify(report)}\n`);
        expect(report).toMatchObject(NOTHING_LOST);
        // Each start tries whether the pooler keeps a prepared statement.
        expect(server.log()).not.toMatch(/prepared statement "(?!shipgate_probe_)/);
      } finally {
        await service?.remove();
        await bouncer?.remove();
        await server.remove();
      }
    });
  });

  it.each<readonly [string, readonly string[], 'no direct URL' | 'a direct URL' | 'migrations, too', string]>([
    ['without a URL to the server itself', TRANSACTION_MODE, 'no direct URL', 'give DATABASE_DIRECT_URL'],
    [
      'if it allows no transactions',
      ['pool_mode = statement'],
      'a direct URL',
      'leads to a pooler without transactions',
    ],
    ['if migrations would use it', TRANSACTION_MODE, 'migrations, too', 'DATABASE_MIGRATION_URL leads to'],
  ])('does not start %s, and says so', async (_, settings, given, sentence) => {
    const server = await PostgresServer.start();
    let bouncer: PgBouncer | null = null;
    try {
      const urls = await server.makeDatabase();
      bouncer = await PgBouncer.start(urls, ...settings);
      const starting = BuiltService.start({
        DATABASE_URL: bouncer.through(urls.runtimeUrl),
        DATABASE_MIGRATION_URL: given === 'migrations, too' ? bouncer.through(urls.migrationUrl) : urls.migrationUrl,
        ...(given !== 'no direct URL' && { DATABASE_DIRECT_URL: urls.runtimeUrl }),
      });
      await expect(starting).rejects.toThrow(sentence);
    } finally {
      await bouncer?.remove();
      await server.remove();
    }
  });
});

/** Whether the features that need a session work: the listener for notifications, and the lease of the worker. */
function readSessions(superuserUrl: string): Promise<object> {
  return withDedicatedClient(superuserUrl, async (client) => {
    const { rows } = await client.query<{ isListening: boolean; leases: number }>(
      `select exists (select from pg_stat_activity where query = 'listen shipgate_events') as "isListening",
         (select count(*)::int from pg_locks where locktype = 'advisory' and objsubid = 2 and classid = 21319) as leases`,
    );
    return rows[0] ?? {};
  });
}
