import { Global, Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { GitHubGateway } from './github-gateway.js';
import { GitHubSettings } from './github-settings.js';

/** Expects the app to provide the clock. Without credentials every call is refused as `unauthorized`. */
@Global()
@Module({
  providers: [
    {
      provide: GitHubSettings,
      inject: [ENVIRONMENT],
      useFactory: ({ githubUrl, githubApiUrl, app }: Environment): GitHubSettings => ({
        webUrl: githubUrl,
        apiUrl: githubApiUrl,
        appId: app?.appId ?? '',
        privateKey: app?.privateKey ?? '',
        ...(app && { clientId: app.clientId, clientSecret: app.clientSecret }),
      }),
    },
    GitHubGateway,
  ],
  exports: [GitHubGateway],
})
export class GitHubModule {}
