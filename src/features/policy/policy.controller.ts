import { Controller, Get, Header, HttpStatus, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CiAuth, CurrentCaller, Public } from '../../auth/access.decorators.js';
import type { CiCaller } from '../../auth/caller.js';
import { ErrorCodes, ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { SharedDocument } from '../../http/shared-document.js';
import { PolicyCheckDto, PolicyCheckQuery } from './policy-check.dto.js';
import { PolicyCheckService } from './policy-check.service.js';
import { SDLC_V1_SCHEMA } from '../../policy-document/sdlc.v1.schema.js';

const SCHEMA = new SharedDocument(JSON.stringify(SDLC_V1_SCHEMA));

@ApiTags('policy')
@Controller('api/schemas')
export class PolicyController {
  @Get('sdlc.v1.json')
  @Public()
  @RateLimited('public')
  @Header('Content-Type', 'application/schema+json; charset=utf-8')
  @ApiOperation({ summary: 'Get the JSON Schema of sdlc.yaml, for editors and checks' })
  @ApiOkResponse({
    description: 'The schema, in JSON Schema draft 2020-12.',
    content: {
      'application/schema+json': {
        schema: { type: 'object', additionalProperties: true },
        example: { $schema: SDLC_V1_SCHEMA.$schema, title: SDLC_V1_SCHEMA.title, type: SDLC_V1_SCHEMA.type },
      },
    },
  })
  @ApiResponse({
    status: HttpStatus.NOT_MODIFIED,
    description: 'The content has not changed since the version that `If-None-Match` names.',
  })
  read(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer | null> {
    return SCHEMA.answer(request, reply);
  }
}

@ApiTags('policy')
@Controller('api/policy')
export class PolicyCheckController {
  constructor(private readonly checks: PolicyCheckService) {}

  @Get('check')
  @CiAuth('gate:read')
  @RateLimited('gate')
  @ApiOperation({ summary: 'Check sdlc.yaml at a commit' })
  @ApiOkResponse({
    type: PolicyCheckDto,
    description: 'The result as if the commit were the head of the default branch, with the organization default.',
  })
  @ErrorResponses({
    404: 'The repository does not exist, is not that of the run, or is not one of the API key.',
    409: 'The app has no access to the repository, or GitHub does not return the file.',
    503: 'GitHub is not available.',
  })
  @ErrorCodes({ 409: ['app_not_installed', 'github_rejected'] })
  async check(@CurrentCaller() caller: CiCaller, @Query() { repo, sha }: PolicyCheckQuery): Promise<PolicyCheckDto> {
    return this.checks.check(caller, repo, sha ?? null);
  }
}
