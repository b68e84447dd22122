import { expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { describeWith } from './installed.js';
import { PostgresServer, serverPrograms } from './postgres-server.js';
import { durabilityOf, NOTHING_LOST, ServiceUnderLoad } from './service-under-load.js';

describeWith({ postgresql: serverPrograms() })('a failover to a synchronous standby, by a URL of two hosts', () => {
  it.each(['crashes', 'hangs and comes back'])('loses nothing if the primary %s', async (fault) => {
    const former = await PostgresServer.start('synchronous_standby_names=standby');
    const servers = [former];
    let service: ServiceUnderLoad | null = null;
    try {
      const standby = await PostgresServer.standbyOf(former, 'standby');
      servers.push(standby);
      const roles = await former.makeDatabase();
      const hosts = `127.0.0.1:${standby.port},127.0.0.1:${former.port}`;
      const route = (url: string): string => url.replace(/127\.0\.0\.1:\d+/, hosts);
      const urls = { appUrl: route(roles.runtimeUrl), ownerUrl: route(roles.migrationUrl) };
      service = await ServiceUnderLoad.start({ ...urls, superuserUrl: former.superuserUrl });
      expect(await durabilityOf(roles.runtimeUrl)).toBe('ok');
      await service.runFor(5);

      if (fault === 'crashes') await former.stop('immediate');
      else former.signal('SIGSTOP');
      service.isAway = true;
      await service.runFor(3);
      await standby.promote();
      service.isAway = false;
      const promoted = Date.now();
      await service.untilServing();
      process.stdout.write(`The primary ${fault}: serving after ${Date.now() - promoted} ms\n`);

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
      for (const server of servers) await server.remove();
    }
  });
});

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
