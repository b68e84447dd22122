import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment.js';
import { openConnections } from '../database/connections.js';
import { Database } from '../database/database.js';
import { assertKnownSchema, readMigrationStatus } from '../database/migration-status.js';
import { assertTenantIsolation } from '../database/tenancy-check.js';
import { SetupService } from '../features/setup/setup.service.js';
import { createApp } from '../http/app.factory.js';
import { JobWorker } from '../jobs/worker/job-worker.js';
import { NotReadyError, Readiness, type ReadinessCheck } from '../observability/readiness.js';
import { setTracer } from '../observability/tracing.js';
import { AppModule } from './app.module.js';
import { assertCanListen, explainListenError } from './listening.js';
import type { CoreProviders } from './core.module.js';
import { StartupAbortedError, httpShutdown, type ShutdownStep, stopAll, runInParallel } from './shutdown.js';

/** The checks that a process must pass before it should get traffic. */
const createReadinessChecks = (database: Database): readonly ReadinessCheck[] => [
  {
    name: 'database',
    async check() {
      const problem = await database.findWriteProblem();
      if (problem !== null) throw new NotReadyError(problem);
    },
  },
  {
    name: 'migrations',
    async check() {
      const { pending, conflicts } = await readMigrationStatus(database.pool);
      if (pending.length + conflicts.length > 0) {
        throw new Error([...pending, ...conflicts.map(({ problem }) => problem)].join(', '));
      }
    },
  },
  {
    name: 'queue',
    async check() {
      await database.pool.query('select 1 from graphile_worker.jobs limit 1');
    },
  },
];

const NEWER_SCHEMA =
  'A newer version has migrated the database. This version works with it during an upgrade; replace it with the newer one.';
const UNPREPARED =
  'the pooler of DATABASE_URL keeps no prepared statements, so each statement is planned again: set max_prepared_statements, in PgBouncer 1.21 or later';

export interface RunningService {
  readonly app: NestFastifyApplication;
  readonly url: string;
  /** The set-up code, which only the console may show. Null if the app is set up already. */
  readonly setupCode: string | null;
  /** The steps in the order of the shutdown. */
  readonly shutdown: readonly ShutdownStep[];
}

/**
 * Starts the whole service in this process: opens the database, asserts the tenant isolation, and listens. If the start fails,
 * it stops the started parts, also the embedded database, which would outlive this process. If `stopping` is aborted, it
 * rejects with `StartupAbortedError`, after the migrations in progress. `parts` replace those that the service has by default.
 */
export async function startService(
  environment: Environment,
  log: Logger,
  stopping: AbortSignal,
  parts: Omit<CoreProviders, 'database'> = {},
): Promise<RunningService> {
  const begun: ShutdownStep[] = [];
  try {
    return await begin(begun, environment, log, stopping, parts);
  } catch (error) {
    if (stopping.aborted) throw new StartupAbortedError(begun, { cause: error });
    await stopAll(begun, log);
    throw error;
  }
}

/** Adds the shutdown step of each part as soon as it is started, before the steps of the parts that it depends on. */
async function begin(
  begun: ShutdownStep[],
  environment: Environment,
  log: Logger,
  stopping: AbortSignal,
  parts: Omit<CoreProviders, 'database'>,
): Promise<RunningService> {
  await assertCanListen(environment);
  if (environment.traces !== null) begun.unshift(await startTraces(environment.traces, log));
  const connections = await openConnections({
    databaseUrl: environment.databaseUrl ?? undefined,
    directUrl: environment.databaseDirectUrl ?? undefined,
    migrationUrl: environment.databaseMigrationUrl ?? undefined,
    dataDir: environment.dataDir,
    stopping,
  });
  begun.unshift({
    name: 'embedded database',
    stop: async () => connections.embedded?.stop(),
    timeoutMs: 15_000,
  });
  if (!connections.canPrepare) log.warn(UNPREPARED);
  const database = await Database.open({
    ...connections,
    url: connections.runtimeUrl,
    poolSize: environment.databasePoolSize,
    replicaUrl: environment.databaseReplicaUrl,
  });
  begun.unshift({ name: 'database', stop: () => database.close(), timeoutMs: 5_000 });
  const { newer } = await assertKnownSchema(database.pool);
  if (newer.length > 0) log.warn({ migrations: newer }, NEWER_SCHEMA);
  await assertTenantIsolation(database.pool);
  stopping.throwIfAborted();
  const app = await createApp(
    AppModule.of({ ...parts, database }, { isScheduling: environment.role !== 'web' }),
    environment,
    log,
  );
  for (const check of createReadinessChecks(database)) app.get(Readiness).register(check);
  const worker = app.get(JobWorker);
  // Both stop at the same time, because the caller may kill the process before two stops in a row end.
  begun.unshift(
    runInParallel('http and worker', [
      httpShutdown(app, environment.shutdownDelayMs),
      { name: 'worker', stop: () => worker.stop(), timeoutMs: 18_000 },
    ]),
  );
  stopping.throwIfAborted();
  await app.listen(environment.port, environment.host).catch((error: unknown) => {
    throw explainListenError(error, environment);
  });
  const setup = app.get(SetupService);
  const setupCode = await setup.createCode();
  await setup.enqueueInstallationSearch();
  stopping.throwIfAborted();
  await worker.start();
  return { app, url: await app.getUrl(), setupCode, shutdown: begun };
}

/** The packages of OpenTelemetry take time and memory, so they are loaded only if traces are on. */
async function startTraces(traces: NonNullable<Environment['traces']>, log: Logger): Promise<ShutdownStep> {
  const { OtlpTracer } = await import('../observability/otlp-tracer.js');
  const tracer = new OtlpTracer(traces, log);
  setTracer(tracer);
  return { name: 'traces', stop: () => tracer.stop(), timeoutMs: 3_000 };
}

/** Prints the set-up code to the console at any log level, because it is not shown anywhere else. */
export function printSetupCode(setupCode: string, baseUrl: string, log: Logger): void {
  const sentence = `no GitHub App is set up yet: open ${baseUrl}/setup and enter the code ${setupCode}, or run "npm run setup"`;
  if (log.isLevelEnabled('warn')) log.warn({ setupCode }, sentence);
  else process.stdout.write(`${JSON.stringify({ msg: sentence, setupCode })}\n`);
}
