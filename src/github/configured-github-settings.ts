import { Inject, Injectable } from '@nestjs/common';
import { AppCredentialsSource } from '../config/app-credentials-source.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { GitHubSettings } from './github-settings.js';

/** The settings of the environment, with the app's credentials as they are at each call. */
@Injectable()
export class ConfiguredGitHubSettings extends GitHubSettings {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly credentials: AppCredentialsSource,
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
