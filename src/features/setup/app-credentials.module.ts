import { Global, Module } from '@nestjs/common';
import { AppCredentialsProvider } from '../../config/app-credentials.js';
import { AppConfigurationRepository } from './app-configuration.repository.js';
import { AppCredentialsService } from './app-credentials.service.js';

/** Provides the credentials of the app to every module. Expects the app to provide the environment, the database and the encryption. */
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
