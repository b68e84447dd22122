import type { ExchangeObserver } from '../github-sim/exchange-observer.js';
import { GitHubSim } from '../github-sim/github-sim.js';
import { HttpOutbox } from '../github-sim/webhooks/http-outbox.js';
import type { TestDatabase } from '../support/database.js';

interface Listed {
  readonly guid: string;
  readonly status_code: number;
}

/** A simulated GitHub with an app whose webhook is at the given port, and with one repository. */
export async function startGitHub(port: number, onExchange: ExchangeObserver = () => undefined) {
  const outbox = new HttpOutbox({ timeoutMs: 5_000 });
  const github = await GitHubSim.start({ outbox, onExchange });
  const organization = github.createOrganization({ login: 'acme' });
  const callbackUrls = [`http://localhost:${port}/api/auth/callback`];
  const app = github.registerApp({ name: 'Shipgate', owner: organization, callbackUrls });
  app.webhookUrl = `http://127.0.0.1:${port}/api/webhook`;
  const repository = github.createRepository(organization, { name: 'payments', private: false });
  const acknowledged = (): Set<string> =>
    new Set((outbox.list(app.id) as Listed[]).filter((one) => one.status_code === 202).map(({ guid }) => guid));
  return { outbox, github, app, organization, repository, acknowledged };
}

export type Host = Awaited<ReturnType<typeof startGitHub>>;

/** The variables of a process that works with this GitHub and one database. */
export const environmentOf = (
  { app, github }: Host,
  database: Pick<TestDatabase, 'appUrl' | 'ownerUrl'>,
  port: number,
): Readonly<Record<string, string>> => ({
  BASE_URL: `http://localhost:${port}`,
  DATABASE_URL: database.appUrl,
  DATABASE_MIGRATION_URL: database.ownerUrl,
  GITHUB_URL: github.url,
  GITHUB_API_URL: github.apiUrl,
  GITHUB_APP_ID: String(app.id),
  GITHUB_APP_SLUG: app.slug,
  GITHUB_APP_CLIENT_ID: app.clientId,
  GITHUB_APP_CLIENT_SECRET: app.clientSecret,
  GITHUB_APP_PRIVATE_KEY: app.privateKey,
  GITHUB_WEBHOOK_SECRET: app.webhookSecret,
  BILLING: 'off',
  RATE_LIMITS: 'off',
});
