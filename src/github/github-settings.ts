import { Inject, Injectable } from '@nestjs/common';
import { AppCredentialsProvider } from '../config/app-credentials.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';

/**
 * Where GitHub is and as which app the service speaks to it. Read at each use: the set-up may give the app's
 * credentials while the service runs.
 */
export abstract class GitHubSettings {
  /** Base of the web pages, as `https://github.com`. */
  abstract readonly webUrl: string;
  /** Base of the REST interface, as `https://api.github.com` or `https://host/api/v3`. */
  abstract readonly apiUrl: string;
  abstract readonly appId: string;
  /** Issuer of the app's tokens where it is known, as GitHub recommends; else the app's id is. */
  abstract readonly clientId?: string | undefined;
  /** Proves the app where people sign in; without it nobody can. */
  abstract readonly clientSecret?: string | undefined;
  /** PEM, PKCS#1 as GitHub hands it out or PKCS#8. */
  abstract readonly privateKey: string;
  readonly userAgent?: string;
  /** How long one exchange may take, redirects and body included; 10 s unless told otherwise. */
  readonly requestTimeoutMs?: number;
  /** The wait before the first retry, four times as long before the second; 250 ms unless told otherwise. */
  readonly retryDelayMs?: number;
}

/** The settings of the environment, with the app's credentials as they are at each call. */
@Injectable()
export class ConfiguredGitHubSettings extends GitHubSettings {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly credentials: AppCredentialsProvider,
  ) {
    super();
  }

  override get webUrl(): string {
    return this.environment.githubUrl;
  }

  override get apiUrl(): string {
    return this.environment.githubApiUrl;
  }

  override get appId(): string {
    return this.credentials.current()?.appId ?? '';
  }

  override get clientId(): string | undefined {
    return this.credentials.current()?.clientId;
  }

  override get clientSecret(): string | undefined {
    return this.credentials.current()?.clientSecret;
  }

  override get privateKey(): string {
    return this.credentials.current()?.privateKey ?? '';
  }
}
