import { BuiltService } from '../contract/built-service.js';
import type { TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { CiStream, type CiReport } from './ci-stream.js';
import { givenReleases } from './open-release.js';
import { ReadinessProxy } from './readiness-proxy.js';
import { environmentOf, startGitHub } from './start-github.js';

/** The expected report of an upgrade. */
export const NOTHING_FAILED = {
  ci: { putOff: 0, wrong: [], uploadsLost: 0, uploadsDoubled: 0 },
  failed: [],
  exitCodes: [0, 0, 0, 0, 0],
} as const;

/** A built version of the service. */
export interface Version {
  readonly folder: string;
  /** The name of its last migration. */
  readonly migration: string;
}

/** Longer than two probes of the proxy and the requests that it sends in between. */
export const SHUTDOWN_DELAY = '1s';

/** The result for requests while every process was replaced by the next version. */
export interface UpgradeReport {
  readonly ci: CiReport;
  /** Requests behind the proxy that were answered with 5xx or not at all. */
  readonly failed: readonly string[];
  readonly passed: number;
  readonly exitCodes: readonly (number | null)[];
  /** Whether the last migration of the next version had run before the upgrade, and whether it has run after it. */
  readonly migrated: { readonly before: boolean; readonly after: boolean };
  /** The number of warnings about a newer schema, by the process of the former version that started after the migration. */
  readonly warnings: number;
}

/**
 * Replaces two processes that serve and two that run jobs by the next version, one after the other, under load and
 * behind a proxy that follows the readiness. After the migration, one process of the former version starts again on the
 * newer schema.
 */
export async function upgradeProcesses(
  database: TestDatabase,
  { from, next, shutdownDelay }: { readonly from: string; readonly next: Version; readonly shutdownDelay: string },
): Promise<UpgradeReport> {
  const port = await freePort();
  const webPorts = [await freePort(), await freePort()];
  const host = await startGitHub(port);
  const proxy = await ReadinessProxy.start(port, webPorts);
  const shared = { ...environmentOf(host, database, port), SHUTDOWN_DELAY: shutdownDelay };
  const roles = [
    ...webPorts.map((webPort) => ({ ROLE: 'web', PORT: String(webPort) })),
    { ROLE: 'worker' },
    { ROLE: 'worker' },
  ];
  const services: BuiltService[] = [];
  const exitCodes: (number | null)[] = [];
  const start = async (index: number, folder: string): Promise<BuiltService> => {
    const started = await BuiltService.start({ ...shared, ...roles[index] }, folder);
    services[index] = started;
    const webPort = webPorts[index];
    if (webPort !== undefined) await proxy.untilReady(webPort);
    return started;
  };
  const replace = async (index: number, folder: string): Promise<BuiltService> => {
    exitCodes.push((await services[index]?.stop()) ?? null);
    return start(index, folder);
  };
  const hasRun = (migration: string): Promise<boolean> =>
    withDedicatedClient(database.superuserUrl, async (client) => {
      const { rowCount } = await client.query('select from schema_migration where name = $1', [migration]);
      return rowCount === 1;
    });
  try {
    await Promise.all(roles.map((_, index) => start(index, from)));
    const ci = await givenReleases(host, `http://127.0.0.1:${port}`, database.superuserUrl);
    proxy.failed.length = 0;
    const before = await hasRun(next.migration);
    const stream = new CiStream(ci);
    await replace(2, next.folder);
    const again = await replace(0, from);
    const warnings = again.warnings.filter((line) => line.includes('A newer version has migrated the database')).length;
    for (const index of [0, 1, 3]) await replace(index, next.folder);
    const report = await stream.stop(database.superuserUrl);
    const migrated = { before, after: await hasRun(next.migration) };
    const { failed, passed } = proxy;
    return { ci: report, failed: [...failed], passed, exitCodes, migrated, warnings };
  } finally {
    await Promise.all(services.map((service) => service.kill()));
    await host.outbox.stop();
    await proxy.stop();
    await host.github.stop();
    await database.drop();
  }
}
