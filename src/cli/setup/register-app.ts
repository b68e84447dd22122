import { randomBytes } from 'node:crypto';
import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import { EncryptionService } from '../../crypto/encryption.service.js';
import type { Database } from '../../database/database.js';
import { AppConfigurationRepository } from '../../features/setup/app-configuration.repository.js';
import { encryptCredentials } from '../../features/setup/app-credentials.service.js';
import { installUrl } from '../../features/setup/app-manifest.js';
import { convertManifestCode } from '../../github/api/app-manifests.js';

const ALREADY = 'The GitHub App is set up already: a set-up is done once.';

/** Refuses where the service has its credentials, from the environment or from a set-up. */
export async function assertNotConfigured(database: Database, environment: Environment): Promise<void> {
  const stored = await new AppConfigurationRepository(database).find();
  if (environment.app !== null || stored !== null) throw new Error(ALREADY);
}

/**
 * Fetches the credentials of the app that a walk has registered and stores them, sealed; processes of the service that
 * run notice within seconds. Answers where the app is installed from.
 */
export async function registerApp(
  database: Database,
  environment: Environment,
  clock: Clock,
  code: string,
): Promise<string> {
  const { webhookSecret, ...app } = await convertManifestCode({ apiUrl: environment.githubApiUrl }, code);
  // An app without a webhook has no secret for one: then one that nobody knows, so that no delivery is ever believed.
  const credentials = { ...app, webhookSecret: webhookSecret ?? randomBytes(32).toString('base64url') };
  const sealed = encryptCredentials(new EncryptionService(environment), credentials);
  const outcome = await new AppConfigurationRepository(database).complete(null, sealed, clock.now());
  if (outcome !== 'stored') throw new Error(`${ALREADY} Delete the app "${app.slug}" that was registered just now.`);
  return installUrl(environment, app.slug);
}
