import { readPrivateKey, type AppCredentials } from '../../config/app-credentials.js';
import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import { EncryptionService } from '../../crypto/encryption.service.js';
import type { Database } from '../../database/database.js';
import { AppConfigurationRepository } from './app-configuration.repository.js';
import { decryptCredentials, encryptCredentials } from './app-credentials.service.js';
import { verifyCredentials } from './credentials-check.js';
import { EncryptedSecretsRepository } from './encrypted-secrets.repository.js';

/** The credentials that GitHub lets an owner of the app change. */
export type ChangedCredentials = Partial<Pick<AppCredentials, 'clientSecret' | 'privateKey' | 'webhookSecret'>>;

/**
 * Changes credentials that the set-up stored, after GitHub accepted them. Processes use them after a restart. Throws if the set-up stored
 * none, or if GitHub rejects them. GitHub does not say whether a webhook secret is right.
 */
export async function changeStoredCredentials(
  database: Database,
  environment: Pick<Environment, 'encryptionKeys' | 'githubUrl' | 'githubApiUrl'>,
  { privateKey, ...others }: ChangedCredentials,
  clock: Clock,
): Promise<void> {
  const ciphertext = await new AppConfigurationRepository(database).find();
  if (ciphertext === null)
    throw new Error('The set-up stored no credentials. They are in the environment, or missing.');
  const encryption = new EncryptionService(environment);
  const changed = {
    ...decryptCredentials(encryption, ciphertext),
    ...others,
    ...(privateKey !== undefined && { privateKey: readPrivateKey(privateKey) }),
  };
  await verifyCredentials(environment, changed, clock);
  const stored = { kind: 'app_credentials', owner: '', ciphertext } as const;
  const secrets = new EncryptedSecretsRepository(database);
  if (!(await secrets.replace(stored, encryptCredentials(encryption, changed))))
    throw new Error('The credentials were changed at the same time. Nothing was changed by this command.');
}
