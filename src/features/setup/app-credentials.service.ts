import { Inject, Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import {
  type AppCredentials,
  AppCredentialsProvider,
  readAppId,
  readPrivateKey,
} from '../../config/app-credentials.js';
import { ENVIRONMENT, type Environment, EnvironmentError } from '../../config/environment.js';
import { EncryptionService, DecryptionError } from '../../crypto/encryption.service.js';
import { AppConfigurationRepository } from './app-configuration.repository.js';

/** Binds the ciphertext to its use. */
export const APP_CREDENTIALS_CONTEXT = 'app-credentials';

export const encryptCredentials = (encryption: EncryptionService, credentials: AppCredentials): string =>
  encryption.encrypt(JSON.stringify(credentials), APP_CREDENTIALS_CONTEXT);

/** Throws a `DecryptionError` if the ciphertext cannot be decrypted. */
export function decryptCredentials(encryption: EncryptionService, ciphertext: string): AppCredentials {
  const stored = JSON.parse(encryption.decrypt(ciphertext, APP_CREDENTIALS_CONTEXT)) as AppCredentials;
  const { slug, clientId, clientSecret, webhookSecret } = stored;
  return {
    appId: readAppId(stored.appId),
    slug,
    clientId,
    clientSecret,
    privateKey: readPrivateKey(stored.privateKey),
    webhookSecret,
  };
}

const POLL_INTERVAL_MS = 3_000;

/**
 * Provides the credentials of the app: those of the environment, else those that a set-up stored. While there are none, it
 * reads the database every few seconds, because another process may run the set-up. No process then needs a restart.
 */
@Injectable()
export class AppCredentialsService extends AppCredentialsProvider implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(AppCredentialsService.name);
  private stored: AppCredentials | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly configuration: AppConfigurationRepository,
    private readonly encryption: EncryptionService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    if (this.current() !== null) return;
    if ((await this.load()) !== null) return;
    this.timer = setInterval(() => void this.poll(), POLL_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  override current(): AppCredentials | null {
    return this.environment.app ?? this.stored;
  }

  override async load(): Promise<AppCredentials | null> {
    const ciphertext = await this.configuration.find();
    if (ciphertext !== null) {
      this.stored = this.decrypt(ciphertext);
      if (this.timer) this.logger.log('The GitHub App was set up; its credentials are in use');
      this.onModuleDestroy();
    }
    return this.current();
  }

  private async poll(): Promise<void> {
    try {
      await this.load();
    } catch (error) {
      this.logger.warn(`The credentials of the GitHub App could not be read: ${String(error)}`);
    }
  }

  private decrypt(ciphertext: string): AppCredentials {
    try {
      return decryptCredentials(this.encryption, ciphertext);
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      throw new EnvironmentError([
        `ENCRYPTION_KEYS must contain the key that encrypted the credentials of the set-up. ${error.message}`,
      ]);
    }
  }
}
