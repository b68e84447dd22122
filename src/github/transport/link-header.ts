import { GitHubError } from './github-error.js';

/** The page that follows, by `rel="next"` (RFC 8288); refused where it lies off the host, since the token would go there. */
export function nextPageOf(link: string | null, apiUrl: string): string | null {
  const next = link === null ? null : /<([^<>]+)>\s*;[^<>]*\brel="?next\b/.exec(link);
  const address = next?.[1];
  if (address === undefined) return null;
  if (!URL.canParse(address) || new URL(address).origin !== new URL(apiUrl).origin) {
    throw new GitHubError('malformed', 'the next page lies off the host');
  }
  return address;
}
