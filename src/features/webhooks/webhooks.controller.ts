import { Body, Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../../auth/access.decorators.js';
import { type RawBody, BodyKind } from '../../http/body/body-parser.js';
import { WebhookInboxService } from './webhook-inbox.service.js';

/** A longer header is not from GitHub: the delivery is dropped like any other that is not. */
const HEADER = { type: 'string', maxLength: 255 } as const;

@ApiTags('webhook')
@Controller('api')
export class WebhooksController {
  constructor(private readonly inbox: WebhookInboxService) {}

  @Post('webhook')
  @HttpCode(202)
  @Public()
  @BodyKind('raw')
  @ApiOperation({ summary: 'Deliveries of the GitHub app; always acknowledged, processed afterwards' })
  @ApiHeader({ name: 'X-GitHub-Delivery', required: false, schema: HEADER, description: 'The GUID of the delivery.' })
  @ApiHeader({ name: 'X-GitHub-Event', required: false, schema: HEADER, description: 'The event, as `push`.' })
  @ApiHeader({
    name: 'X-Hub-Signature-256',
    required: false,
    schema: HEADER,
    description: 'HMAC-SHA-256 of the body, as `sha256=…`.',
  })
  @ApiBody({
    description: "The event's payload as GitHub signed it. Of a body over 1 MB nothing is kept.",
    required: false,
    schema: { type: 'object', additionalProperties: true, example: { action: 'created', installation: { id: 7 } } },
  })
  @ApiAcceptedResponse({
    description: 'Kept for processing, or dropped: the sender cannot tell which.',
    schema: { type: 'object', additionalProperties: false },
  })
  async receive(
    @Body() body: RawBody | undefined,
    @Headers('x-github-delivery') guid: string | undefined,
    @Headers('x-github-event') event: string | undefined,
    @Headers('x-hub-signature-256') signature: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<Record<string, never>> {
    const isStored = await this.inbox.accept({ body, guid, event, signature });
    // Unanswered, so that GitHub knows that the delivery was not taken and lists it as failed.
    if (!isStored) request.raw.socket.destroy();
    return {};
  }
}
