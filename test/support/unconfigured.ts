import type { App } from '../github-sim/state/app.js';

/** The variables of a service that is not set up yet. */
export const UNCONFIGURED: Readonly<Record<string, string>> = {
  GITHUB_APP_ID: '',
  GITHUB_APP_SLUG: '',
  GITHUB_APP_CLIENT_ID: '',
  GITHUB_APP_CLIENT_SECRET: '',
  GITHUB_APP_PRIVATE_KEY: '',
  GITHUB_WEBHOOK_SECRET: '',
};

/** The credentials that GitHub shows when an app is registered, in the form that the set-up accepts. */
export const credentialsOf = (app: App): Readonly<Record<string, string>> => ({
  appId: String(app.id),
  clientId: app.clientId,
  clientSecret: app.clientSecret,
  webhookSecret: app.webhookSecret,
  privateKey: app.privateKey,
});
