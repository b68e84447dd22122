/** Where github.com keeps the pictures of its accounts. */
const GITHUB_AVATARS = 'https://avatars.githubusercontent.com';

/**
 * What the pages may do: run their own scripts, wear their own style, ask the service, and show the pictures of accounts.
 * A GitHub Enterprise Server keeps those at its own address, or below it where subdomains are isolated.
 */
export function pageSecurityPolicy(githubUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' ${avatarSources(new URL(githubUrl)).join(' ')}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function avatarSources({ protocol, host, origin }: URL): readonly string[] {
  return host === 'github.com' ? [GITHUB_AVATARS] : [origin, `${protocol}//avatars.${host}`];
}
