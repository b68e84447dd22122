import { BuiltService } from '../contract/built-service.js';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { CiStream, type CiReport } from './ci-stream.js';
import { NextVersion } from './next-version.js';
import { givenReleases } from './open-release.js';
import { ReadinessProxy } from './readiness-proxy.js';
import { environmentOf, startGitHub } from './start-github.js';

/** The result for requests while every process was replaced by the next version. */
export interface UpgradeReport {
  readonly ci: CiReport;
  /** Requests behind the proxy that were answered with 5xx or not at all. */
  readonly failed: readonly string[];
  readonly passed: number;
  readonly exitCodes: readonly (number | null)[];
  /** Whether the migration of the next version ran. */
  readonly migrated: boolean;
  /** The number of warnings about a newer schema, by the process of this version that started after the migration. */
  readonly warnings: number;
}

/**
 * Replaces two processes that serve and two that run jobs by the next version, one after the other, under load and
 * behind a proxy that follows the readiness. After the migration, one process of this version starts again on the newer
 * schema.
 */
export async function upgradeProcesses(shutdownDelay: string): Promise<UpgradeReport> {
  const [database, port] = [await createTestDatabase(), await freePort()];
  const webPorts = [await freePort(), await freePort()];
  const host = await startGitHub(port);
  const proxy = await ReadinessProxy.start(port, webPorts);
  const next = new NextVersion();
  const shared = { ...environmentOf(host, database, port), SHUTDOWN_DELAY: shutdownDelay };
  const roles = [
    ...webPorts.map((webPort) => ({ ROLE: 'web', PORT: String(webPort) })),
    { ROLE: 'worker' },
    { ROLE: 'worker' },
  ];
  const services: BuiltService[] = [];
  const exitCodes: (number | null)[] = [];
  const start = async (index: number, folder?: string): Promise<BuiltService> => {
    const started = await BuiltService.start({ ...shared, ...roles[index] }, folder);
    services[index] = started;
    const webPort = webPorts[index];
    if (webPort !== undefined) await proxy.untilReady(webPort);
    return started;
  };
  const replace = async (index: number, folder?: string): Promise<BuiltService> => {
    exitCodes.push((await services[index]?.stop()) ?? null);
    return start(index, folder);
  };
  try {
    await Promise.all(roles.map((_, index) => start(index)));
    const ci = await givenReleases(host, `http://127.0.0.1:${port}`, database.superuserUrl);
    proxy.failed.length = 0;
    const stream = new CiStream(ci);
    await replace(2, next.folder);
    const again = await replace(0);
    const warnings = again.warnings.filter((line) => line.includes('A newer version has migrated the database')).length;
    for (const index of [0, 1, 3]) await replace(index, next.folder);
    const report = await stream.stop(database.superuserUrl);
    const { rowCount } = await withDedicatedClient(database.superuserUrl, (client) =>
      client.query('select from schema_migration where name = $1', [next.migration]),
    );
    const { failed, passed } = proxy;
    return { ci: report, failed: [...failed], passed, exitCodes, migrated: rowCount === 1, warnings };
  } finally {
    await Promise.all(services.map((service) => service.kill()));
    await host.outbox.stop();
    await proxy.stop();
    await host.github.stop();
    await database.drop();
    next.remove();
  }
}
