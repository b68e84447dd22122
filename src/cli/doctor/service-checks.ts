import { discoverJwksUri, readIssuerDocument } from '../../auth/oidc/issuer-discovery.js';
import type { AppCredentials } from '../../config/app-credentials.js';
import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import { objectUrl } from '../../config/value-parsers.js';
import { EncryptionService, DecryptionError } from '../../crypto/encryption.service.js';
import type { Database } from '../../database/database.js';
import { ObjectStore } from '../../features/evidence/storage/s3-report-store.js';
import { AppConfigurationRepository } from '../../features/setup/app-configuration.repository.js';
import { decryptCredentials } from '../../features/setup/app-credentials.service.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { networkTest } from '../../http/open-connections.js';
import { UntrustedForwarderRepository } from '../../http/rate-limit/untrusted-forwarder.repository.js';
import { createLogger } from '../../observability/logger.js';
import { type CheckResult, CheckResults, rootCauseMessage } from './check-result.js';
import { DeliveriesService } from '../../features/webhooks/deliveries.service.js';
import { readTasks } from '../../jobs/worker/queue-metrics.js';
import { countWorkerPools } from '../../jobs/worker/worker-heartbeat.js';

const credentials = new CheckResults('app credentials');
const keys = new CheckResults('encryption keys');

/** Checks that the given keys can decrypt everything that is stored. */
export async function checkEncryptionKeys(
  database: Database,
  { encryptionKeys }: Environment,
): Promise<readonly CheckResult[]> {
  const needed = await new AppConfigurationRepository(database).listEncryptionKeyIds();
  const given = encryptionKeys.map(({ kid }) => kid);
  const missing = needed.filter((kid) => !given.includes(kid));
  if (missing.length > 0) {
    const remedy = 'Add it to ENCRYPTION_KEYS again, after the first key. Only this key decrypts what it encrypted.';
    return missing.map((kid) =>
      keys.fail(`stored secrets are encrypted with the key ${kid}, which is not given`, remedy),
    );
  }
  const retired = given.slice(1).filter((kid) => !needed.includes(kid));
  return [
    keys.ok(`${given[0]} encrypts, and all stored secrets can be decrypted`),
    new CheckResults('backups').ok(
      `they need the encryption keys ${(needed.length === 0 ? given.slice(0, 1) : needed).join(', ')}, SESSION_SECRET and the credentials of the app; store them apart from the backups`,
    ),
    ...retired.map((kid) => keys.ok(`${kid} is no longer needed and can be removed from ENCRYPTION_KEYS`)),
  ];
}

/** Returns the app's credentials, or the reason why there are none. */
export async function findCredentials(
  database: Database,
  environment: Environment,
): Promise<AppCredentials | CheckResult> {
  if (environment.app !== null) return environment.app;
  const encrypted = await new AppConfigurationRepository(database).find();
  if (encrypted === null) return credentials.fail('no GitHub App is set up', 'Run "npm run setup".');
  try {
    return decryptCredentials(new EncryptionService(environment), encrypted);
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    return credentials.fail(error.message, 'Add the keys of the set-up to ENCRYPTION_KEYS.');
  }
}

const ISSUER_REMEDY =
  'Check the proxy and the network. OIDC_ISSUER must be exactly the issuer of the identity tokens. On a GitHub Enterprise ' +
  'Server it is https://<host>/_services/token.';

/** Checks that identity tokens of CI runs can be verified, by reading the issuer's discovery document and keys. */
export async function checkIssuer({ oidcIssuer, oidcAudience }: Environment): Promise<readonly CheckResult[]> {
  const results = new CheckResults('identity tokens');
  try {
    const jwks = (await readIssuerDocument(await discoverJwksUri(oidcIssuer))) as { readonly keys?: unknown } | null;
    const count = Array.isArray(jwks?.keys) ? jwks.keys.length : 0;
    if (count === 0) return [results.fail(`${oidcIssuer} publishes no keys`, ISSUER_REMEDY)];
    return [results.ok(`${oidcIssuer} publishes ${count} keys; runs must request the audience "${oidcAudience}"`)];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // The operator needs the cause, which the service hides from its callers.
    const reason = error.cause === undefined ? error.message : rootCauseMessage(error.cause);
    return [results.fail(`${oidcIssuer} cannot be used: ${reason}`, ISSUER_REMEDY)];
  }
}

const STORAGE_REMEDY =
  'Check STORAGE_URL and the AWS credentials of the environment. They need s3:PutObject and s3:GetObject below the ' +
  'prefix, and s3:ListBucket.';

/** Checks that the storage of report files can be read. Writes nothing, because a check must not change anything. */
export async function checkStorage({ storage }: Pick<Environment, 'storage'>): Promise<readonly CheckResult[]> {
  const results = new CheckResults('report files');
  if (storage === null) return [results.ok('they are stored in the database')];
  const { bucket, endpoint } = storage;
  const place = `the bucket ${bucket}${endpoint === null ? '' : ` of ${endpoint}`}`;
  const objects = new ObjectStore(createLogger('silent'));
  try {
    // No workspace has this name. Only a caller with read access gets "not found" for a missing object.
    await objects.read(objectUrl(storage, 'doctor', 'nothing'));
    return [results.ok(`${place} can be read`)];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [results.fail(`${place} cannot be used: ${rootCauseMessage(error.cause)}`, STORAGE_REMEDY)];
  } finally {
    await objects.onApplicationShutdown();
  }
}

const DAY_MS = 86_400_000;

const proxies = new CheckResults('proxies');

/** Checks that a proxy in front is trusted. Otherwise all of its clients share the rate limits of one client. */
export async function checkProxies(
  database: Database,
  { trustedProxies }: Environment,
  clock: Clock,
): Promise<readonly CheckResult[]> {
  const seen = await new UntrustedForwarderRepository(database).find();
  if (
    seen === null ||
    clock.now().getTime() - seen.seenAt.getTime() > DAY_MS ||
    networkTest(trustedProxies)(seen.address)
  ) {
    return [proxies.ok('no untrusted address sent forwarding headers in the last 24 hours')];
  }
  return [
    proxies.warn(
      `${seen.address} is not trusted and sent forwarding headers, last at ${seen.seenAt.toISOString()}`,
      'If it is your proxy, add it to TRUSTED_PROXIES. Until then, all of its clients share the limits of one.',
    ),
  ];
}

/** The limits of the alerts ShipgateIntakeLag and ShipgateJobsLate. */
const LATE_DELIVERY_SECONDS = 5 * 60;
const LATE_JOB_SECONDS = 15 * 60;
const DELIVERIES = 'process-webhook';

const work = new CheckResults('work');

const START_WORKER =
  'Start a process with ROLE=worker, or with ROLE=all. Jobs become due while the service is stopped.';
const ADD_WORKER = 'See ShipgateIntakeLag and ShipgateJobsLate in the guide for alerts.';
const REPEAT =
  'The log says why each attempt failed. See ShipgateJobsGivenUp and ShipgateDeadLetters in the guide for alerts.';

/** Checks that a worker runs, that no job waits for long, and that none failed in every attempt. */
export async function checkWork(database: Database): Promise<readonly CheckResult[]> {
  const workers = await countWorkerPools(database);
  const tasks = await readTasks(database);
  const late = tasks
    .filter(
      ({ task, oldestDueSeconds }) =>
        oldestDueSeconds > (task === DELIVERIES ? LATE_DELIVERY_SECONDS : LATE_JOB_SECONDS),
    )
    .map(({ task, oldestDueSeconds }) => {
      const minutes = Math.floor(oldestDueSeconds / 60);
      return `the oldest ${task === DELIVERIES ? 'delivery' : 'job'} (${task}) has been due for ${minutes} min`;
    })
    .toSorted();
  const failed = tasks
    .filter(({ task, givenUp }) => givenUp > 0 && task !== DELIVERIES)
    .map(({ task, givenUp }) => `jobs that failed in every attempt: ${givenUp} (${task})`)
    .toSorted();
  const dead = await new DeliveriesService(database).countDead();
  if (dead > 0) failed.push(`deliveries that failed in every attempt: ${dead}`);
  return [...describeWorkers(workers, late), ...failed.map((problem) => work.warn(problem, REPEAT))];
}

/** Without a worker it is a warning unless jobs wait, because the service may never have been started yet. */
function describeWorkers(workers: number, late: readonly string[]): readonly CheckResult[] {
  if (workers === 0) {
    if (late.length === 0) return [work.warn('no worker runs', START_WORKER)];
    return late.map((problem) => work.fail(`no worker runs, and ${problem}`, START_WORKER));
  }
  if (late.length > 0) return late.map((problem) => work.warn(problem, ADD_WORKER));
  const running = workers === 1 ? '1 worker runs' : `${workers} workers run`;
  return [work.ok(`${running}, and no job waits for long`)];
}
