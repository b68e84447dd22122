import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../../auth/access.decorators.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { pageSecurityPolicy } from './pages.service.js';
import { DashboardFiles } from './dashboard-files.js';

/**
 * Answers each URL of the dashboard with the page that starts it. The list is explicit, so that no URL of the dashboard hides a route of
 * the API. The page is public and the same for all users: its script loads everything else from the API.
 */
@ApiExcludeController()
@RateLimited('public')
@Controller()
export class DashboardController {
  readonly #securityPolicy: string;

  constructor(
    private readonly files: DashboardFiles,
    @Inject(ENVIRONMENT) { githubUrl }: Environment,
  ) {
    this.#securityPolicy = pageSecurityPolicy(githubUrl);
  }

  @Get(['sign-in', 'workspaces', 'w/*'])
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
}
