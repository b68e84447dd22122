import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../../auth/access.decorators.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { DashboardFiles } from './dashboard-files.js';

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

/**
 * Answers each URL of the dashboard with the page that starts it. The list is explicit, so that no URL of the dashboard hides a route of
 * the API. The page is public and the same for all users: its script loads everything else from the API.
 */
@ApiExcludeController()
@RateLimited('page-files')
@Controller()
export class DashboardPagesController {
  readonly #securityPolicy: string;

  constructor(
    private readonly files: DashboardFiles,
    @Inject(ENVIRONMENT) { githubUrl }: Environment,
  ) {
    this.#securityPolicy = pageSecurityPolicy(githubUrl);
  }

  @Get(['', 'invite', 'platform/*', 'setup', 'sign-in', 'w/*', 'workspaces'])
  @Public()
  async shell(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer | null> {
    if (this.files.shell === null) {
      throw new DomainError('unavailable', 'The dashboard is not built. Run `npm run build`.');
    }
    reply.headers({
      'Content-Security-Policy': this.#securityPolicy,
      'Content-Type': 'text/html; charset=utf-8',
      // Revalidated each time, so that a tab opened after an upgrade gets the new version.
      'Cache-Control': 'no-cache',
    });
    return this.files.shell.answer(request, reply);
  }

  @Get('assets/:name')
  @Public()
  async asset(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | null> {
    const asset = this.files.findAsset(name);
    // The 404 must not be cached: an upgrade may add the file.
    if (asset === null) throw new DomainError('not_found', 'File not found.');
    // The name contains a hash of the content.
    reply.headers({ 'Cache-Control': 'public, max-age=31536000, immutable', 'Content-Type': asset.type });
    return asset.document.answer(request, reply);
  }
}
