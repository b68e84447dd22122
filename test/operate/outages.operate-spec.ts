import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { changeDatabaseUrl } from '../../src/config/database-url.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { createRoles, databaseUrl } from '../../src/database/roles.js';
import { describeWith } from './installed.js';
import { PostgresServer, serverPrograms } from './postgres-server.js';
import { NOTHING_LOST, ServiceUnderLoad } from './service-under-load.js';
import { SilentLine } from '../support/silent-line.js';

const SMALL_DISK = '96m';
const canMount = process.getuid?.() === 0 && process.platform === 'linux';

describeWith({ postgresql: serverPrograms() })('a service whose database fails for a time', () => {
  let server: PostgresServer;
  let line: SilentLine;
  let service: ServiceUnderLoad;
  let disk: string;

  const asSuperuser = (sql: string): Promise<unknown> =>
    withDedicatedClient(databaseUrl(server.superuserUrl, 'postgres'), (client) => client.query(sql));

  beforeAll(async () => {
    server = await PostgresServer.start();
    line = await SilentLine.to(server.port);
    disk = server.makeFolder('disk');
    if (canMount) spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK},mode=777`, 'tmpfs', disk]);
    await createRoles(server.superuserUrl);
    const space = server.makeFolder('disk/space');
    await asSuperuser(`create tablespace small location '${space}'`);
    await asSuperuser('alter database shipgate set tablespace small');
    const { runtimeUrl, migrationUrl } = await server.makeDatabase();
    const through = (url: string): string => changeDatabaseUrl(url, (changed) => (changed.port = String(line.port)));
    service = await ServiceUnderLoad.start({
      appUrl: through(runtimeUrl),
      ownerUrl: through(migrationUrl),
      superuserUrl: server.superuserUrl,
    });
    await service.runFor(3);
  });
  afterAll(async () => {
    await service?.remove();
    await line?.close();
    if (canMount) spawnSync('umount', ['-l', disk]);
    await server?.remove();
  });

  it('serves again after the server stood still for 20 s', async () => {
    server.signal('SIGSTOP');
    service.isAway = true;
    await service.untilNotReady('database (it does not answer)');
    await service.runFor(20);
    service.isAway = false;
    server.signal('SIGCONT');
    await service.untilServing();
  });

  it('serves again after the network dropped packets, although the old connections stay silent', async () => {
    line.fallSilent();
    service.isAway = true;
    await service.untilNotReady('database (it does not answer)');
    await service.runFor(10);
    service.isAway = false;
    line.recover();
    await service.untilServing();
  });

  it('serves again after the server was restarted', async () => {
    await server.restart();
    await service.untilServing();
  });

  it('returns a retry time while the server accepts no connection of its role', async () => {
    await asSuperuser('alter role shipgate_app connection limit 0');
    await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'shipgate_app'`);
    await service.untilNotReady('database (it has no free connection)');
    expect(await service.upload()).toEqual([503, '5']);
    await asSuperuser('alter role shipgate_app connection limit -1');
    await service.untilServing();
  });

  it('returns a retry time while the server is read-only', async () => {
    await asSuperuser('alter system set default_transaction_read_only = on');
    await asSuperuser('select pg_reload_conf()');
    await service.untilNotReady('database (it is read-only)');
    expect(await service.upload()).toEqual([503, '5']);
    await asSuperuser('alter system reset default_transaction_read_only');
    await asSuperuser('select pg_reload_conf()');
    await service.untilServing();
  });

  (canMount ? it : it.skip)('asks to come back while the disk is full', async () => {
    const filler = join(disk, 'filler');
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
      const { bavail, bsize } = statfsSync(disk);
      if (bavail > 0) writeFileSync(filler, Buffer.alloc(bavail * bsize), { flag: 'a' });
      const [status, retryAfter] = await service.upload();
      if (status === 503) {
        expect(retryAfter).toBe('5');
        break;
      }
    }
    await service.untilNotReady('database (its disk is full)');
    rmSync(filler);
    await service.untilServing();
  });

  it('has lost nothing that it acknowledged', async () => {
    const report = await service.report(server);
    process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report).toMatchObject(NOTHING_LOST);
    expect(report.ci.putOff).toBeGreaterThan(0);
  });
});
