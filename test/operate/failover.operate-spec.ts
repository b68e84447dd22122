import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkDurability } from '../../src/cli/doctor/database-server-check.js';
import { changeDatabaseUrl } from '../../src/config/database-url.js';
import { Database } from '../../src/database/database.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { HaProxy, haproxyProgram } from './haproxy.js';
import { describeWith } from './installed.js';
import { PostgresServer, serverPrograms } from './postgres-server.js';
import { NOTHING_LOST, ServiceUnderLoad } from './service-under-load.js';

/** How the service finds the primary. */
type Way = 'a URL of two hosts' | 'HAProxy';
type Fault = 'crashes' | 'hangs and comes back';

const CASES: readonly (readonly [Way, Fault])[] = [
  ['a URL of two hosts', 'crashes'],
  ['a URL of two hosts', 'hangs and comes back'],
  ['HAProxy', 'crashes'],
  ['HAProxy', 'hangs and comes back'],
];

describeWith({ postgresql: serverPrograms(), haproxy: haproxyProgram() })('a failover to a synchronous standby', () => {
  it.each(CASES)('loses nothing with %s if the primary %s', async (way, fault) => {
    const former = await PostgresServer.start('synchronous_standby_names=standby');
    const servers = [former];
    let leader = former;
    let proxy: HaProxy | null = null;
    let service: ServiceUnderLoad | null = null;
    try {
      const standby = await PostgresServer.standbyOf(former, 'standby');
      servers.push(standby);
      const roles = await former.makeDatabase();
      proxy = way === 'HAProxy' ? await HaProxy.start(servers, () => leader) : null;
      const route = (url: string): string =>
        proxy === null
          ? url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${standby.port},127.0.0.1:${former.port}`)
          : changeDatabaseUrl(url, (changed) => (changed.port = String(proxy?.port)));
      const urls = { appUrl: route(roles.runtimeUrl), ownerUrl: route(roles.migrationUrl) };
      service = await ServiceUnderLoad.start({ ...urls, superuserUrl: former.superuserUrl });
      expect(await durabilityOf(roles.runtimeUrl)).toBe('ok');
      await service.runFor(5);

      if (fault === 'crashes') await former.stop('immediate');
      else former.signal('SIGSTOP');
      service.isAway = true;
      await service.runFor(3);
      await standby.promote();
      leader = standby;
      service.isAway = false;
      const promoted = Date.now();
      await service.untilServing();
      process.stdout.write(`${way}, the primary ${fault}: serving after ${Date.now() - promoted} ms\n`);

      if (fault === 'hangs and comes back') {
        former.signal('SIGCONT');
        await untilNoSession(former);
        await service.runFor(5);
        expect(await countSessions(former)).toBe(0);
      }
      await service.runFor(3);
      const report = await service.report(standby);
      process.stdout.write(`${JSON.stringify(report)}\n`);
      expect(report).toMatchObject(NOTHING_LOST);
      expect(report.ci.uploads).toBeGreaterThan(0);
    } finally {
      await service?.remove();
      await proxy?.remove();
      for (const server of servers) await server.remove();
    }
  });
});

async function durabilityOf(url: string): Promise<string | undefined> {
  const database = await Database.open({ url, poolSize: 1 });
  const [result] = await checkDurability(database);
  await database.close();
  return result?.status;
}

/** Counts the sessions of the service on a server. One whose commit waits for the lost standby cannot end, and reads nothing. */
function countSessions({ superuserUrl }: PostgresServer): Promise<number> {
  return withDedicatedClient(superuserUrl, async (client) => {
    const { rows } = await client.query<{ sessions: number }>(
      `select count(*)::int as sessions from pg_stat_activity where usename = 'shipgate_app' and wait_event is distinct from 'SyncRep'`,
    );
    return rows[0]?.sessions ?? 0;
  });
}

const PATIENCE_MS = 60_000;

async function untilNoSession(server: PostgresServer): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(200)) {
    if ((await countSessions(server)) === 0) return;
  }
  throw new Error('The service stays connected to the former primary.');
}
