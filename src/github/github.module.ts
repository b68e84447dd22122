import { Global, Module } from '@nestjs/common';
import { GitHubGateway } from './github-gateway.js';
import { ConfiguredGitHubSettings, GitHubSettings } from './github-settings.js';

/**
 * Expects the app to provide the clock, the environment and the app's credentials. While there are none every call as
 * the app is refused as `unauthorized`.
 */
@Global()
@Module({
  providers: [{ provide: GitHubSettings, useClass: ConfiguredGitHubSettings }, GitHubGateway],
  exports: [GitHubGateway],
})
export class GitHubModule {}
