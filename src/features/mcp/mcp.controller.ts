import {
  type CanActivate,
  Controller,
  Delete,
  type ExecutionContext,
  Get,
  HttpCode,
  HttpStatus,
  Inject,
  Injectable,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
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
import { CurrentCaller, PersonalKey } from '../../auth/access.decorators.js';
import type { PersonalKeyCaller } from '../../auth/caller.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { ErrorResponses, ExampleBody } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { McpService } from './mcp.service.js';
import { PROTOCOL_ANSWER, PROTOCOL_BODY, PROTOCOL_FAILURE, PROTOCOL_REJECTION, TOOL_CALL } from './protocol.js';

/**
 * Refuses what a page of another origin sends, as the protocol demands of its servers ("Transports", Streamable HTTP):
 * a page whose name was pointed at this address must not speak for tools. Programs that are no browser name no origin.
 */
@Injectable()
class SameOriginGuard implements CanActivate {
  readonly #origin: string;

  constructor(@Inject(ENVIRONMENT) { baseUrl }: Environment) {
    this.#origin = new URL(baseUrl).origin;
  }

  canActivate(context: ExecutionContext): boolean {
    const { origin } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    if (origin === undefined || origin === this.#origin) return true;
    throw new DomainError('forbidden', 'Pages of other origins may not use the remote tools.');
  }
}

const NO_STREAM = 'This server keeps no session and opens no stream: messages are sent with POST.';

@ApiTags('tools')
@RateLimited('session')
@UseGuards(SameOriginGuard)
@Controller('mcp')
export class McpController {
  constructor(private readonly exchanges: McpService) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @PersonalKey('read')
  @ApiOperation({ summary: 'Remote tools: a message of the Model Context Protocol' })
  @ApiBody({ schema: PROTOCOL_BODY })
  @ExampleBody(TOOL_CALL)
  @ApiOkResponse({ description: 'What the message is answered with.', content: PROTOCOL_ANSWER })
  @ApiAcceptedResponse({ description: 'The message wants no answer.' })
  @ApiBadRequestResponse({ content: PROTOCOL_REJECTION })
  @ApiNotFoundResponse({ content: PROTOCOL_FAILURE })
  @ErrorResponses({
    400: 'It is no message of a revision that is spoken here.',
    403: 'The tool needs a key with the scope `write`, or a page of another origin has sent the request.',
    404: 'There is no such method.',
  })
  async answer(
    @CurrentCaller() caller: PersonalKeyCaller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    const { status, body } = await this.exchanges.handle({ caller, request, reply });
    reply.status(status);
    if (body === '') return undefined;
    reply.type('application/json; charset=utf-8');
    return body;
  }

  @Get()
  @HttpCode(HttpStatus.METHOD_NOT_ALLOWED)
  @PersonalKey('read')
  @ApiOperation({ summary: 'A stream of messages, which this server has none of' })
  @ErrorResponses({ 405: NO_STREAM })
  stream(): never {
    throw noStream();
  }

  @Delete()
  @HttpCode(HttpStatus.METHOD_NOT_ALLOWED)
  @PersonalKey('read')
  @ApiOperation({ summary: 'The end of a session, which this server has none of' })
  @ErrorResponses({ 405: NO_STREAM })
  end(): never {
    throw noStream();
  }
}

const noStream = (): DomainError => new DomainError('method_not_allowed', NO_STREAM, { headers: { Allow: 'POST' } });
