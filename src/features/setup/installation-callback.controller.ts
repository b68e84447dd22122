import { Controller, Get, Header, HttpStatus, Query, Redirect, Req } from '@nestjs/common';
import { ApiFoundResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../../auth/access.decorators.js';
import { readSessionCookie } from '../../auth/session/session-cookie.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { InstallationService } from './installation.service.js';

const INSTALLATION_ID = /^[1-9]\d{0,14}$/;

@ApiTags('configuration')
@Controller('api/config/install')
export class InstallationCallbackController {
  constructor(private readonly arrival: InstallationService) {}

  @Get('callback')
  @Public()
  @RateLimited('public')
  @Header('Cache-Control', 'no-store')
  @Redirect('', HttpStatus.FOUND)
  @ApiOperation({ summary: 'Where GitHub sends the browser after the app was installed or asked for' })
  @ApiQuery({
    name: 'installation_id',
    required: false,
    schema: { type: 'string', pattern: '^[0-9]+$', maxLength: 16 },
    description: 'The installation; absent where one is asked for.',
  })
  @ApiQuery({
    name: 'setup_action',
    required: false,
    schema: { type: 'string', maxLength: 100 },
    description: '`install`, `update`, or `request` where a member has asked the owners to install the app.',
  })
  @ApiFoundResponse({ description: 'To the start page, or to the sign-in and from there back to here.' })
  @ErrorResponses({
    403: 'The person owns no organization, or not this one to which they belong, or it is their personal account.',
    404: 'There is no such installation in an organization of theirs.',
    503: 'GitHub cannot be asked about it now.',
  })
  async callback(
    // Not held to a list: the host may add to what it sends.
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
  ): Promise<{ readonly url: string }> {
    const { installation_id: id, setup_action: action } = query;
    if (action === 'request') return { url: '/?notice=installation_requested' };
    if (typeof id !== 'string' || !INSTALLATION_ID.test(id)) {
      throw new DomainError('invalid', 'installation_id must be the id of an installation, in digits.');
    }
    const outcome = await this.arrival.connect(readSessionCookie(request), Number(id));
    return { url: outcome === 'connected' ? '/' : signInFor(id) };
  }
}

function signInFor(installationId: string): string {
  const here = `/api/config/install/callback?installation_id=${installationId}&setup_action=install`;
  return `/api/auth/login?returnTo=${encodeURIComponent(here)}`;
}
