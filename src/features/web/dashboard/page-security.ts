/** The address of the avatars of github.com. */
const GITHUB_AVATARS = 'https://avatars.githubusercontent.com';

/**
 * Returns the content security policy of the dashboard. It may run its own scripts, use its own styles, request the service, and
 * show avatars of accounts. A GitHub Enterprise Server serves those at its own address, or below it where subdomains are
 * isolated. The styles of Primer contain icons as `data:` images. With Trusted Types no script can turn text into markup.
 */
export function pageSecurityPolicy(githubUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: ${avatarSources(new URL(githubUrl)).join(' ')}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function avatarSources({ protocol, host, origin }: URL): readonly string[] {
  return host === 'github.com' ? [GITHUB_AVATARS] : [origin, `${protocol}//avatars.${host}`];
}
