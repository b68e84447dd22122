import { Octokit } from '@octokit/rest';
import type { AppCredentials } from '../../config/app-credentials.js';
import type { GitHubSettings } from '../github-settings.js';
import { GitHubError, type GitHubErrorKind } from '../transport/github-error.js';
import { HttpExchange, type HttpResponse } from '../transport/http-exchange.js';
import { JsonReader } from '../transport/json-reader.js';

/** The credentials of an app that was registered by a manifest. The webhook secret is null if the app has no webhook. */
export interface RegisteredApp extends Omit<AppCredentials, 'webhookSecret'> {
  readonly webhookSecret: string | null;
}

const { createFromManifest } = new Octokit().rest.apps;
const ROUTE = `${createFromManifest.endpoint.DEFAULTS.method} ${createFromManifest.endpoint.DEFAULTS.url}`;

/**
 * Exchanges the code of GitHub's redirect for the credentials of the app that was registered by a manifest. A code works
 * once and for an hour. It is sent once, and no error contains it.
 * https://docs.github.com/rest/apps/apps#create-a-github-app-from-a-manifest
 */
export async function convertManifestCode(
  settings: Pick<GitHubSettings, 'apiUrl'>,
  code: string,
): Promise<RegisteredApp> {
  const { status, text } = await exchange(settings, code);
  if (status !== 201)
    throw manifestError(status === 404 || status === 422 ? 'not_found' : 'unavailable', `answered ${status}`);
  const body = readBody(text);
  return {
    appId: String(body.integer('id')),
    slug: body.text('slug'),
    clientId: body.text('client_id'),
    clientSecret: body.text('client_secret'),
    privateKey: body.text('pem'),
    webhookSecret: body.textOrNull('webhook_secret'),
  };
}

async function exchange(settings: Pick<GitHubSettings, 'apiUrl'>, code: string): Promise<HttpResponse> {
  const { method, url } = createFromManifest.endpoint({ code, baseUrl: settings.apiUrl });
  try {
    return await new HttpExchange(settings).send({
      method,
      url,
      headers: {
        accept: 'application/vnd.github+json',
        'user-agent': 'shipgate',
        'x-github-api-version': '2022-11-28',
      },
    });
  } catch (error) {
    // Without the cause, which names the address and so the code.
    throw manifestError(error instanceof GitHubError ? error.kind : 'unavailable', 'cannot be reached');
  }
}

function readBody(text: string): JsonReader {
  try {
    return new JsonReader(JSON.parse(text), ROUTE);
  } catch {
    // Without the cause, which quotes the text: part of it may be a key.
    throw manifestError('malformed', 'did not answer with JSON');
  }
}

const manifestError = (kind: GitHubErrorKind, reason: string): GitHubError =>
  new GitHubError(kind, `${ROUTE} ${reason}`);
