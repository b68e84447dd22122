import { Inject, Injectable } from '@nestjs/common';
import { AppCredentialsProvider } from '../config/app-credentials.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';

/**
 * The addresses of GitHub and the credentials of the app. They are read at each use, because the set-up may change the
 * credentials while the service runs.
 */
export abstract class GitHubSettings {
  /** The base address of the web pages, for example `https://github.com`. */
  abstract readonly webUrl: string;
  /** The base address of the REST API, for example `https://api.github.com` or `https://github.example.com/api/v3`. */
  abstract readonly apiUrl: string;
  abstract readonly appId: string;
  /** The issuer of the app's tokens, as GitHub recommends. Without it, the issuer is the id of the app. */
  abstract readonly clientId?: string | undefined;
  /** Authenticates the app when users sign in. Without it no user can sign in. */
  abstract readonly clientSecret?: string | undefined;
  /** In PEM, as PKCS#1 (the format of GitHub's downloads) or PKCS#8. */
  abstract readonly privateKey: string;
  readonly userAgent?: string;
  /** The time limit of one exchange, with redirects and body; 10 s by default. */
  readonly requestTimeoutMs?: number;
  /** The wait before the first retry; 250 ms by default. The wait before the second is four times as long. */
  readonly retryDelayMs?: number;
}

/** The addresses of the environment, with the current credentials of the app. */
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
