import { Inject, Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { type AppCredentials, AppCredentialsSource, readAppId, readPrivateKey } from '../../config/app-credentials.js';
import { ENVIRONMENT, type Environment, EnvironmentError } from '../../config/environment.js';
import { Sealer, SealError } from '../../crypto/encryption.service.js';
import { AppConfigurationRecorder } from './app-configuration.repository.js';

/** Binds the sealed text to its one purpose. */
const CONTEXT = 'app-credentials';

export const sealCredentials = (sealer: Sealer, credentials: AppCredentials): string =>
  sealer.seal(JSON.stringify(credentials), CONTEXT);

/** Throws a `SealError` where the text does not open. */
export function openCredentials(sealer: Sealer, sealed: string): AppCredentials {
  const kept = JSON.parse(sealer.open(sealed, CONTEXT)) as AppCredentials;
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
export class StoredAppCredentials extends AppCredentialsSource implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(StoredAppCredentials.name);
  private stored: AppCredentials | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly configuration: AppConfigurationRecorder,
    private readonly sealer: Sealer,
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
      return openCredentials(this.sealer, sealed);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      throw new EnvironmentError([
        `ENCRYPTION_KEYS must hold the key that the credentials of the set-up were sealed with. ${error.message}`,
      ]);
    }
  }
}
