import type { Environment } from '../../config/environment.js';
import { isLoopbackUrl } from '../../config/value-parsers.js';
import { REQUIRED_APP_PERMISSIONS } from './app-permissions.js';

/**
 * The description by which GitHub registers an app.
 * https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest#github-app-manifest-parameters
 */
export interface AppManifest {
  readonly name: string;
  readonly url: string;
  readonly description: string;
  readonly public: boolean;
  /** Where the browser comes back to with the code for the credentials. */
  readonly redirect_url: string;
  readonly callback_urls: readonly string[];
  readonly setup_url: string;
  readonly setup_on_update: boolean;
  readonly request_oauth_on_install: boolean;
  readonly default_permissions: Readonly<Record<string, string>>;
  readonly default_events: readonly string[];
  readonly hook_attributes?: { readonly url: string; readonly active: boolean };
}

interface ManifestParts {
  readonly name: string;
  readonly baseUrl: string;
  readonly githubUrl: string;
  readonly redirectUrl: string;
}

/** Whether the host can reach the service at its address at all: a loopback address is the host's own. */
export const isReachableFromGitHub = (githubUrl: string, baseUrl: string): boolean =>
  !isLoopbackUrl(baseUrl) || isLoopbackUrl(githubUrl);

/** The manifest of this service's app. GitHub refuses one with a webhook that it cannot reach, so that is left out then. */
export const appManifest = ({ name, baseUrl, githubUrl, redirectUrl }: ManifestParts): AppManifest => ({
  name,
  url: baseUrl,
  description: 'Governs releases: evidence in, review on a pull request, and a deploy gate that fails closed.',
  public: false,
  redirect_url: redirectUrl,
  callback_urls: [`${baseUrl}/api/auth/callback`],
  setup_url: `${baseUrl}/api/config/install/callback`,
  setup_on_update: true,
  request_oauth_on_install: false,
  default_permissions: REQUIRED_APP_PERMISSIONS.permissions,
  default_events: REQUIRED_APP_PERMISSIONS.events,
  ...(isReachableFromGitHub(githubUrl, baseUrl) && {
    hook_attributes: { url: `${baseUrl}/api/webhook`, active: true },
  }),
});

/**
 * Where an organization installs the app. An app's page is below `/apps`, and on a GitHub Enterprise Server, whose REST
 * interface is below `/api/v3`, below `/github-apps`.
 */
export function installUrl(
  { githubUrl, githubApiUrl }: Pick<Environment, 'githubUrl' | 'githubApiUrl'>,
  slug: string,
): string {
  const apps = githubApiUrl.endsWith('/api/v3') ? 'github-apps' : 'apps';
  return `${githubUrl}/${apps}/${encodeURIComponent(slug)}/installations/new`;
}
