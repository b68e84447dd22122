import { Controller, Get, Header, HttpStatus, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../../auth/access.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { ApiDocsService } from './api-docs.service.js';
import { PAGE_SECURITY_POLICY } from './page/page-style.js';

const FOR_FIVE_MINUTES = 'public, max-age=300';

@ApiTags('documentation')
@Controller('api')
export class DocsController {
  constructor(private readonly docs: ApiDocsService) {}

  @Get('openapi.json')
  @Public()
  @RateLimited('public')
  @Header('Cache-Control', FOR_FIVE_MINUTES)
  @Header('Content-Type', 'application/json; charset=utf-8')
  @ApiOperation({ summary: 'Get this description as an OpenAPI 3.1 document' })
  @ApiOkResponse({
    description: 'The document.',
    schema: {
      type: 'object',
      required: ['openapi', 'info', 'paths'],
      properties: { openapi: { type: 'string' }, info: { type: 'object' }, paths: { type: 'object' } },
      additionalProperties: true,
      example: { openapi: '3.1.0', info: { title: 'Shipgate', version: '1.0.0' }, paths: {} },
    },
  })
  @ApiResponse({
    status: HttpStatus.NOT_MODIFIED,
    description: 'The content has not changed since the version that `If-None-Match` names.',
  })
  getOpenApiDocument(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer | null> {
    return this.docs.json.answer(request, reply);
  }

  @Get('docs')
  @Public()
  @RateLimited('public')
  @Header('Cache-Control', FOR_FIVE_MINUTES)
  @Header('Content-Security-Policy', PAGE_SECURITY_POLICY)
  @Header('Content-Type', 'text/html; charset=utf-8')
  @ApiOperation({ summary: 'Get this description as an HTML page' })
  @ApiOkResponse({
    description: 'The page. It runs no script and loads nothing.',
    content: { 'text/html': { schema: { type: 'string', example: '<!doctype html>…' } } },
  })
  @ApiResponse({
    status: HttpStatus.NOT_MODIFIED,
    description: 'The content has not changed since the version that `If-None-Match` names.',
  })
  getApiPage(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer | null> {
    return this.docs.page.answer(request, reply);
  }
}
