import { Controller, Delete, Get, HttpCode, HttpStatus, Post, Req, Res, UseGuards } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBadRequestResponse,
  ApiBody,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PersonalKey } from '../../auth/access-rule.js';
import type { PersonalKeyCaller } from '../../auth/caller.js';
import { CurrentCaller } from '../../auth/current-caller.decorator.js';
import { Answers } from '../../http/answers.decorator.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { ExampleBody } from '../../http/example-body.decorator.js';
import { RateLimited } from '../../http/rate-limit/rate-limited.decorator.js';
import { ToolExchanges } from './mcp.service.js';
import { OwnOriginGuard } from './own-origin.guard.js';
import { PROTOCOL_ANSWER, PROTOCOL_BODY, PROTOCOL_FAILURE, PROTOCOL_REFUSAL, TOOL_CALL } from './protocol-schema.js';

const NO_STREAM = 'This server keeps no session and opens no stream: messages are sent with POST.';

@ApiTags('tools')
@RateLimited('session')
@UseGuards(OwnOriginGuard)
@Controller('mcp')
export class McpController {
  constructor(private readonly exchanges: ToolExchanges) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @PersonalKey('read')
  @ApiOperation({ summary: 'Remote tools: a message of the Model Context Protocol' })
  @ApiBody({ schema: PROTOCOL_BODY })
  @ExampleBody(TOOL_CALL)
  @ApiOkResponse({ description: 'What the message is answered with.', content: PROTOCOL_ANSWER })
  @ApiAcceptedResponse({ description: 'The message wants no answer.' })
  @ApiBadRequestResponse({ content: PROTOCOL_REFUSAL })
  @ApiNotFoundResponse({ content: PROTOCOL_FAILURE })
  @Answers({
    400: 'It is no message of a revision that is spoken here.',
    403: 'The tool needs a key with the scope `write`, or a page of another origin has sent the request.',
    404: 'There is no such method.',
  })
  async answer(
    @CurrentCaller() caller: PersonalKeyCaller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    const { status, body } = await this.exchanges.answer({ caller, request, reply });
    reply.status(status);
    if (body === '') return undefined;
    reply.type('application/json; charset=utf-8');
    return body;
  }

  @Get()
  @HttpCode(HttpStatus.METHOD_NOT_ALLOWED)
  @PersonalKey('read')
  @ApiOperation({ summary: 'A stream of messages, which this server has none of' })
  @Answers({ 405: NO_STREAM })
  stream(): never {
    throw noStream();
  }

  @Delete()
  @HttpCode(HttpStatus.METHOD_NOT_ALLOWED)
  @PersonalKey('read')
  @ApiOperation({ summary: 'The end of a session, which this server has none of' })
  @Answers({ 405: NO_STREAM })
  end(): never {
    throw noStream();
  }
}

const noStream = (): DomainError => new DomainError('method_not_allowed', NO_STREAM, { headers: { Allow: 'POST' } });
