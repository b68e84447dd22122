import { Controller, Get, Header, HttpStatus, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../auth/access.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { SharedDocument } from '../../http/shared-document.js';
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
  getPolicySchema(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | null> {
    return SCHEMA.answer(request, reply);
  }
}
