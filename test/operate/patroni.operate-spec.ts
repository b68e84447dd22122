import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { changeDatabaseUrl } from '../../src/config/database-url.js';
import { migrate } from '../../src/database/migrate.js';
import { createRoles } from '../../src/database/roles.js';
import { HaProxy, haproxyProgram } from './haproxy.js';
import { describeWith } from './installed.js';
import { PatroniCluster, etcdProgram, patroniProgram } from './patroni.js';
import { serverPrograms } from './postgres-server.js';
import { durabilityOf, NOTHING_LOST, ServiceUnderLoad } from './service-under-load.js';

const PROGRAMS = {
  postgresql: serverPrograms(),
  patroni: patroniProgram(),
  'etcd-server': etcdProgram(),
  haproxy: haproxyProgram(),
};

describeWith(PROGRAMS)('a cluster of three servers under Patroni', () => {
  let cluster: PatroniCluster;
  let proxy: HaProxy;
  let service: ServiceUnderLoad;
  /** What the running test started, last first. */
  let started: { remove(): Promise<void> }[] = [];

  /** Starts the service with the cluster. It finds the primary by HAProxy, or by a URL of all hosts. */
  async function serve(way: 'HAProxy' | 'a URL of three hosts'): Promise<void> {
    const leader = await cluster.untilLed();
    const superuserUrl = cluster.superuserUrl(leader);
    const roles = await createRoles(superuserUrl);
    const hosts = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const route = (url: string): string =>
      way === 'HAProxy'
        ? changeDatabaseUrl(url, (changed) => (changed.port = String(proxy.port)))
        : url.replace(/127\.0\.0\.1:\d+/, hosts);
    const urls = { appUrl: route(roles.runtimeUrl), ownerUrl: route(roles.migrationUrl), superuserUrl };
    // Not by HAProxy, which uses any server until its first checks have ended.
    await migrate(roles.migrationUrl);
    service = await ServiceUnderLoad.start(urls);
    started.unshift(service);
    expect(await durabilityOf(urls.appUrl)).toBe('ok');
    await service.runFor(5);
  }

  /** Lets the load run while no server accepts writes. The life of the former leader's key is longer, so no server is promoted meanwhile. */
  async function withoutPrimary(): Promise<void> {
    service.isAway = true;
    await service.runFor(5);
    service.isAway = false;
  }

  /** Waits until the service works again, with a leader that was found just now. `begin` is the time of the fault. */
  async function untilServing(fault: string, begin: number): Promise<void> {
    const led = Date.now();
    await service.untilServing();
    process.stdout.write(`${fault}: a leader after ${led - begin} ms, serving ${Date.now() - led} ms later\n`);
  }

  async function expectNothingLost(): Promise<void> {
    await service.runFor(5);
    const report = await service.report({ superuserUrl: cluster.superuserUrl(await cluster.untilLed()) });
    process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report).toMatchObject(NOTHING_LOST);
    expect(report.ci.uploads).toBeGreaterThan(0);
  }

  beforeEach(async () => {
    cluster = await PatroniCluster.start();
    started = [cluster];
    proxy = await HaProxy.start(cluster.nodes);
    started.unshift(proxy);
  });

  afterEach(async () => {
    for (const one of started) await one.remove();
    started = [];
  });

  it('loses nothing when the leader hands over', async () => {
    await serve('HAProxy');
    const former = await cluster.untilLed();

    const begin = Date.now();
    await cluster.switchOver();
    await cluster.untilSucceeded(former);

    await untilServing('a switchover', begin);
    await expectNothingLost();
  });

  it('loses nothing when the leader crashes, and the former leader becomes a standby', async () => {
    await serve('a URL of three hosts');
    const former = await cluster.untilLed();

    const begin = Date.now();
    await cluster.crash(former);
    await withoutPrimary();
    await cluster.untilSucceeded(former);

    await untilServing('a crash', begin);
    await expectNothingLost();
    cluster.restart(former);
    await cluster.untilComplete();
  });

  it('loses nothing when the leader hangs and comes back', async () => {
    await serve('HAProxy');
    const former = await cluster.untilLed();

    const begin = Date.now();
    cluster.signal(former, 'SIGSTOP');
    await withoutPrimary();
    await cluster.untilSucceeded(former);
    await untilServing('a leader that hangs', begin);
    cluster.signal(former, 'SIGCONT');
    await cluster.untilComplete();

    await expectNothingLost();
  });

  it('refuses requests while etcd hangs, and loses nothing', async () => {
    await serve('a URL of three hosts');

    const begin = Date.now();
    cluster.signalEtcd('SIGSTOP');
    await service.untilNotReady('database (');
    await withoutPrimary();
    cluster.signalEtcd('SIGCONT');
    await cluster.untilLed();

    await untilServing('a lost etcd', begin);
    await expectNothingLost();
  });

  it('serves while etcd hangs, with the failsafe mode', async () => {
    await serve('a URL of three hosts');
    await cluster.configure({ failsafe_mode: true });
    const former = await cluster.untilLed();

    cluster.signalEtcd('SIGSTOP');
    await service.runFor(40);
    expect(await service.upload()).toEqual([201, undefined]);
    cluster.signalEtcd('SIGCONT');
    expect(await cluster.untilLed()).toBe(former);

    await expectNothingLost();
  });
});
