import { Global, Module } from '@nestjs/common';
import { AppCredentialsSource } from '../../config/app-credentials.js';
import { AppConfigurationRecorder } from './app-configuration.repository.js';
import { StoredAppCredentials } from './app-credentials.service.js';

/** Hands the app's credentials to whoever speaks as it. Expects the app to provide environment, database and custody. */
@Global()
@Module({
  providers: [
    AppConfigurationRecorder,
    StoredAppCredentials,
    { provide: AppCredentialsSource, useExisting: StoredAppCredentials },
  ],
  exports: [AppConfigurationRecorder, AppCredentialsSource, StoredAppCredentials],
})
export class AppCredentialsModule {}
