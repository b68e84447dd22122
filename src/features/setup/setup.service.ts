import { createHash, randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { tooManyFailures } from '../../auth/auth.errors.js';
import { type AppCredentials, readAppId, readPrivateKey } from '../../config/app-credentials.js';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { SERVICE_VERSION } from '../../config/service-version.js';
import { EncryptionService } from '../../crypto/encryption.service.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { FailedLoginCounter } from '../../http/rate-limit/failed-login-counter.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { AppConfigurationRepository, type SetupCodeStatus } from './app-configuration.repository.js';
import { encryptCredentials, AppCredentialsService } from './app-credentials.service.js';
import { installUrl } from './app-manifest.js';
import { verifyCredentials } from './credentials-check.js';
import type { ConfigStatus, SetupResult } from './setup.dto.js';
import { appAlreadyConfigured, setupCodeInvalid } from './setup.errors.js';

/** Crockford's base 32, without letters that look like another letter or a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 4;
const GROUP_LENGTH = 5;
/** Letters that a user may have written instead of digits; https://www.crockford.com/base32.html */
const CONFUSABLE_LETTERS: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' };

/** Creates a code of 100 random bits, formatted as `XXXXX-XXXXX-XXXXX-XXXXX`. */
export const createSetupCode = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
  ).join('-');

/** Returns the stored hash of a code. Case, dashes and confusable letters do not change it. */
export const hashSetupCode = (code: string): Buffer =>
  createHash('sha256')
    .update(
      code
        .toUpperCase()
        .replaceAll(/[\s-]/g, '')
        .replaceAll(/[OIL]/g, (letter) => CONFUSABLE_LETTERS[letter] ?? letter),
    )
    .digest();

/** The submitted credentials. The slug is read from GitHub. */
export type SubmittedCredentials = Omit<AppCredentials, 'slug'>;

/** Normalizes the fields. Throws `invalid` with every invalid field. */
function readCredentials(submitted: SubmittedCredentials): SubmittedCredentials {
  const problems: string[] = [];
  const read = (name: 'appId' | 'privateKey', reader: (text: string) => string): string => {
    try {
      return reader(submitted[name]);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
      return '';
    }
  };
  const appId = read('appId', readAppId);
  const privateKey = read('privateKey', readPrivateKey);
  if (problems.length > 0) throw new DomainError('invalid', `${problems.join('; ')}.`);
  return { ...submitted, appId, privateKey };
}

/** Sets up the GitHub App, once, with a code that only the console of the service shows. Reports the public status of the service. */
@Injectable()
export class SetupService {
  constructor(
    private readonly configuration: AppConfigurationRepository,
    private readonly credentials: AppCredentialsService,
    private readonly failures: FailedLoginCounter,
    private readonly jobs: JobsService,
    private readonly encryption: EncryptionService,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Creates a set-up code and stores its hash. Returns null if the app is set up already. */
  async createCode(): Promise<string | null> {
    if (this.credentials.current() !== null) return null;
    const code = createSetupCode();
    await this.configuration.addCode(hashSetupCode(code), this.clock.now());
    return code;
  }

  /** Enqueues a search for installations that were created while the service was stopped. Does nothing before the set-up. */
  async enqueueInstallationSearch(): Promise<void> {
    if (this.credentials.current() !== null) await this.jobs.enqueueGlobal('find-installations', {});
  }

  /** Verifies the credentials, stores them for every process, and uses them. */
  async complete(code: string, submitted: SubmittedCredentials, address: string): Promise<SetupResult> {
    if (this.credentials.current() !== null) throw appAlreadyConfigured();
    const codeHash = hashSetupCode(code);
    // Checked before GitHub is called, so that a caller without a code cannot test credentials here.
    await this.assertCodeAccepted(await this.configuration.checkCode(codeHash), address);
    const credentials = readCredentials(submitted);
    const { slug } = await verifyCredentials(this.environment, credentials, this.clock);
    const encrypted = encryptCredentials(this.encryption, { ...credentials, slug });
    const outcome = await this.configuration.complete(codeHash, encrypted, this.clock.now());
    await this.assertCodeAccepted(outcome === 'stored' ? 'right' : outcome, address);
    await this.credentials.load();
    await this.jobs.enqueueGlobal('find-installations', {});
    return { configured: true, appSlug: slug, installUrl: installUrl(this.environment, slug) };
  }

  private async assertCodeAccepted(status: SetupCodeStatus, address: string): Promise<void> {
    if (status === 'right') return;
    if (status === 'configured') {
      await this.credentials.load();
      throw appAlreadyConfigured();
    }
    // Guesses are only slowed down. The right code is always accepted, because its 100 bits cannot be guessed.
    const retryAfterSeconds = await this.failures.record(address, 'setup code');
    if (retryAfterSeconds !== null) throw tooManyFailures(retryAfterSeconds);
    throw setupCodeInvalid();
  }

  getStatus(): ConfigStatus {
    const slug = this.credentials.current()?.slug ?? null;
    return {
      configured: slug !== null,
      appSlug: slug,
      installUrl: slug === null ? null : installUrl(this.environment, slug),
      loginUrl: slug === null ? null : `${this.environment.baseUrl}/api/auth/login`,
      billing: this.environment.billing,
      audience: this.environment.oidcAudience,
      githubUrl: this.environment.githubUrl,
      version: SERVICE_VERSION,
    };
  }
}
