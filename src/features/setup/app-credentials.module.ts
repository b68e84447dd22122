import { Global, Module } from '@nestjs/common';
import { AppCredentialsProvider } from '../../config/app-credentials.js';
import { AppConfigurationRepository } from './app-configuration.repository.js';
import { AppCredentialsService } from './app-credentials.service.js';

/** Hands the app's credentials to whoever speaks as it. Expects the app to provide environment, database and custody. */
@Global()
@Module({
  providers: [
    AppConfigurationRepository,
    AppCredentialsService,
    { provide: AppCredentialsProvider, useExisting: AppCredentialsService },
  ],
  exports: [AppConfigurationRepository, AppCredentialsProvider, AppCredentialsService],
})
export class AppCredentialsModule {}
