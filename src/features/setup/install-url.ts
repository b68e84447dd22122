import type { Environment } from '../../config/environment.js';

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
