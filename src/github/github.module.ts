import { Global, Module } from '@nestjs/common';
import { GitHubGateway } from './github-gateway.js';
import { ConfiguredGitHubSettings, GitHubSettings } from './github-settings.js';

/**
 * Needs the clock, the environment and the app's credentials from another module. Without credentials, every call as the
 * app fails as `unauthorized`.
 */
@Global()
@Module({
  providers: [{ provide: GitHubSettings, useClass: ConfiguredGitHubSettings }, GitHubGateway],
  exports: [GitHubGateway],
})
export class GitHubModule {}
