import type { Environment } from '../../config/environment.js';
import { isLoopbackUrl } from '../../config/value-parsers.js';
import { isEnterpriseServer, REQUIRED_APP_PERMISSIONS, requestedPermissions } from './app-permissions.js';

/**
 * The manifest that registers a GitHub App.
 * https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest#github-app-manifest-parameters
 */
export interface AppManifest {
  readonly name: string;
  readonly url: string;
  readonly description: string;
  readonly public: boolean;
  /** The URL to which GitHub redirects the browser with the code for the credentials. */
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
  readonly githubApiUrl: string;
  readonly redirectUrl: string;
}

/** Returns whether GitHub can reach the service. On a loopback address, only a GitHub on the same host can. */
export const isReachableFromGitHub = (githubUrl: string, baseUrl: string): boolean =>
  !isLoopbackUrl(baseUrl) || isLoopbackUrl(githubUrl);

/** Builds the manifest of the app. It has no webhook if GitHub cannot reach the service, because GitHub rejects such a manifest. */
export const appManifest = ({ name, baseUrl, githubUrl, githubApiUrl, redirectUrl }: ManifestParts): AppManifest => ({
  name,
  url: baseUrl,
  description: 'Governs releases: evidence in, review on a pull request, and a deploy gate that fails closed.',
  public: false,
  redirect_url: redirectUrl,
  callback_urls: [`${baseUrl}/api/auth/callback`],
  setup_url: `${baseUrl}/api/config/install/callback`,
  setup_on_update: true,
  request_oauth_on_install: false,
  default_permissions: requestedPermissions(githubApiUrl),
  default_events: REQUIRED_APP_PERMISSIONS.events,
  ...(isReachableFromGitHub(githubUrl, baseUrl) && {
    hook_attributes: { url: `${baseUrl}/api/webhook`, active: true },
  }),
});

/**
 * Returns the page on which an organization installs the app. It is below `/apps`, or below `/github-apps` on GitHub
 * Enterprise Server.
 */
export function installUrl(
  { githubUrl, githubApiUrl }: Pick<Environment, 'githubUrl' | 'githubApiUrl'>,
  slug: string,
): string {
  const apps = isEnterpriseServer(githubApiUrl) ? 'github-apps' : 'apps';
  return `${githubUrl}/${apps}/${encodeURIComponent(slug)}/installations/new`;
}
