import { GitHubSim } from '../github-sim/github-sim.js';
import type { User } from '../github-sim/state/user.js';

/** The public address of a service with this environment. */
export const PUBLIC_URL = 'http://localhost';

/**
 * An installation that GitHub does not report: it answers with 502, and issues no tokens. A sync that is still retried therefore never
 * finds that the app was removed, which would withdraw the access of later tests.
 */
export const UNREPORTED_INSTALLATION = 987654321;

/** A GitHub with the app, and with a user who can sign in with it. */
export interface GivenGitHub {
  readonly github: GitHubSim;
  readonly ada: User;
  /** The environment of a service with the credentials of the app. */
  readonly variables: Readonly<Record<string, string>>;
}

export async function givenGitHub(): Promise<GivenGitHub> {
  const github = await GitHubSim.start();
  const match = new RegExp(`^GET .*/app/installations/${UNREPORTED_INSTALLATION}$`);
  github.faults.next({ kind: '5xx', match, times: Infinity });
  const owner = github.createOrganization({ login: 'shipgate' });
  const app = github.registerApp({ name: 'Shipgate', owner, callbackUrls: [`${PUBLIC_URL}/api/auth/callback`] });
  const variables = {
    BASE_URL: PUBLIC_URL,
    GITHUB_URL: github.url,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_APP_ID: String(app.id),
    GITHUB_APP_SLUG: app.slug,
    GITHUB_APP_CLIENT_ID: app.clientId,
    GITHUB_APP_CLIENT_SECRET: app.clientSecret,
    GITHUB_APP_PRIVATE_KEY: app.privateKey,
    GITHUB_WEBHOOK_SECRET: app.webhookSecret,
  };
  return { github, ada: github.createUser({ login: 'ada' }), variables };
}
