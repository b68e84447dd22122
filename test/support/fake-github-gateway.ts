import { generateKeyPairSync } from 'node:crypto';
import { GitHubGateway } from '../../src/github/github-gateway.js';
import type { GitHubSettings } from '../../src/github/github-settings.js';
import type { RepositoryRef } from '../../src/github/transport/token-scope.js';
import { FakeHttpServer } from './fake-http-server.js';
import { FixedClock } from './fixed-clock.js';

export const PRIVATE_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();

/** The repository that the fake server returns by default. */
export const APP: RepositoryRef = { installationId: 7, id: 101, owner: 'acme', name: 'app' };
export const TOKEN_ROUTE = 'POST /app/installations/7/access_tokens';

export const repositoryJson = (changes: object = {}): object => ({
  id: 101,
  name: 'app',
  owner: { login: 'acme', id: 11 },
  private: true,
  default_branch: 'main',
  archived: false,
  html_url: 'https://github.test/acme/app',
  ...changes,
});

export interface FakeGitHubGateway {
  readonly server: FakeHttpServer;
  readonly clock: FixedClock;
  readonly github: GitHubGateway;
}

/** A gateway with short delays and a fake server that returns the tokens `token-1`, `token-2`, … and the repository `acme/app`. */
export async function startFakeGitHubGateway(settings: Partial<GitHubSettings> = {}): Promise<FakeGitHubGateway> {
  const host = await FakeHttpServer.start();
  const clock = new FixedClock();
  host.on(TOKEN_ROUTE, () => ({
    status: 201,
    json: {
      token: `token-${host.calls(TOKEN_ROUTE).length}`,
      expires_at: new Date(clock.now().getTime() + 3_600_000).toISOString(),
    },
  }));
  host.on('GET /repos/acme/app', { json: repositoryJson() });
  const github = new GitHubGateway(
    {
      webUrl: host.url,
      apiUrl: host.url,
      appId: '42',
      privateKey: PRIVATE_KEY,
      requestTimeoutMs: 10_000,
      retryDelayMs: 1,
      ...settings,
    },
    clock,
  );
  return { server: host, clock, github };
}
