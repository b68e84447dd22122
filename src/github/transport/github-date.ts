import type { GitHubSettings } from '../github-settings.js';
import { GitHubError } from './github-error.js';
import { HttpExchange } from './http-exchange.js';

/** Returns GitHub's time in whole seconds, from a response that needs no credentials. */
export async function fetchGitHubDate(settings: Pick<GitHubSettings, 'apiUrl'>): Promise<Date> {
  const { headers } = await new HttpExchange(settings).send({
    method: 'GET',
    url: `${settings.apiUrl}/meta`,
    headers: { accept: 'application/vnd.github+json', 'user-agent': 'shipgate' },
  });
  const date = new Date(headers.get('date') ?? '');
  if (Number.isNaN(date.getTime())) throw new GitHubError('malformed', 'GET /meta: the response has no date');
  return date;
}
