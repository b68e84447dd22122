import { createHash, timingSafeEqual } from 'node:crypto';
import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../auth/access.decorators.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { Metrics } from '../../observability/metrics.js';

/** `GET /metrics`, for the one who holds `METRICS_TOKEN`; without such a token there is no such page. */
@ApiTags('operation')
@ApiBearerAuth('metricsToken')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  @Get()
  @Public()
  @ApiOperation({ summary: 'The numbers of this process, for Prometheus' })
  @ApiOkResponse({
    description: 'The numbers, in the text format of Prometheus.',
    content: { 'text/plain': { schema: { type: 'string', example: 'process_resident_memory_bytes 73400320' } } },
  })
  @ErrorResponses({ 401: 'The token is not the one that was set.', 404: 'No token was set, so that nobody may look.' })
  async print(
    @Headers('authorization') authorization: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { metricsToken } = this.environment;
    if (metricsToken === null) throw new DomainError('not_found', 'Not found.');
    if (!holdsToken(authorization, metricsToken)) {
      throw new DomainError('unauthenticated', 'Authentication is required.', {
        headers: { 'WWW-Authenticate': 'Bearer realm="metrics"' },
      });
    }
    reply.type(this.metrics.contentType);
    return this.metrics.print();
  }
}

/** In constant time: the digests are of one length whatever was sent. */
function holdsToken(authorization: string | undefined, token: string): boolean {
  const given = /^bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
