import { Body, Controller, Get, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../../auth/access.decorators.js';
import { ErrorCodes, ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { ConfigStatus, SetupRequest, SetupResult } from './setup.dto.js';
import { SetupService } from './setup.service.js';

@ApiTags('configuration')
@Controller('api/config')
export class SetupController {
  constructor(private readonly setup: SetupService) {}

  @Get('status')
  @Public()
  @RateLimited('public')
  @ApiOperation({ summary: 'Get the public status of the service' })
  @ApiOkResponse({
    type: ConfigStatus,
    description: 'Whether the GitHub App is set up, and the next addresses to open.',
  })
  getSetupStatus(): ConfigStatus {
    return this.setup.getStatus();
  }

  @Post('setup')
  @Public()
  @RateLimited('public')
  @ApiOperation({ summary: 'Set up the service with the credentials of its GitHub App, once' })
  @ApiCreatedResponse({
    type: SetupResult,
    description: 'GitHub accepts the credentials, and the service uses them.',
  })
  @ErrorResponses({
    403: 'The set-up code is invalid.',
    409: 'The app is set up already.',
    422: 'GitHub rejects the credentials, or they belong to another app.',
    429: 'Too many invalid set-up codes from this address.',
    503: 'GitHub does not answer.',
  })
  @ErrorCodes({ 503: ['github_unavailable'] })
  async completeSetup(
    @Body() { setupCode, ...submitted }: SetupRequest,
    @Req() request: FastifyRequest,
  ): Promise<SetupResult> {
    return this.setup.complete(setupCode, submitted, request.ip);
  }
}
