import { Body, Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../../auth/access.decorators.js';
import { type RawBody, BodyKind } from '../../http/body/body-parser.js';
import { WebhookInboxService } from './webhook-inbox.service.js';

/** A delivery with a longer header is not from GitHub and is dropped. */
const HEADER = { type: 'string', maxLength: 255 } as const;

@ApiTags('webhook')
@Controller('api')
export class WebhooksController {
  constructor(private readonly inbox: WebhookInboxService) {}

  @Post('webhook')
  @HttpCode(202)
  @Public()
  @BodyKind('raw')
  @ApiOperation({ summary: 'Receive a webhook delivery of the GitHub App' })
  @ApiHeader({ name: 'X-GitHub-Delivery', required: false, schema: HEADER, description: 'The GUID of the delivery.' })
  @ApiHeader({ name: 'X-GitHub-Event', required: false, schema: HEADER, description: 'The event, such as `push`.' })
  @ApiHeader({
    name: 'X-Hub-Signature-256',
    required: false,
    schema: HEADER,
    description: 'HMAC-SHA-256 of the body, as `sha256=…`.',
  })
  @ApiBody({
    description: "The event's payload as GitHub signed it. A body over 1 MB is not stored.",
    required: false,
    schema: { type: 'object', additionalProperties: true, example: { action: 'created', installation: { id: 7 } } },
  })
  @ApiAcceptedResponse({
    description: 'The delivery was stored for processing or dropped. The response does not show which.',
    schema: { type: 'object', additionalProperties: false },
  })
  async receiveWebhook(
    @Body() body: RawBody | undefined,
    @Headers('x-github-delivery') guid: string | undefined,
    @Headers('x-github-event') event: string | undefined,
    @Headers('x-hub-signature-256') signature: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<Record<string, never>> {
    const isStored = await this.inbox.accept({ body, guid, event, signature });
    // The connection is closed without a response, so that GitHub lists the delivery as failed.
    if (!isStored) request.raw.socket.destroy();
    return {};
  }
}
