import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import type { Database } from '../../database/database.js';
import { type Check, type CheckResult, CheckResults, rootCauseMessage } from './check-result.js';
import { checkConnections, checkDurability, checkPooler, checkReplica } from './database-server-check.js';
import { checkDatabase, openDatabase } from './database-check.js';
import { checkGitHubApp, checkClock } from './github-check.js';
import {
  checkIssuer,
  checkEncryptionKeys,
  checkProxies,
  checkStorage,
  findCredentials,
  checkWork,
} from './service-checks.js';
import { checkTrustedRoots } from './trusted-roots-check.js';

/** Runs all checks and yields each result as soon as it is known. */
export async function* runChecks(environment: Environment, clock: Clock): AsyncGenerator<CheckResult> {
  // First, because a wrong clock makes the checks of signatures fail.
  yield* runCheck('clock', () => checkClock(environment, clock));
  const opened = await openDatabase(environment);
  if (!('status' in opened)) yield* runCheck('pooler', () => checkPooler(environment));
  if ('status' in opened) yield opened;
  else {
    try {
      yield* runCheck('database', () => checkDatabase(opened.database, clock));
      yield* runCheck('database connections', () => checkConnections(opened.database, environment));
      yield* runCheck('durability', () => checkDurability(opened.database));
      yield* runCheck('replica', () => checkReplica(opened.database, environment));
      yield* runCheck('work', () => checkWork(opened.database));
      yield* runCheck('encryption keys', () => checkEncryptionKeys(opened.database, environment));
      yield* runCheck('proxies', () => checkProxies(opened.database, environment, clock));
      yield* runCheck('app credentials', () => checkCredentials(opened.database, environment, clock));
    } finally {
      await opened.close();
    }
  }
  yield* runCheck('identity tokens', () => checkIssuer(environment));
  yield* runCheck('report files', () => checkStorage(environment));
  yield* runCheck('trusted roots', () => checkTrustedRoots(environment, clock));
}

async function checkCredentials(
  database: Database,
  environment: Environment,
  clock: Clock,
): Promise<readonly CheckResult[]> {
  const credentials = await findCredentials(database, environment);
  return 'status' in credentials ? [credentials] : checkGitHubApp(environment, credentials, clock);
}

/** Yields the results of one check. An exception becomes a result, so that the other checks run. */
async function* runCheck(of: string, check: Check): AsyncGenerator<CheckResult> {
  try {
    yield* await check();
  } catch (error) {
    yield new CheckResults(of).fail(
      `the check failed: ${rootCauseMessage(error)}`,
      'Fix the failed checks above first.',
    );
  }
}
