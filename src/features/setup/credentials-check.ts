import type { AppCredentials } from '../../config/app-credentials.js';
import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import type { App } from '../../github/api/installations.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { GitHubError } from '../../github/transport/github-error.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { githubUnavailable } from '../../http/errors/github-unavailable.js';

const RETRY_AFTER_SECONDS = 30;

/**
 * Asks the host as the app that these credentials are said to be, and answers what it says of it. Refuses where it
 * takes them for no app or for another one, or does not take the client's secret; says `unavailable` where it cannot be
 * asked now.
 */
export async function verifyCredentials(
  { githubUrl, githubApiUrl }: Pick<Environment, 'githubUrl' | 'githubApiUrl'>,
  { appId, clientId, clientSecret, privateKey }: Omit<AppCredentials, 'slug'>,
  clock: Clock,
): Promise<App> {
  const settings = { webUrl: githubUrl, apiUrl: githubApiUrl, appId, clientId, clientSecret, privateKey };
  const github = new GitHubGateway(settings, clock);
  const app = await askAs(github);
  if (String(app.id) !== appId) throw refused(`appId: they are those of the app ${app.id}, called "${app.name}"`);
  await proveSecret(github);
  return app;
}

async function askAs(github: GitHubGateway): Promise<App> {
  try {
    return (await github.installations.app()).value;
  } catch (error) {
    if (GitHubError.is(error, 'unauthorized', 'forbidden', 'not_found')) {
      throw refused('clientId and privateKey: there is no app with this client id and a key that belongs to it', error);
    }
    throw toSetupError(error);
  }
}

/** A code that nobody was given is refused for its own sake only where the client's secret is right. */
async function proveSecret(github: GitHubGateway): Promise<void> {
  try {
    await github.oauth.redeem({ code: 'none', verifier: 'none', redirectUri: 'http://localhost/' });
  } catch (error) {
    if (GitHubError.is(error, 'invalid', 'forbidden')) return;
    if (GitHubError.is(error, 'unauthorized')) throw refused('clientSecret: it is not that of the client id', error);
    throw toSetupError(error);
  }
}

const refused = (reason: string, cause?: unknown): DomainError =>
  new DomainError('unprocessable', `GitHub does not take these credentials. ${reason}.`, { cause });

const toSetupError = (error: unknown): unknown =>
  error instanceof GitHubError ? githubUnavailable(error, { retryAfterSeconds: RETRY_AFTER_SECONDS }) : error;
