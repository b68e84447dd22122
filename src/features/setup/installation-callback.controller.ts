import { Controller, Get, Header, HttpStatus, Query, Redirect, Req } from '@nestjs/common';
import { ApiFoundResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../../auth/access.decorators.js';
import { readSessionCookie } from '../../auth/session/session-cookie.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { RedirectErrorsTo } from '../../http/errors/error.filter.js';
import { ErrorCodes, ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { InstallationService } from './installation.service.js';

const INSTALLATION_ID = /^[1-9]\d{0,14}$/;

@ApiTags('configuration')
@Controller('api/config/install')
export class InstallationCallbackController {
  constructor(private readonly installation: InstallationService) {}

  @Get('callback')
  @Public()
  @RedirectErrorsTo('/sign-in')
  @RateLimited('public')
  @Header('Cache-Control', 'no-store')
  @Redirect('', HttpStatus.FOUND)
  @ApiOperation({
    summary:
      'Connect an organization: GitHub redirects the browser to this path after an installation or a request for one',
  })
  @ApiQuery({
    name: 'installation_id',
    required: false,
    schema: { type: 'string', pattern: '^[0-9]+$', maxLength: 16 },
    description: 'The id of the installation. Absent for a request.',
  })
  @ApiQuery({
    name: 'setup_action',
    required: false,
    schema: { type: 'string', maxLength: 100 },
    description: '`install`, `update`, or `request` if a member requested the installation from the owners.',
  })
  @ApiFoundResponse({
    description:
      'To the start page, or to the sign-in, which returns to this path. A browser is also redirected after an error, to `/sign-in?notice=` with the error code.',
  })
  @ErrorResponses({
    403: 'The user owns no organization, does not own this one, or installed the app in the own account.',
    404: 'No organization of the user has such an installation.',
    503: 'GitHub does not answer.',
  })
  @ErrorCodes({
    403: ['owns_no_organization', 'not_an_owner', 'personal_account'],
    404: ['installation_not_found'],
    503: ['github_unavailable'],
  })
  async completeInstallation(
    // Not validated against a list, because GitHub may add parameters.
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
  ): Promise<{ readonly url: string }> {
    const { installation_id: id, setup_action: action } = query;
    if (action === 'request') return { url: '/?notice=installation_requested' };
    if (typeof id !== 'string' || !INSTALLATION_ID.test(id)) {
      throw new DomainError('invalid', 'installation_id must be the id of an installation, in digits.');
    }
    const outcome = await this.installation.connect(readSessionCookie(request), Number(id));
    return { url: outcome === 'connected' ? '/' : signInUrl(id) };
  }
}

function signInUrl(installationId: string): string {
  const returnTo = `/api/config/install/callback?installation_id=${installationId}&setup_action=install`;
  return `/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`;
}
