import type { OutgoingHttpHeaders } from 'node:http';
import { Controller, Get, Headers, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiProduces, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import { releaseRequest, type MemberCaller } from '../../auth/caller.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { noteStreamBegan } from '../../observability/request-logging.js';
import { EventStreamsService } from './event-streams.service.js';
import { parseEventId } from './workspace-event.js';

const EVENT_STREAM = 'text/event-stream';
const STREAM_HEADERS = {
  'Content-Type': `${EVENT_STREAM}; charset=utf-8`,
  'Cache-Control': 'no-store, no-transform',
  // Tells nginx not to buffer the response.
  'X-Accel-Buffering': 'no',
} as const;
const EXAMPLE = `retry: 5000
id: 1203

event: heartbeat
data: {}

id: 1204
event: release.updated
data: {"id":"1204","type":"release.updated","org":"acme","repo":"payments","milestoneId":"0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b","at":"2026-05-04T10:00:00.000Z"}

`;

@ApiTags('events')
@RateLimited('session')
@Controller('api/events')
export class EventsController {
  constructor(private readonly streams: EventStreamsService) {}

  @Get()
  @Requires('member', { workspaceInQuery: true })
  @ApiOperation({ summary: 'Stream the changes in the workspace as server-sent events' })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The id of the last received event. Missed events of the last five minutes are sent first.',
    schema: { type: 'string', maxLength: 20, example: '1204' },
  })
  @ApiQuery({
    name: 'after',
    required: false,
    description:
      'As `Last-Event-ID`, which goes first: browsers cannot set the header of a first request. For example `lastEventId` of `/api/auth/me`.',
    schema: { type: 'string', maxLength: 20, example: '1203' },
  })
  @ApiProduces(EVENT_STREAM)
  @ApiOkResponse({
    description:
      'Events until the client disconnects or the session or the membership ends. An event names a change; read its content from the lists. ' +
      'The event `heartbeat` names none. It is sent at the start and every 15 seconds; connect again if 40 seconds pass without an event.',
    content: { [EVENT_STREAM]: { schema: { type: 'string' }, example: EXAMPLE } },
  })
  @ErrorResponses({ 429: 'You have five open streams already.' })
  async streamEvents(
    @CurrentCaller() { orgId, user, session, viewer }: MemberCaller,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Query('after') after: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (request.method === 'HEAD') {
      await reply.headers(STREAM_HEADERS).send();
      return;
    }
    const reader = { orgId, userId: user.id, session: session.toString('hex') };
    await this.streams.open(reader, parseEventId(lastEventId ?? after), viewer.userId === user.id, () => {
      // Fastify does not handle the response from here on. Headers that are set one by one would stay in memory as long as the stream.
      const headers = reply.headers(STREAM_HEADERS).hijack().getHeaders() as OutgoingHttpHeaders;
      reply.raw.writeHead(reply.statusCode, headers).flushHeaders();
      noteStreamBegan(request, reply);
      releaseRequest(request);
      return reply.raw;
    });
  }
}
