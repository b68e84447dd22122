import type { AppCredentials } from '../../config/app-credentials.js';
import type { Environment } from '../../config/environment.js';
import { SealError } from '../../crypto/seal-error.js';
import { Sealer } from '../../crypto/sealer.js';
import type { Database } from '../../database/database.js';
import { AppConfigurationRecorder } from '../../features/setup/app-configuration.repository.js';
import { openCredentials } from '../../features/setup/sealed-credentials.js';
import { type Finding, Findings } from './finding.js';

const credentials = new Findings('app credentials');
const keys = new Findings('encryption keys');

/** Whether the keys that are given open all that is kept. */
export async function examineKeys(database: Database, { encryptionKeys }: Environment): Promise<readonly Finding[]> {
  const needed = await new AppConfigurationRecorder(database).listSealingKeys();
  const given = encryptionKeys.map(({ kid }) => kid);
  const missing = needed.filter((kid) => !given.includes(kid));
  if (missing.length > 0) {
    const remedy = 'Add it to ENCRYPTION_KEYS again, behind the first: what it sealed opens with it alone.';
    return missing.map((kid) => keys.fail(`something is sealed with the key ${kid}, which is not given`, remedy));
  }
  const retired = given.slice(1).filter((kid) => !needed.includes(kid));
  return [
    keys.ok(`${given[0]} seals, and all that is kept opens`),
    ...retired.map((kid) => keys.ok(`${kid} is needed no more, and may be taken out of ENCRYPTION_KEYS`)),
  ];
}

/** The credentials that the service works with, or why it has none. */
export async function findCredentials(database: Database, environment: Environment): Promise<AppCredentials | Finding> {
  if (environment.app !== null) return environment.app;
  const sealed = await new AppConfigurationRecorder(database).find();
  if (sealed === null) return credentials.fail('no GitHub App is set up', 'Run "npm run setup".');
  try {
    return openCredentials(new Sealer(environment), sealed);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return credentials.fail(error.message, 'Give ENCRYPTION_KEYS the keys that the set-up was done with.');
  }
}
