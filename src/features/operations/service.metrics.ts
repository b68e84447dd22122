import type { EventEmitter } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { cachedReading } from '../../concurrency/single-flight.js';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { SERVICE_COMMIT, SERVICE_VERSION } from '../../config/service-version.js';
import { Database } from '../../database/database.js';
import { Metrics } from '../../observability/metrics.js';
import { Readiness } from '../../observability/readiness.js';

/** How long sums over all workspaces are used. */
const CACHE_MS = 60_000;
/** The number of intervals without a complete sync after which a workspace is overdue. */
const OVERDUE_INTERVALS = 4;

interface SyncState {
  readonly workspaces: string;
  /** Null without a workspace. */
  readonly oldest_seconds: number | null;
  readonly overdue: string;
}

interface StorageState {
  readonly used_bytes: number;
  readonly nearly_full: string;
  readonly database_bytes: string;
}

/** Publishes the state of this process, of its connections, and sums over all workspaces. */
@Injectable()
export class ServiceMetrics {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    metrics: Metrics,
    readiness: Readiness,
  ) {
    publishProcess(metrics, readiness);
    publishConnections(metrics, database);
    publishReplica(metrics, database);
    this.publishSync(metrics);
    this.publishStorage(metrics);
  }

  private publishSync(metrics: Metrics): void {
    const read = cachedReading(CACHE_MS, async () => {
      const overdueSeconds = (OVERDUE_INTERVALS * this.environment.syncIntervalMs) / 1_000;
      const [row] = await this.database.queryWithoutTenant<SyncState>(
        'measure_syncs',
        'select workspaces, oldest_seconds, overdue from measure_syncs($1, $2)',
        [this.clock.now(), overdueSeconds],
      );
      return row!;
    });
    metrics.gauge('shipgate_workspaces', 'Workspaces with an installation of the app.', async () =>
      Number((await read()).workspaces),
    );
    metrics.gauge(
      'shipgate_sync_oldest_seconds',
      'The time since the last complete sync of the workspace for which it is longest.',
      async () => (await read()).oldest_seconds ?? 0,
    );
    metrics.gauge(
      'shipgate_sync_overdue_workspaces',
      `Workspaces without a complete sync in the last ${OVERDUE_INTERVALS} intervals.`,
      async () => Number((await read()).overdue),
    );
  }

  private publishStorage(metrics: Metrics): void {
    const { storageQuotas, billing } = this.environment;
    const read = cachedReading(CACHE_MS, async () => {
      const [row] = await this.database.queryWithoutTenant<StorageState>(
        'measure_storage',
        'select used_bytes, nearly_full, pg_database_size(current_database()) as database_bytes from measure_storage($1, $2)',
        [billing ? storageQuotas.free : storageQuotas.pro, storageQuotas.pro],
      );
      return row!;
    });
    metrics.gauge(
      'shipgate_storage_used_bytes',
      'Bytes of evidence that all workspaces store.',
      async () => (await read()).used_bytes,
    );
    metrics.gauge(
      'shipgate_storage_nearly_full_workspaces',
      'Workspaces that use more than nine tenths of their storage quota.',
      async () => Number((await read()).nearly_full),
    );
    metrics.gauge('shipgate_database_size_bytes', 'The size of the database on disk.', async () =>
      Number((await read()).database_bytes),
    );
  }
}

function publishProcess(metrics: Metrics, readiness: Readiness): void {
  metrics.labeledGauge(
    {
      name: 'shipgate_build_info',
      help: 'The build of this process. The value is 1.',
      labels: ['version', 'commit', 'node'],
    },
    async () => [
      { labels: { version: SERVICE_VERSION, commit: SERVICE_COMMIT, node: process.versions.node }, value: 1 },
    ],
  );
  metrics.labeledGauge(
    { name: 'shipgate_ready', help: '1 if the check of the readiness passes, 0 if not.', labels: ['check'] },
    async () => {
      const checks = await readiness.runChecks();
      return checks.map(({ name, failure }) => ({ labels: { check: name }, value: failure === null ? 1 : 0 }));
    },
  );
}

/** Without a replica the metric has no value. */
function publishReplica(metrics: Metrics, { replica }: Database): void {
  metrics.labeledGauge(
    {
      name: 'shipgate_replica_behind_seconds',
      help: 'By how much the replica is behind at most. `used` is whether exports and whole lists are read from it.',
      labels: ['used'],
    },
    async () =>
      replica === null ? [] : [{ labels: { used: String(replica.problem === null) }, value: replica.behindMs / 1_000 }],
  );
}

function publishConnections(metrics: Metrics, { pool }: Database): void {
  metrics.labeledGauge(
    { name: 'shipgate_database_connections', help: 'Connections of this process to the database.', labels: ['state'] },
    async () => [
      { labels: { state: 'busy' }, value: pool.totalCount - pool.idleCount },
      { labels: { state: 'idle' }, value: pool.idleCount },
    ],
  );
  metrics.gauge(
    'shipgate_database_connections_max',
    'The largest number of such connections.',
    async () => pool.options.max,
  );
  metrics.gauge(
    'shipgate_database_waiting',
    'Statements and transactions that wait for a connection.',
    async () => pool.waitingCount,
  );
  const waits = metrics.histogram({
    name: 'shipgate_database_wait_seconds',
    help: 'The wait for a connection while none was idle.',
    labels: [],
  });
  // The pool of the service has this event besides those of the library.
  (pool as EventEmitter).on('waited', (seconds: number) => waits.observe(seconds));
}
