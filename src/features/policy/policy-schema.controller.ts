import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../auth/access-rule.js';
import { RateLimited } from '../../http/rate-limit/rate-limited.decorator.js';
import type { PolicySchema } from './policy-schema.js';
import { SDLC_V1_SCHEMA } from './sdlc.v1.schema.js';

@ApiTags('policy')
@Controller('api/schemas')
export class PolicySchemaController {
  @Get('sdlc.v1.json')
  @Public()
  @RateLimited('public')
  @Header('Content-Type', 'application/schema+json; charset=utf-8')
  @ApiOperation({ summary: 'The JSON Schema of sdlc.yaml, for editors and checks' })
  @ApiOkResponse({
    description: 'The schema, in draft 2020-12 of JSON Schema.',
    content: {
      'application/schema+json': {
        schema: { type: 'object', additionalProperties: true },
        example: { $schema: SDLC_V1_SCHEMA.$schema, title: SDLC_V1_SCHEMA.title, type: SDLC_V1_SCHEMA.type },
      },
    },
  })
  read(): PolicySchema {
    return SDLC_V1_SCHEMA;
  }
}
