import { createHash, timingSafeEqual } from 'node:crypto';
import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../auth/access.decorators.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { Metrics } from '../../observability/metrics.js';

/** `GET /metrics`, for callers with `METRICS_TOKEN`. Without this variable the route answers 404. */
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
  @ApiOperation({ summary: 'Get the metrics of this process for Prometheus' })
  @ApiOkResponse({
    description: 'The metrics in the text format of Prometheus.',
    content: { 'text/plain': { schema: { type: 'string', example: 'process_resident_memory_bytes 73400320' } } },
  })
  @ErrorResponses({ 401: 'The token is missing or not valid.', 404: 'The operator has set no token.' })
  async readMetrics(
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

/** Compares in constant time, because the digests always have the same length. */
function holdsToken(authorization: string | undefined, token: string): boolean {
  const given = /^bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
