import type { App } from '../github-sim/state/app.js';

/** The variables of a service that nobody has set up yet. */
export const UNCONFIGURED: Readonly<Record<string, string>> = {
  GITHUB_APP_ID: '',
  GITHUB_APP_SLUG: '',
  GITHUB_APP_CLIENT_ID: '',
  GITHUB_APP_CLIENT_SECRET: '',
  GITHUB_APP_PRIVATE_KEY: '',
  GITHUB_WEBHOOK_SECRET: '',
};

/** What the code host shows of an app to whoever registered it, as the set-up takes it. */
export const credentialsOf = (app: App): Readonly<Record<string, string>> => ({
  appId: String(app.id),
  clientId: app.clientId,
  clientSecret: app.clientSecret,
  webhookSecret: app.webhookSecret,
  privateKey: app.privateKey,
});
