import { Inject, Injectable } from '@nestjs/common';
import { AppCredentialsSource } from '../../config/app-credentials-source.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { SERVICE_VERSION } from '../../config/service-version.js';
import { installUrl } from './install-url.js';

export interface ServiceStatus {
  readonly configured: boolean;
  readonly appSlug: string | null;
  readonly installUrl: string | null;
  readonly loginUrl: string | null;
  readonly billing: boolean;
  readonly version: string;
}

/** What anybody may know of the service, and nothing more. */
@Injectable()
export class ConfigStatusReport {
  constructor(
    private readonly credentials: AppCredentialsSource,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  read(): ServiceStatus {
    const slug = this.credentials.current()?.slug ?? null;
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
