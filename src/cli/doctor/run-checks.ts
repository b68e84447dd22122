import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import type { Database } from '../../database/database.js';
import { type Examination, type CheckResult, CheckResults, rootCauseMessage } from './check-result.js';
import { examineDatabase, openDatabase } from './database-check.js';
import { checkGitHubApp, examineClock } from './github-check.js';
import {
  examineIssuer,
  checkEncryptionKeys,
  examineProxies,
  examineStorage,
  findCredentials,
} from './service-checks.js';

/** Looks at everything that the service stands on, and hands over what it finds as it finds it. */
export async function* runChecks(environment: Environment, clock: Clock): AsyncGenerator<CheckResult> {
  // Before all that is signed: by a wrong clock the rest follows.
  yield* carriedOut('clock', () => examineClock(environment, clock));
  const opened = await openDatabase(environment);
  if ('status' in opened) yield opened;
  else {
    try {
      yield* carriedOut('database', () => examineDatabase(opened.database, clock));
      yield* carriedOut('encryption keys', () => checkEncryptionKeys(opened.database, environment));
      yield* carriedOut('proxies', () => examineProxies(opened.database, environment, clock));
      yield* carriedOut('app credentials', () => examineCredentials(opened.database, environment, clock));
    } finally {
      await opened.close();
    }
  }
  yield* carriedOut('identity tokens', () => examineIssuer(environment));
  yield* carriedOut('report files', () => examineStorage(environment));
}

async function examineCredentials(
  database: Database,
  environment: Environment,
  clock: Clock,
): Promise<readonly CheckResult[]> {
  const credentials = await findCredentials(database, environment);
  return 'status' in credentials ? [credentials] : checkGitHubApp(environment, credentials, clock);
}

/** What one examination finds; one that breaks off is a finding itself, and keeps no other from being made. */
async function* carriedOut(of: string, examination: Examination): AsyncGenerator<CheckResult> {
  try {
    yield* await examination();
  } catch (error) {
    yield new CheckResults(of).fail(
      `it cannot be examined: ${rootCauseMessage(error)}`,
      'Mend what failed above first.',
    );
  }
}
