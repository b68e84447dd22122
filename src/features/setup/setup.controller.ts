import { Body, Controller, Get, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../../auth/access.decorators.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
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
  @ApiOperation({ summary: 'Whether the GitHub App is set up, and where to go next' })
  @ApiOkResponse({ type: ConfigStatus, description: 'The set-up state that is public.' })
  status(): ConfigStatus {
    return this.setup.read();
  }

  @Post('setup')
  @Public()
  @RateLimited('public')
  @ApiOperation({ summary: 'Gives the service the credentials of its GitHub App, once, on its first run' })
  @ApiCreatedResponse({
    type: SetupResult,
    description: 'GitHub takes the credentials, and the service works with them.',
  })
  @ErrorResponses({
    403: 'The set-up code is not one that the service has printed.',
    409: 'The app is set up already.',
    422: 'GitHub does not take the credentials, or they are those of another app.',
    429: 'Too many set-up codes from the address were wrong.',
    503: 'GitHub cannot be asked whether it takes the credentials.',
  })
  async complete(@Body() { setupCode, ...given }: SetupRequest, @Req() request: FastifyRequest): Promise<SetupResult> {
    return { configured: true, ...(await this.setup.complete(setupCode, given, request.ip)) };
  }
}
