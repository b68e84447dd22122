import type { AppCredentials } from '../../config/app-credentials.js';
import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import type { App } from '../../github/api/installations.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { GitHubError } from '../../github/transport/github-error.js';
import { credentialsRejected, setupNeedsGitHub } from './setup.errors.js';

/**
 * Verifies the credentials with GitHub and returns the app. Throws `unprocessable` if they belong to no app or to another one,
 * or if the client secret is wrong. Throws `unavailable` if GitHub does not answer.
 */
export async function verifyCredentials(
  { githubUrl, githubApiUrl }: Pick<Environment, 'githubUrl' | 'githubApiUrl'>,
  { appId, clientId, clientSecret, privateKey }: Omit<AppCredentials, 'slug'>,
  clock: Clock,
): Promise<App> {
  const settings = { webUrl: githubUrl, apiUrl: githubApiUrl, appId, clientId, clientSecret, privateKey };
  const github = new GitHubGateway(settings, clock);
  const app = await readApp(github);
  if (String(app.id) !== appId)
    throw credentialsRejected(`appId: the credentials belong to the app ${app.id}, named "${app.name}"`);
  await verifyClientSecret(github);
  return app;
}

async function readApp(github: GitHubGateway): Promise<App> {
  try {
    return (await github.installations.app()).value;
  } catch (error) {
    if (GitHubError.is(error, 'unauthorized', 'forbidden', 'not_found')) {
      throw credentialsRejected('clientId and privateKey: no app has this client id and this key', error);
    }
    throw toSetupError(error);
  }
}

/** Exchanges an invalid code. GitHub rejects the code only if the client secret is right, and otherwise the secret. */
async function verifyClientSecret(github: GitHubGateway): Promise<void> {
  try {
    await github.oauth.redeem({ code: 'none', verifier: 'none', redirectUri: 'http://localhost/' });
  } catch (error) {
    if (GitHubError.is(error, 'invalid', 'forbidden')) return;
    if (GitHubError.is(error, 'unauthorized'))
      throw credentialsRejected('clientSecret: it does not belong to the client id', error);
    throw toSetupError(error);
  }
}

const toSetupError = (error: unknown): unknown => (error instanceof GitHubError ? setupNeedsGitHub(error) : error);
