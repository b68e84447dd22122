import { createHash, randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { tooManyFailures } from '../../auth/auth.errors.js';
import {
  type AppCredentials,
  AppCredentialsProvider,
  readAppId,
  readPrivateKey,
} from '../../config/app-credentials.js';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { SERVICE_VERSION } from '../../config/service-version.js';
import { EncryptionService } from '../../crypto/encryption.service.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { FailedLoginCounter } from '../../http/rate-limit/rate-limit.service.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { AppConfigurationRepository, type SetupCodeStatus } from './app-configuration.repository.js';
import { encryptCredentials, AppCredentialsService } from './app-credentials.service.js';
import { installUrl } from './app-manifest.js';
import { verifyCredentials } from './credentials-check.js';

/** Crockford's base 32: no letter that is read as another or as a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 4;
const GROUP_LENGTH = 5;
/** What a reader may have written instead; https://www.crockford.com/base32.html */
const READ_AS: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' };

/** A new code of 100 random bits, written as `XXXXX-XXXXX-XXXXX-XXXXX`. */
export const newSetupCode = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  ).join('-');

/** The digest under which a code is kept, whatever its case, its dashes and its mistakable letters. */
export const setupCodeHash = (code: string): Buffer =>
  createHash('sha256')
    .update(
      code
        .toUpperCase()
        .replaceAll(/[\s-]/g, '')
        .replaceAll(/[OIL]/g, (letter) => READ_AS[letter] ?? letter),
    )
    .digest();

/** What a set-up brings besides its code; the slug is asked of the host. */
export type SubmittedCredentials = Omit<AppCredentials, 'slug'>;

/** The app that was set up, and where it is installed from. */
export interface ConfiguredApp {
  readonly appSlug: string;
  readonly installUrl: string;
}

const alreadyDone = (): DomainError => new DomainError('conflict', 'The GitHub App is set up already.');

/** Each field as it is to be kept; refused with every field that does not hold. */
function readCredentials(given: SubmittedCredentials): SubmittedCredentials {
  const problems: string[] = [];
  const read = (name: 'appId' | 'privateKey', reader: (text: string) => string): string => {
    try {
      return reader(given[name]);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
      return '';
    }
  };
  const appId = read('appId', readAppId);
  const privateKey = read('privateKey', readPrivateKey);
  if (problems.length > 0) throw new DomainError('invalid', `${problems.join('; ')}.`);
  return { ...given, appId, privateKey };
}

export interface ServiceStatus {
  readonly configured: boolean;
  readonly appSlug: string | null;
  readonly installUrl: string | null;
  readonly loginUrl: string | null;
  readonly billing: boolean;
  readonly version: string;
}

/** Sets the app up, once: whoever reads the console of the service may do it, and nobody may do it again. What anybody may know of the service, and nothing more. */
@Injectable()
export class SetupService {
  constructor(
    private readonly configuration: AppConfigurationRepository,
    private readonly credentials: AppCredentialsService,
    private readonly failures: FailedLoginCounter,
    private readonly jobs: JobsService,
    private readonly sealer: EncryptionService,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly appCredentialsProvider: AppCredentialsProvider,
  ) {}

  /** A new code that opens the set-up, of which only the digest is kept; null where the app is set up. */
  async createCode(): Promise<string | null> {
    if (this.credentials.current() !== null) return null;
    const code = newSetupCode();
    await this.configuration.addCode(setupCodeHash(code), this.clock.now());
    return code;
  }

  /** Asks once at the start for what the app was given while nobody listened, where the app is set up. */
  async lookForInstallations(): Promise<void> {
    if (this.credentials.current() !== null) await this.jobs.enqueueGlobal('find-installations', {});
  }

  /** Proves the credentials, stores them for every process, and works with them from now on. */
  async complete(code: string, given: SubmittedCredentials, address: string): Promise<ConfiguredApp> {
    if (this.credentials.current() !== null) throw alreadyDone();
    const codeHash = setupCodeHash(code);
    // Before the host is asked: credentials of strangers are nothing that this service tries out.
    await this.accept(await this.configuration.checkCode(codeHash), address);
    const read = readCredentials(given);
    const { slug } = await verifyCredentials(this.environment, read, this.clock);
    const sealed = encryptCredentials(this.sealer, { ...read, slug });
    const outcome = await this.configuration.complete(codeHash, sealed, this.clock.now());
    await this.accept(outcome === 'stored' ? 'right' : outcome, address);
    await this.credentials.load();
    await this.jobs.enqueueGlobal('find-installations', {});
    return { appSlug: slug, installUrl: installUrl(this.environment, slug) };
  }

  private async accept(judgement: SetupCodeStatus, address: string): Promise<void> {
    if (judgement === 'right') return;
    if (judgement === 'configured') {
      await this.credentials.load();
      throw alreadyDone();
    }
    // A code has a hundred random bits: guesses are slowed down, and the right one is never kept out by them.
    const retryAfterSeconds = await this.failures.record(address, 'setup code');
    if (retryAfterSeconds !== null) throw tooManyFailures(retryAfterSeconds);
    throw new DomainError('forbidden', 'The set-up code is not one of those that the service has printed.');
  }

  read(): ServiceStatus {
    const slug = this.appCredentialsProvider.current()?.slug ?? null;
    return {
      configured: slug !== null,
      appSlug: slug,
      installUrl: slug === null ? null : installUrl(this.environment, slug),
      loginUrl: slug === null ? null : `${this.environment.baseUrl}/api/auth/login`,
      billing: this.environment.billing,
      version: SERVICE_VERSION,
    };
  }
}
