import { readPrivateKey, type AppCredentials } from '../../config/app-credentials.js';
import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import { EncryptionService } from '../../crypto/encryption.service.js';
import type { Database } from '../../database/database.js';
import { AppConfigurationRepository } from './app-configuration.repository.js';
import { decryptCredentials, encryptCredentials, APP_CREDENTIALS_CONTEXT } from './app-credentials.service.js';
import { verifyCredentials } from './credentials-check.js';
import { EncryptedSecretsRepository, type EncryptedSecret } from './encrypted-secrets.repository.js';
import { userTokenContext } from '../accounts/users/user-tokens.service.js';
import { signingKeyContext } from '../signing/signing.service.js';

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

const BATCH = 500;

/**
 * Encrypts every stored secret with the first key of `ENCRYPTION_KEYS`. Running processes may change secrets at the same time.
 * Returns how many were encrypted. `ownerUrl` is that of a user who may act as the owner. Throws a `DecryptionError` if a key is
 * missing, and the secrets that were encrypted before stay encrypted with the first key.
 */
export async function encryptWithFirstKey(
  database: Database,
  ownerUrl: string,
  environment: Pick<Environment, 'encryptionKeys'>,
): Promise<number> {
  const secrets = new EncryptedSecretsRepository(database);
  const encryption = new EncryptionService(environment);
  const [{ kid }] = environment.encryptionKeys;
  for (let encrypted = 0; ;) {
    const batch = await secrets.listOfOtherKeys(ownerUrl, kid, BATCH);
    if (batch.length === 0) return encrypted;
    for (const secret of batch) {
      const context = CONTEXTS[secret.kind](secret.owner);
      const successor = encryption.encrypt(encryption.decrypt(secret.ciphertext, context), context);
      // A secret that a process changed in the meantime is listed again.
      if (await secrets.replace(secret, successor)) encrypted += 1;
    }
  }
}

/** The context to which the ciphertext of each kind is bound. */
const CONTEXTS: Readonly<Record<EncryptedSecret['kind'], (owner: string) => string>> = {
  app_credentials: () => APP_CREDENTIALS_CONTEXT,
  signing_key: signingKeyContext,
  access_token: (userId) => userTokenContext(Number(userId), 'access'),
  refresh_token: (userId) => userTokenContext(Number(userId), 'refresh'),
};
