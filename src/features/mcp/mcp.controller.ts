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
import { LazyModuleLoader } from '@nestjs/core';
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
import type { McpService } from './mcp.service.js';
import { PROTOCOL_ANSWER, PROTOCOL_BODY, PROTOCOL_FAILURE, PROTOCOL_REJECTION, TOOL_CALL } from './protocol.js';

/**
 * Rejects requests of pages of other origins, as the protocol requires ("Transports", Streamable HTTP): this prevents DNS rebinding.
 * Only browsers send an origin.
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
    throw new DomainError(
      'forbidden',
      'Cross-origin request rejected. Pages of other origins cannot use the remote tools.',
    );
  }
}

const NO_STREAM = 'This server has no sessions and no streams. Send messages with POST.';

@ApiTags('tools')
@RateLimited('session')
@UseGuards(SameOriginGuard)
@Controller('mcp')
export class McpController {
  #service: McpService | null = null;

  constructor(private readonly modules: LazyModuleLoader) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @PersonalKey('read')
  @ApiOperation({ summary: 'Send a message of the Model Context Protocol to the remote tools' })
  @ApiBody({ schema: PROTOCOL_BODY })
  @ExampleBody(TOOL_CALL)
  @ApiOkResponse({ description: 'The response to the message.', content: PROTOCOL_ANSWER })
  @ApiAcceptedResponse({ description: 'The message was a notification and has no response.' })
  @ApiBadRequestResponse({ content: PROTOCOL_REJECTION })
  @ApiNotFoundResponse({ content: PROTOCOL_FAILURE })
  @ErrorResponses({
    400: 'The body is not a message of a supported revision.',
    403: 'The tool needs a key with the scope `write`, or a page of another origin has sent the request.',
    404: 'The method does not exist.',
  })
  async sendToolMessage(
    @CurrentCaller() caller: PersonalKeyCaller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    const { status, body } = await (await this.loadService()).handle({ caller, request, reply });
    reply.status(status);
    if (body === '') return undefined;
    reply.type('application/json; charset=utf-8');
    return body;
  }

  @Get()
  @HttpCode(HttpStatus.METHOD_NOT_ALLOWED)
  @PersonalKey('read')
  @ApiOperation({ summary: 'Open a stream of messages (not supported)' })
  @ErrorResponses({ 405: NO_STREAM })
  openToolStream(): never {
    throw noStream();
  }

  @Delete()
  @HttpCode(HttpStatus.METHOD_NOT_ALLOWED)
  @PersonalKey('read')
  @ApiOperation({ summary: 'End a session (not supported)' })
  @ErrorResponses({ 405: NO_STREAM })
  endToolSession(): never {
    throw noStream();
  }

  /** Loads the remote tools with the first message. They and their libraries need 8 MB, and many services get no message. */
  private async loadService(): Promise<McpService> {
    if (this.#service) return this.#service;
    const [{ RemoteToolsModule }, { McpService }] = await Promise.all([
      import('./remote-tools.module.js'),
      import('./mcp.service.js'),
    ]);
    const module = await this.modules.load(() => RemoteToolsModule, { logger: false });
    const service = module.get(McpService);
    this.#service = service;
    return service;
  }
}

const noStream = (): DomainError => new DomainError('method_not_allowed', NO_STREAM, { headers: { Allow: 'POST' } });
