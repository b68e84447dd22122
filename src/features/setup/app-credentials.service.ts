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

/** Binds the sealed text to its one purpose. */
const CONTEXT = 'app-credentials';

export const encryptCredentials = (sealer: EncryptionService, credentials: AppCredentials): string =>
  sealer.encrypt(JSON.stringify(credentials), CONTEXT);

/** Throws a `DecryptionError` where the text does not open. */
export function decryptCredentials(sealer: EncryptionService, sealed: string): AppCredentials {
  const kept = JSON.parse(sealer.decrypt(sealed, CONTEXT)) as AppCredentials;
  const { slug, clientId, clientSecret, webhookSecret } = kept;
  return {
    appId: readAppId(kept.appId),
    slug,
    clientId,
    clientSecret,
    privateKey: readPrivateKey(kept.privateKey),
    webhookSecret,
  };
}

const LOOK_AGAIN_MS = 3_000;

/**
 * The app's credentials: those of the environment, or else those that a set-up stored. While there are none it looks
 * every few seconds whether another process was set up, so that all of them serve without a restart.
 */
@Injectable()
export class AppCredentialsService extends AppCredentialsProvider implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(AppCredentialsService.name);
  private stored: AppCredentials | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly configuration: AppConfigurationRepository,
    private readonly sealer: EncryptionService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    if (this.current() !== null) return;
    if ((await this.load()) !== null) return;
    this.timer = setInterval(() => void this.lookAgain(), LOOK_AGAIN_MS).unref();
  }

  onModuleDestroy(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  override current(): AppCredentials | null {
    return this.environment.app ?? this.stored;
  }

  /** Reads what is stored, for this process to work with from now on; null where nothing is. */
  async load(): Promise<AppCredentials | null> {
    const sealed = await this.configuration.find();
    if (sealed !== null) {
      this.stored = this.open(sealed);
      this.onModuleDestroy();
    }
    return this.current();
  }

  private async lookAgain(): Promise<void> {
    try {
      if ((await this.load()) !== null) this.logger.log('The GitHub App was set up; its credentials are in use.');
    } catch (error) {
      this.logger.warn(`Whether the GitHub App was set up cannot be known now: ${String(error)}`);
    }
  }

  private open(sealed: string): AppCredentials {
    try {
      return decryptCredentials(this.sealer, sealed);
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      throw new EnvironmentError([
        `ENCRYPTION_KEYS must hold the key that the credentials of the set-up were sealed with. ${error.message}`,
      ]);
    }
  }
}
