import { randomBytes } from 'node:crypto';
import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import { EncryptionService } from '../../crypto/encryption.service.js';
import type { Database } from '../../database/database.js';
import { AppConfigurationRepository } from '../../features/setup/app-configuration.repository.js';
import { encryptCredentials } from '../../features/setup/app-credentials.service.js';
import { installUrl } from '../../features/setup/app-manifest.js';
import { convertManifestCode } from '../../github/api/app-manifests.js';

const ALREADY_CONFIGURED = 'The GitHub App is set up already.';

/** Throws if the service already has credentials, from the environment or from a set-up. */
export async function assertNotConfigured(database: Database, environment: Environment): Promise<void> {
  const stored = await new AppConfigurationRepository(database).find();
  if (environment.app !== null || stored !== null) throw new Error(ALREADY_CONFIGURED);
}

/**
 * Fetches the credentials of the registered app and stores them encrypted. Running processes of the service load them within
 * seconds. Returns the address where the app can be installed.
 */
export async function registerApp(
  database: Database,
  environment: Environment,
  clock: Clock,
  code: string,
): Promise<string> {
  const { webhookSecret, ...app } = await convertManifestCode({ apiUrl: environment.githubApiUrl }, code);
  // An app without a webhook has no secret. A random one makes the service reject every delivery.
  const credentials = { ...app, webhookSecret: webhookSecret ?? randomBytes(32).toString('base64url') };
  const encrypted = encryptCredentials(new EncryptionService(environment), credentials);
  const outcome = await new AppConfigurationRepository(database).complete(null, encrypted, clock.now());
  if (outcome !== 'stored') throw new Error(`${ALREADY_CONFIGURED} Delete the new app "${app.slug}" on GitHub.`);
  return installUrl(environment, app.slug);
}
